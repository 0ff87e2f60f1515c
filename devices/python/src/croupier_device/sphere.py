"""Which top makes a release of priv_unit shortest; docs/priv-unit.md has the formulas.

T = <V, u>, V uniform on the unit sphere of D dimensions, has the density c (1 - t^2)^((D - 3) / 2) on
(-1, 1). With t = sin(theta) it has no singularity; the range of theta is cut into panels, each with
48 nodes of Gauss and Legendre. Relative error of the lengths: below 1e-12 up to D = 1e6.
"""
import math
from functools import lru_cache
from typing import List, Tuple

from .errors import require

ORDER = 48
PANELS = 48
DEPTH = 60.0
TAIL_DEPTH = 48.0
NEGLIGIBLE = 40.0
MOST_STEPS = 100
MOST_ABOVE_OPTIMUM = 1.3
SMALLEST_NORMAL = 2.0**-1022


def _legendre(y: float, degree: int) -> List[float]:
    values = [1.0, y]
    for k in range(2, degree + 1):
        values.append(((2 * k - 1) * y * values[-1] - (k - 1) * values[-2]) / k)
    return values


@lru_cache(maxsize=1)
def _rule() -> Tuple[List[float], List[float], List[List[float]]]:
    """Nodes and weights on (0, 1), and the integrals from each node to 1 of Lagrange's polynomials."""
    nodes: List[float] = []
    weights: List[float] = []
    for i in range(ORDER):
        y = -math.cos(math.pi * (i + 0.75) / (ORDER + 0.5))
        for _ in range(4):
            p = _legendre(y, ORDER)
            slope = ORDER * (y * p[ORDER] - p[ORDER - 1]) / (y * y - 1)
            y -= p[ORDER] / slope
        p = _legendre(y, ORDER)
        slope = ORDER * (y * p[ORDER] - p[ORDER - 1]) / (y * y - 1)
        nodes.append((1 + y) / 2)
        weights.append(1 / ((1 - y * y) * slope * slope))
    values = [_legendre(2 * x - 1, ORDER) for x in nodes]
    to_end = []
    for i in range(ORDER):
        row = []
        for j in range(ORDER):
            total = 1 - values[i][1]
            for k in range(1, ORDER):
                total += values[j][k] * (values[i][k - 1] - values[i][k + 1])
            row.append(total / 2)
        to_end.append(row)
    return nodes, weights, to_end


def _half_power(x: float, exponent: float) -> float:
    """(1 + x)^(exponent / 2): a small x keeps its digits, which the power needs."""
    if exponent == 0:
        return 1.0
    return 0.0 if x <= -1 else math.exp(exponent / 2 * math.log1p(x))


class Sphere:
    """The law of T in D = `dimension` dimensions, at least 2."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        nodes, weights, to_end = _rule()
        width = min(math.pi / 2, self._arc_length(0, DEPTH)) / PANELS
        mass: List[float] = []
        first: List[float] = []
        for panel in range(PANELS):
            for node, weight in zip(nodes, weights):
                theta = width * (panel + node)
                power = _half_power(-math.sin(theta) ** 2, dimension - 2)
                mass.append(width * weight * power)
                first.append(power * math.cos(theta))
        half = math.fsum(mass)
        self.density = 1 / (2 * half)
        self.mass = [m / half for m in mass]
        self.first = [f * self.density / (dimension - 1) for f in first]
        self.log_tail = [0.0] * len(mass)
        self.log_rest = [0.0] * len(mass)
        beyond = 0.0
        for panel in reversed(range(PANELS)):
            begin = panel * ORDER
            inside = self.mass[begin:begin + ORDER]
            for i in range(ORDER):
                # The weights of the rule cancel: mass / weight is the integrand.
                tail = beyond + sum(a * m for a, m in zip(to_end[i], inside))
                tail = max(tail, SMALLEST_NORMAL)
                self.log_tail[begin + i] = math.log(tail)
                self.log_rest[begin + i] = math.log1p(-tail)
            beyond += sum(inside)

    def _arc_length(self, angle: float, nats: float) -> float:
        """How far beyond an angle -(D - 2) ln cos(theta) has certainly grown by so many nats."""
        curvature = self.dimension - 2
        if curvature == 0:
            return math.pi
        slope = curvature * math.tan(angle)
        return 2 * nats / (slope + math.sqrt(slope * slope + 2 * curvature * nats))

    def tail(self, t: float) -> float:
        """P(T >= t), for 0 <= t < 1."""
        nodes, weights, _ = _rule()
        angle = math.asin(t)
        square = (1 - t) * (1 + t)
        width = min(math.pi / 2 - angle, self._arc_length(angle, TAIL_DEPTH))
        total = 0.0
        for node, weight in zip(nodes, weights):
            at = width * node
            less = math.sin(at) * math.sin(2 * angle + at) / square
            total += weight * _half_power(-less, self.dimension - 2)
        return self.density * width * _half_power(-t * t, self.dimension - 2) * total

    def first_moment(self, t: float) -> float:
        """E[T; T >= t], for 0 <= t < 1."""
        return self.density * _half_power(-t * t, self.dimension - 1) / (self.dimension - 1)

    def top_moment(self, pairs: int, top: int) -> float:
        """Of the top K of n pairs: the mean of first_moment at the height from which a pair is in it."""
        if top == pairs:
            return self.density / (self.dimension - 1)
        logs = [(top - 1) * t + (pairs - top - 1) * r
                for t, r in zip(self.log_tail, self.log_rest)]
        largest = max(logs)
        total = moment = 0.0
        for m, f, log in zip(self.mass, self.first, logs):
            if log - largest >= -NEGLIGIBLE:
                weight = m * math.exp(log - largest)
                total += weight
                moment += weight * f
        return moment / total

    def scale(self, odds: float, candidates: int, top: int) -> float:
        """M of a choice by rank."""
        return (1 + odds * top / candidates) / (odds * self.top_moment(candidates // 2, top))

    def least_scale(self, odds: float) -> float:
        """The least M of all choices of a point on the sphere."""
        gamma = 0.0
        for _ in range(MOST_STEPS):
            larger = odds * self.first_moment(gamma) / (1 + odds * self.tail(gamma))
            if not larger > gamma * (1 + 2.0**-50):
                break
            gamma = larger
        return 1 / gamma


@lru_cache(maxsize=64)
def best_top(dimension: int, epsilon: float, candidates: int) -> Tuple[int, float]:
    """The K of least M, and that M, for gradients of d coordinates."""
    sphere = Sphere(dimension + 1)
    odds = math.expm1(epsilon)
    least = sphere.least_scale(odds)
    most = candidates // 2
    top = max(1, min(most, math.floor(sphere.tail(1 / least) * candidates)))
    scale = sphere.scale(odds, candidates, top)
    step = 1 if top < most and sphere.scale(odds, candidates, top + 1) < scale else -1
    while 1 <= top + step <= most:
        other = sphere.scale(odds, candidates, top + step)
        if not other < scale:
            break
        scale = other
        top += step
    require(scale <= MOST_ABOVE_OPTIMUM * least, "candidates", candidates, f"more, at epsilon {epsilon}")
    return top, scale
