"""The randomisers, with exact draws: every probability is a whole multiple of 2^-63, rounded so that
it costs no privacy, and every bit comes from the operating system's generator.
"""
import math
import secrets
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Real
from typing import Callable, List, Optional, Sequence

from .errors import require, require_type
from .vectors import group_of, height

# The number of fair bits that is asked for, as an integer. Tests supply seeded ones.
Bits = Callable[[int], int]

MOST_EPSILON = 16
NANOS = 10**9
SERIES_BITS = 256
COIN_BITS = 63


def nanos_of(number: float) -> int:
    """A finite number of at least 0, as written in decimals, in units of 1e-9, rounded down."""
    return math.floor(Fraction(repr(float(number))) * NANOS)


def epsilon_nanos(epsilon: float) -> int:
    """A level in units of 1e-9, rounded down; ValueError unless it is from 1e-9 to 16."""
    require_type(epsilon, Real, "epsilon", f"a number from 1e-9 to {MOST_EPSILON}")
    require(1e-9 <= epsilon <= MOST_EPSILON, "epsilon", epsilon, f"from 1e-9 to {MOST_EPSILON}")
    return nanos_of(epsilon)


def _exp_floor(nanos: int) -> int:
    """A lower bound of e^x in units of 2^-256, for x below nanos 1e-9 by a relative 2^-52.

    The difference covers the rounding of the double that a report declares. Every term of the series
    is positive and rounded down.
    """
    numerator = nanos * ((1 << 52) - 1)
    denominator = NANOS << 52
    term = 1 << SERIES_BITS
    total = 0
    k = 1
    while term > 0:
        total += term
        term = term * numerator // (denominator * k)
        k += 1
    return total


