"""Random streams keyed by what they are for. Nothing else in the package draws at random."""

import hashlib
import random


def stream(seed: int, *key: int | str) -> random.Random:
    """A generator that depends on `seed` and `key` alone, not on what was drawn before.

    Args:
        seed: the run's seed.
        *key: what the numbers are for, for example a step number and a purpose.
    """
    return random.Random(derive_seed(seed, *key))


def derive_seed(seed: int, *key: int | str) -> int:
    """A seed in [0, 2**31) for a library that takes integers, from the same keys."""
    text = "\x1f".join([str(seed), *map(str, key)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % 2**31
