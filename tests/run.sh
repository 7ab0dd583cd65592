#!/usr/bin/env bash
# Installs what the tests need into .venv-test, then runs every check. Arguments go to pytest.
# Without any, root runs the sandbox's tests once more as a user without rights.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# The browser tests drive Debian's Chromium, and one counts instructions with valgrind; elsewhere
# they look for them and say if they find none.
if command -v apt-get >/dev/null && ! { command -v chromium && command -v valgrind; } >/dev/null
then
    as_root apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q chromium valgrind
fi

python=${PYTHON:-}
for candidate in python3.12 python3.11 python3; do
    [ -n "$python" ] && break
    if command -v "$candidate" >/dev/null &&
        "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))'; then
        python=$candidate
    fi
done
[ -n "$python" ] || { echo "Python 3.11 or 3.12 is needed; name one with PYTHON=..." >&2; exit 1; }

[ -x .venv-test/bin/python ] || "$python" -m venv .venv-test
bin=$PWD/.venv-test/bin
"$bin/python" -m pip install --quiet --editable '.[test]'

# One thread: with a second one, small models on a busy machine are several times slower.
export OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1

"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy"
"$bin/lint-imports" --no-cache
"$bin/python" -m pytest "$@"
if [ "$(id -u)" = 0 ] && [ $# = 0 ]; then
    tests/run_unprivileged.sh "$bin/python"
fi