def acceptance(nanos: int) -> int:
    """exp(-epsilon) in units of 2^-63, rounded up."""
    return -(-(1 << COIN_BITS + SERIES_BITS) // _exp_floor(nanos))


def flips(nanos: int) -> int:
    """1 / (1 + exp(epsilon)) in units of 2^-63, rounded up, at most 2^62."""
    rounded = -(-(1 << COIN_BITS + SERIES_BITS) // ((1 << SERIES_BITS) + _exp_floor(nanos)))
    return min(rounded, 1 << COIN_BITS - 1)


def lift(gradient: Sequence[float], gradient_bound: float) -> List[float]:
    """(g / G, sqrt(1 - ||g / G||^2)), g clipped to L2 norm G; a gradient that is not finite becomes 0."""
    largest = 0.0
    if all(map(math.isfinite, gradient)):
        largest = max(map(abs, gradient))
    if largest == 0:
        return [0.0] * len(gradient) + [1.0]
    # In units of the largest coordinate, so that no square overflows or vanishes.
    squares = 0.0
    for value in gradient:
        ratio = value / largest
        squares += ratio * ratio
    norm = math.sqrt(squares)
    # Python's division of floats raises no error on overflow: it is infinite, and clipped.
    length = min(1.0, largest / gradient_bound * norm)
    lifted = [value / largest / norm * length for value in gradient]
    lifted.append(math.sqrt(max(0.0, 1 - length * length)))
    return lifted


def top_of(heights: Sequence[float], count: int) -> List[bool]:
    """Which candidates are the top: exactly K, of the largest sizes; ties go to the lower index."""
    chosen = [False] * (2 * len(heights))
    for pair in sorted(range(len(heights)), key=lambda i: -abs(heights[i]))[:count]:
        chosen[2 * pair + (heights[pair] < 0)] = True
    return chosen


def below(bound: int, bits: Bits) -> int:
    """Uniform on 0 .. bound - 1, exactly (Lemire 2019): the integer part of bound times a fraction of 63 bits.

    Fractional parts below 2^63 modulo bound are drawn again, so that the same number of words remains
    for every integer part.
    """
    while True:
        product = bits(COIN_BITS) * bound
        if product & ((1 << COIN_BITS) - 1) >= (1 << COIN_BITS) % bound:
            return product >> COIN_BITS


def draw_index(top: Sequence[bool], coin: int, bits: Bits) -> int:
    """Draws an index: those of the top are always accepted, the others with the probability of the coin.

    The coin is tossed for every index, so that its time reveals nothing.
    """
    while True:
        index = below(len(top), bits)
        kept = bits(COIN_BITS) < coin
        if top[index] or kept:
            return index


# Up to which epsilon the job accepts releases of N candidates.
MOST_EPSILON_OF = {64: 9, 256: 11, 1024: 14, 4096: MOST_EPSILON}


def default_candidates(epsilon: float) -> int:
    """N: 256 up to epsilon 4, 1024 up to 8, else 4096."""
    return 256 if epsilon <= 4 else 1024 if epsilon <= 8 else 4096


def default_top(dimension: int, epsilon: float, candidates: int) -> int:
    """K. A release is at most 2.5 % longer than with the best K; any K has the same privacy."""
    share = 1 / (1 + math.exp(0.67 * epsilon / (1 + 0.6 / dimension)))
    return max(1, math.floor(candidates * share + 0.5))


@dataclass(frozen=True)
class Choice:
    """A release of priv_unit. It is noise, so it is not shown."""

    seed: int = field(repr=False)
    index: int = field(repr=False)


class PrivUnit:
    """PrivUnit on the lifted sphere, chosen by rank: epsilon-LDP exactly, whatever the gradient is.

    docs/reference/priv-unit.md specifies it. Every call of choose() spends epsilon.

    dimension: d of the model. epsilon: from 1e-9 to 16, rounded down to a multiple of 1e-9.
    candidates: N, 64 up to epsilon 9, 256 up to 11, 1024 up to 14, or 4096; by default 256 up to epsilon 4,
    1024 up to 8, else 4096. top: K, from 1 to N / 2, how many candidates are exp(epsilon) times as likely as the
    others; by default one that makes releases short.
    """

    def __init__(self, dimension: int, epsilon: float, candidates: int = 0, top: int = 0, *,
                 bits: Bits = secrets.randbits) -> None:
        require(dimension >= 1, "dimension", dimension, "at least 1")
        self.epsilon_nanos = epsilon_nanos(epsilon)
        self.epsilon = self.epsilon_nanos / NANOS
        self.dimension = dimension
        self.candidates = candidates or default_candidates(self.epsilon)
        require(self.candidates in MOST_EPSILON_OF, "candidates", candidates, "64, 256, 1024 or 4096")
        require(self.epsilon <= MOST_EPSILON_OF[self.candidates], "candidates", self.candidates,
                f"more, at epsilon {self.epsilon}")
        self.top = top or default_top(dimension, self.epsilon, self.candidates)
        require(1 <= self.top <= self.candidates // 2, "top", top,
                f"from 1 to half the candidates, {self.candidates // 2}")
        self._coin = acceptance(self.epsilon_nanos)
        self._bits = bits

    def choose(self, gradient: Sequence[float], gradient_bound: float) -> Choice:
        """Draws a seed, then the index of one of its candidates.

        gradient: d numbers; one that is not finite makes it zero. gradient_bound: G, positive and finite.
        """
        require(len(gradient) == self.dimension, "length of the gradient", len(gradient), str(self.dimension))
        require(0 < gradient_bound < math.inf, "gradient_bound", gradient_bound, "positive and finite")
        # Independently of the gradient, by a call of its own: the seed is public.
        seed = self._bits(64)
        direction = lift(gradient, gradient_bound)
        heights = [height(seed, pair, direction) for pair in range(self.candidates // 2)]
        return Choice(seed, draw_index(top_of(heights, self.top), self._coin, self._bits))


class RandomisedResponse:
    """One bit, inverted with probability 1 / (1 + exp(epsilon)), rounded up: epsilon-LDP.

    Every release spends epsilon, from 1e-9 to 16.
    """

    def __init__(self, epsilon: float, *, bits: Bits = secrets.randbits) -> None:
        self.epsilon_nanos = epsilon_nanos(epsilon)
        self.epsilon = self.epsilon_nanos / NANOS
        self._flips = flips(self.epsilon_nanos)
        self._bits = bits

    def release(self, answer: bool) -> bool:
        """The answer, or its opposite. The draw doesn't depend on the answer."""
        return bool(answer) != (self._bits(COIN_BITS) < self._flips)


MOST_CATEGORIES = 4096
MOST_GROUPS = 1024


@dataclass(frozen=True)
class Group:
    """A release of hashed response. It is noise, so it is not shown. seed: None if each category is a group."""

    seed: Optional[int] = field(repr=False)
    index: int = field(repr=False)


class HashedResponse:
    """The group of one of k categories, exp(epsilon) times as probable as each other one.

    Where k is at most 3 exp(epsilon) + 2 and 1024, each category is a group; otherwise a public seed assigns
    them to groups. docs/theory/counting.md specifies it. Every release spends epsilon.

    epsilon: from 1e-9 to 16, rounded down to a multiple of 1e-9. categories: k, from 2 to 4096.
    """

    def __init__(self, epsilon: float, categories: int, *, bits: Bits = secrets.randbits) -> None:
        self.epsilon_nanos = epsilon_nanos(epsilon)
        self.epsilon = self.epsilon_nanos / NANOS
        require(2 <= categories <= MOST_CATEGORIES, "categories", categories, f"from 2 to {MOST_CATEGORIES}")
        self.categories = categories
        self.is_hashed = categories > min(MOST_GROUPS, 3 * math.exp(self.epsilon) + 2)
        self.groups = min(MOST_GROUPS, round(math.exp(self.epsilon) + 1)) if self.is_hashed else categories
        self._coin = acceptance(self.epsilon_nanos)
        self._bits = bits

    def release(self, category: int) -> Group:
        """Draws a seed, if one is needed, then a group. category: from 0 to k - 1."""
        require(0 <= category < self.categories, "category", "out of range", f"from 0 to {self.categories - 1}")
        seed = self._bits(64) if self.is_hashed else None
        own = category if seed is None else group_of(seed, category, self.groups)
        favoured = [group == own for group in range(self.groups)]
        return Group(seed, draw_index(favoured, self._coin, self._bits))
