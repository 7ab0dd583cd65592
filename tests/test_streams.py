import subprocess
import sys

from workbench.streams import derive_seed, stream


def test_a_stream_depends_on_its_key_alone() -> None:
    first = stream(7, 3, "parent").random()
    stream(7, 4, "parent").random()
    assert stream(7, 3, "parent").random() == first
    assert stream(7, 3, "model").random() != first
    assert stream(8, 3, "parent").random() != first


def test_seeds_do_not_depend_on_the_hash_seed() -> None:
    code = "from workbench.streams import derive_seed; print(derive_seed(1, 'a', 2))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert printed == {f"{derive_seed(1, 'a', 2)}\n"}
