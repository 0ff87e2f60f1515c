"""Updates of a model, and people, for tests."""
from typing import Any, List, Mapping, Sequence, Tuple

from croupier_device import ModelUpdate, Question, Snapshot
from croupier_device.snapshot import grid_exponent_of


def update(round: int = 0, dimension: int = 3, bound: float = 1.0, **fields: Any) -> bytes:
    """A ModelUpdate of the model "demo", in Protobuf."""
    message = ModelUpdate(
        model_id="demo", round=round, weights=[0.5] * dimension, average=[0.25] * dimension,
        gradient_bound=bound, grid_exponent=grid_exponent_of(bound), answer_probability=1)
    if dimension == 0:
        message.ClearField("gradient_bound")
        message.ClearField("grid_exponent")
    questions: Sequence[str] = fields.pop("questions", [])
    for name in questions:
        message.estimates.add().question.name = name
        message.estimates[-1].question.loss_above.threshold = 0.5
    statistics: Mapping[str, Sequence[str]] = fields.pop("statistics", {})
    for name, categories in statistics.items():
        statistic = message.statistics.add().statistic
        statistic.name = name
        statistic.choice.categories.extend(categories)
    thresholds: Mapping[str, float] = fields.pop("thresholds", {})
    for name, threshold in thresholds.items():
        estimate = message.statistics.add(threshold=threshold)
        estimate.statistic.name = name
        estimate.statistic.quantiles.levels.append(0.5)
    lists: Mapping[str, Tuple[str, int, int, List[str], List[str]]] = fields.pop("texts", {})
    for name, (alphabet, length, top, prefixes, listed) in lists.items():
        estimate = message.statistics.add()
        estimate.statistic.name = name
        kind = estimate.statistic.prefixes
        kind.alphabet, kind.length, kind.top = alphabet, length, top
        estimate.texts.prefixes.extend(prefixes)
        estimate.texts.texts.extend(listed)
    limits: Mapping[str, float] = fields.pop("limits", {})
    for name, value in limits.items():
        setattr(message.limits, name, value)
    for name, value in fields.items():
        setattr(message, name, value)
    encoded: bytes = message.SerializeToString()
    return encoded


def snapshot(round: int = 0, dimension: int = 3, bound: float = 1.0, **fields: Any) -> Snapshot:
    return Snapshot.parse(update(round, dimension, bound, **fields))


class Person:
    """A Participant that counts what it is asked for."""

    def __init__(self, gradient: Sequence[float] = (0.1, 0.2, -0.3), size: float = 0.4,
                 truth: bool = True, can_answer: bool = True) -> None:
        self.asked: List[str] = []
        self._gradient, self._size, self._truth, self._can_answer = gradient, size, truth, can_answer

    def row(self) -> Sequence[float]:
        """Persons with other gradients have other data."""
        return self._gradient

    def gradient(self) -> Sequence[float]:
        self.asked.append("gradient")
        return self._gradient

    def size(self) -> float:
        self.asked.append("size")
        return self._size

    def can_answer(self, question: Question) -> bool:
        self.asked.append("can_answer")
        return self._can_answer

    def answer(self, question: Question) -> bool:
        self.asked.append("answer")
        return self._truth
