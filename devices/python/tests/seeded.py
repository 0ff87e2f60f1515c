"""Seeded bits, for tests alone."""
import random
from typing import Callable


def bits(seed: int) -> Callable[[int], int]:
    return random.Random(seed).getrandbits
