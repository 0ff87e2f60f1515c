"""Losses of linear predictions, the same in all languages, bit for bit."""
import math
from typing import List, Sequence

# The steps of the Java class PortableMath, whose comments state the errors.
LEAST = -690.0
LN2_HIGH = 0.6931471803691238
LN2_LOW = 1.9082149292705877e-10
INVERSE_LN2 = 1.4426950408889634
TERMS = 18
INVERSE_FACTORIALS = [1 / math.factorial(n) for n in range(14, 1, -1)]


def exp(x: float) -> float:
    """e^x for x up to 0; NaN for NaN."""
    if not x >= LEAST:
        return 0.0 if x < LEAST else x
    k = math.floor(x * INVERSE_LN2 + 0.5)
    high = x - k * LN2_HIGH
    low = k * LN2_LOW
    r = high - low
    total = 0.0
    for coefficient in INVERSE_FACTORIALS:
        total = total * r + coefficient
    return math.ldexp(1 + (high - (low - r * r * total)), k)


def log1p(x: float) -> float:
    """ln(1 + x) for finite x of at least 0; NaN for NaN."""
    k, f = 0, x
    if x > 1:
        mantissa = 1 + x
        while mantissa > 2:
            mantissa /= 2
            k += 1
        f = mantissa - 1
    s = f / (2 + f)
    square = s * s
    total = 0.0
    for n in range(TERMS, 0, -1):
        total = (total + 2 / (2 * n + 1)) * square
    return k * LN2_HIGH + ((f - s * (f - total)) + k * LN2_LOW)


def probability(log_odds: float) -> float:
    """1 / (1 + e^-p) of log odds p."""
    less = exp(-abs(log_odds))
    return (less if log_odds < 0 else 1.0) / (1 + less)


def highest(scores: Sequence[float]) -> int:
    """The place of the highest score, the first one of several."""
    place = 0
    for c, score in enumerate(scores):
        place = c if score > scores[place] else place
    return place


class Loss:
    """A loss of as many predictions as it has scores.

    has_classes: whether targets are classes. has_bounded_slope: whether its slope has a bound.
    """

    scores = 1
    has_classes = False
    has_bounded_slope = True

    def value(self, predictions: Sequence[float], target: float) -> float:
        """The loss."""
        raise NotImplementedError

    def slopes(self, predictions: Sequence[float], target: float) -> List[float]:
        """Its derivatives by the predictions."""
        raise NotImplementedError

    def predicted(self, predictions: Sequence[float]) -> float:
        """The class that is predicted."""
        return float(predictions[0] > 0)


class Logistic(Loss):
    """log(1 + e^p) - y p."""

    has_classes = True

    def value(self, predictions: Sequence[float], target: float) -> float:
        wrong = -predictions[0] if target > 0.5 else predictions[0]
        return max(wrong, 0.0) + log1p(exp(-abs(wrong)))

    def slopes(self, predictions: Sequence[float], target: float) -> List[float]:
        p = predictions[0]
        return [-probability(-p) if target > 0.5 else probability(p)]


class Softmax(Loss):
    """The cross-entropy of the softmax of k scores."""

    has_classes = True

    def __init__(self, classes: int) -> None:
        self.scores = classes

    def value(self, predictions: Sequence[float], target: float) -> float:
        place = highest(predictions)
        others = 0.0
        for c, score in enumerate(predictions):
            others += 0.0 if c == place else exp(score - predictions[place])
        return predictions[place] - predictions[int(target)] + log1p(others)

    def slopes(self, predictions: Sequence[float], target: float) -> List[float]:
        place = highest(predictions)
        powers = [exp(score - predictions[place]) for score in predictions]
        total = 0.0
        for power in powers:
            total += power
        slopes = [power / total for power in powers]
        # The sum of the others, since 1 - p would cancel.
        others = 0.0
        for c, slope in enumerate(slopes):
            others += 0.0 if c == target else slope
        slopes[int(target)] = -others
        return slopes

    def predicted(self, predictions: Sequence[float]) -> float:
        return float(highest(predictions))


class Squared(Loss):
    """Half the square of the residual."""

    has_bounded_slope = False

    def value(self, predictions: Sequence[float], target: float) -> float:
        residual = predictions[0] - target
        return residual * residual / 2

    def slopes(self, predictions: Sequence[float], target: float) -> List[float]:
        return [predictions[0] - target]


class Pinball(Loss):
    """level (y - p) for targets y above the prediction, otherwise (1 - level) (p - y)."""

    def __init__(self, level: float) -> None:
        self._level = level

    def value(self, predictions: Sequence[float], target: float) -> float:
        return self.slopes(predictions, target)[0] * (predictions[0] - target)

    def slopes(self, predictions: Sequence[float], target: float) -> List[float]:
        p = predictions[0]
        return [-self._level if target > p else 1 - self._level if target < p else 0.0]


class Hinge(Loss):
    """max(0, 1 - y p), where y is 1 for a target of 1, and -1 for one of 0."""

    has_classes = True

    def value(self, predictions: Sequence[float], target: float) -> float:
        return max(0.0, 1 - (1 if target > 0.5 else -1) * predictions[0])

    def slopes(self, predictions: Sequence[float], target: float) -> List[float]:
        sign = 1.0 if target > 0.5 else -1.0
        return [-sign if sign * predictions[0] < 1 else 0.0]
