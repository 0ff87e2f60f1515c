"""From a seed to its vectors, bit for bit as lab/proofs/vectors.md specifies."""
import hashlib
import math
import struct
from functools import lru_cache
from statistics import NormalDist
from typing import List, Sequence

from .errors import CroupierError

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
LAST_KNOT = 6144

# SHA-256 of the table: it is the same everywhere, or nothing is drawn.
KNOTS_DIGEST = "5bed81b19f97dcfcf112f5542faa3d28d82c1b5ed3177559167d24bfebe57bf2"


@lru_cache(maxsize=1)
def knots() -> List[int]:
    """T: quantiles of the normal law, times 2^24."""
    normal = NormalDist()
    table = [0]
    for k in range(1, LAST_KNOT + 1):
        shift = max(0, (k >> 8) - 1)
        tail = ((k - (shift << 8)) << shift) / 2**32
        table.append(math.floor(-normal.inv_cdf(tail) * 2**24 + 0.5))
    end = -normal.inv_cdf(2**-32)
    table[0] = math.floor((2 * normal.pdf(end) * 2**32 - end) * 2**24 + 0.5)
    digest = hashlib.sha256(struct.pack(f"<{len(table)}i", *table)).hexdigest()
    if digest != KNOTS_DIGEST:
        raise CroupierError("this platform's arithmetic is too inaccurate for priv_unit")
    return table


def mix(z: int) -> int:
    """The finaliser of SplitMix64, of a word."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def group_of(seed: int, category: int, groups: int) -> int:
    """The group of a category, from 0 to groups - 1, by docs/theory/counting.md."""
    return (mix((seed + GOLDEN * (2 * category + 1)) & WORD) >> 32) * groups >> 32


def coordinate(table: Sequence[int], bits: int) -> float:
    """A normal variate from 32 bits, of which the highest is the sign."""
    r = bits & 0x7FFFFFFF
    shift = (r | 256).bit_length() - 9
    k = (shift << 8) + (r >> shift)
    place = (2 * (r & ((1 << shift) - 1)) + 1) << (22 - shift)
    x = ((table[k] << 23) + (table[k + 1] - table[k]) * place) * 2.0**-47
    return -x if bits >> 31 else x


def coordinates(seed: int, pair: int, count: int) -> List[float]:
    """The normal variates of vector `pair` of a seed, before it is scaled to its length."""
    table = knots()
    state = mix((seed + GOLDEN * (2 * pair + 1)) & WORD)
    values: List[float] = []
    while len(values) < count:
        state = (state + GOLDEN) & WORD
        word = mix(state)
        values.append(coordinate(table, word & 0xFFFFFFFF))
        values.append(coordinate(table, word >> 32))
    del values[count:]
    return values


def _sum(values: Sequence[float]) -> float:
    """In the order of the values. (The function sum() may compensate rounding.)"""
    total = 0.0
    for value in values:
        total += value
    return total


def norm(vector: Sequence[float]) -> float:
    """The L2 norm, without overflow of the squares; infinite if a value is not finite."""
    if not all(map(math.isfinite, vector)):
        return math.inf
    largest = max(map(abs, vector), default=0.0)
    return largest * math.sqrt(_sum([(v / largest) * (v / largest) for v in vector])) if largest > 0 else 0.0


def _root(values: Sequence[float]) -> float:
    evens = _sum([v * v for v in values[0::2]])
    return math.sqrt(evens + _sum([v * v for v in values[1::2]]))


def height(seed: int, pair: int, direction: Sequence[float]) -> float:
    """The inner product of candidate 2 pair with a unit vector of D coordinates."""
    values = coordinates(seed, pair, len(direction))
    products = [v * u for v, u in zip(values, direction)]
    return (_sum(products[0::2]) + _sum(products[1::2])) / _root(values)


def expand_candidate(seed: int, index: int, length: float, dimension: int) -> List[float]:
    """The first d of the d + 1 coordinates of a candidate, scaled to a length with its last one.

    For the length M G it is what the job makes of a report, bit for bit.
    """
    values = coordinates(seed, index >> 1, dimension + 1)
    factor = length / _root(values)
    if index % 2 == 1:
        factor = -factor
    return [v * factor for v in values[:dimension]]
