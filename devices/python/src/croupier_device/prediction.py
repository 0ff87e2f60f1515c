"""What a model predicts, as its spec names it."""
from typing import Any, Callable, Dict, List, Sequence, Union

from . import records
from .errors import CroupierError, require
from .losses import Hinge, Logistic, Loss, Pinball, Softmax, Squared, highest, probability

LOSSES: Dict[str, Callable[[Any], Loss]] = {
    "logistic": lambda _: Logistic(),
    "softmax": lambda kind: Softmax(len(kind.classes)),
    "squared": lambda _: Squared(),
    "pinball": lambda kind: Pinball(kind.level),
    "hinge": lambda _: Hinge(),
}


class Label:
    """A label and its loss. No error contains a value of a person.

    loss: of its predictions. feature: the label in the form of a feature, as which it is read from a row.
    """

    def __init__(self, predicts: Any) -> None:
        """predicts: that of an update, in Protobuf; CroupierError if its loss is none that this version knows."""
        self.kind = predicts.WhichOneof("loss")
        if self.kind is None:
            raise CroupierError(f"the loss of label '{predicts.label}' is none that this version knows")
        settings = getattr(predicts, self.kind)
        self.loss = LOSSES[self.kind](settings)
        self.feature = records.Feature(name=predicts.label)
        if self.kind == "softmax":
            self.feature.one_hot.categories.extend(settings.classes)
        elif self.kind in ("logistic", "hinge"):
            self.feature.yes_no.SetInParent()
        else:
            self.feature.range.CopyFrom(settings.range)

    def target(self, values: Sequence[float]) -> float:
        """The place of a class, or the value of any other label."""
        if self.kind != "softmax":
            return values[0]
        classes = self.feature.one_hot.categories
        require(
            1.0 in values, f"label '{self.feature.name}'", "none of the model's classes", f"one of {', '.join(classes)}")
        return float(values.index(1.0))

    def predictions(self, weights: Sequence[float], x: Sequence[float]) -> List[float]:
        """The products of the features with the weights of each prediction."""
        predictions = [0.0] * self.loss.scores
        for c in range(self.loss.scores):
            for j, value in enumerate(x):
                predictions[c] += value * weights[c * len(x) + j]
        return predictions

    def gradient(self, weights: Sequence[float], x: Sequence[float], target: float) -> List[float]:
        """The gradient of the loss."""
        slopes = self.loss.slopes(self.predictions(weights, x), target)
        return [0.0 + slope * value for slope in slopes for value in x]

    def predicted(self, predictions: Sequence[float]) -> Union[float, bool, str]:
        """A probability, a class or a number."""
        p = predictions[0]
        if self.kind == "logistic":
            return probability(p)
        if self.kind == "hinge":
            return p > 0
        if self.kind == "softmax":
            return str(self.feature.one_hot.categories[highest(predictions)])
        low, high = getattr(self.feature.range, "from"), self.feature.range.to
        return float(max(low, min(high, low + (p + 1) / 2 * (high - low))))
