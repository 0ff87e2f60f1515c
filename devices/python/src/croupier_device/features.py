"""How a model's features are computed from one person's values, as its updates describe it."""
import hashlib
import math
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from .errors import CroupierError, require

Encode = Callable[[Any], Sequence[float]]

# Where standardised numbers are clipped.
MOST_DEVIATIONS = 3.0
# What the value of a feature must be, by its kind.
RIGHT = {"range": "a number", "moments": "a number", "yes_no": "True or False", "one_hot": "a text",
         "encoder": "what its encoder takes"}


class Features:
    """Makes the vector of a row, the same on every device, bit for bit.

    All values are from -1 to 1. names: of the features; empty if the spec doesn't describe them. size: the
    number of values. largest_norm: bounds the L2 norm of every vector, up to rounding. No error contains a
    value of a person.
    """

    def __init__(self, features: Sequence[Any], encoders: Optional[Mapping[str, Encode]] = None) -> None:
        """features: those of an update, in Protobuf."""
        self._features = tuple(features)
        self._encoders: Dict[str, Encode] = dict(encoders or {})
        self.names: Tuple[str, ...] = tuple(feature.name for feature in self._features)
        self.size = sum(map(_count, self._features))
        self.largest_norm = math.sqrt(len(self._features))

    def with_encoder(self, name: str, content: bytes, encode: Encode) -> "Features":
        """The same features with an encoder that the device contains.

        content: the encoder's bytes; CroupierError if they don't have the digest of the spec. encode: returns
        as many finite numbers as the feature has values.
        """
        found = [f for f in self._features if f.name == name and f.WhichOneof("kind") == "encoder"]
        require(len(found) == 1, "feature", name, "one with an encoder")
        digest = hashlib.sha256(content).hexdigest()
        if digest != found[0].encoder.digest:
            raise CroupierError(
                f"the encoder of feature '{name}' has the digest {digest}; "
                f"the model requires {found[0].encoder.digest}")
        return Features(self._features, {**self._encoders, name: encode})

    def vector(self, row: Mapping[str, Any], label: Any = None) -> List[float]:
        """The vector of one row, by name of the feature.

        A number for a range and for moments, a bool for yes or no, a text for a category, and for an encoder
        what it takes; other entries are ignored, but counted in the error if a feature is missing. ValueError if
        a value is missing, of another type or not finite; CroupierError if an encoder is missing, or returns
        something else than it should. label: of this package's own calls; a label in the form of a feature,
        whose values follow.
        """
        every = self._features if label is None else (*self._features, label)
        return [value for feature in every for value in self._values(feature, row, label)]

    def is_of(self, features: Sequence[Any]) -> bool:
        """Whether they are those of an update, in Protobuf."""
        return self._features == tuple(features)

    def _values(self, feature: Any, row: Mapping[str, Any], label: Any) -> List[float]:
        kind = feature.WhichOneof("kind")
        if kind == "intercept":
            return [1.0]
        name, value = f"{'label' if feature is label else 'feature'} '{feature.name}'", row.get(feature.name)
        require(value is not None, name, "missing", RIGHT[kind] + self._others(row, label))
        if kind == "range":
            return [_scaled_by_range(feature.range, _number(name, value))]
        if kind == "moments":
            return [_scaled_by_moments(feature.moments, _number(name, value))]
        if kind == "yes_no":
            _require(isinstance(value, bool), name, kind)
            return [1.0 if value else 0.0]
        if kind == "one_hot":
            _require(isinstance(value, str), name, kind)
            values = [1.0 if category == value else 0.0 for category in feature.one_hot.categories]
            return values + [0.0 if 1.0 in values else 1.0] if feature.one_hot.other else values
        return self._encoded(feature, value)

    def _others(self, row: Mapping[str, Any], label: Any) -> str:
        """How many names of a row are no feature's: a misspelt one may be data, so none is quoted."""
        others = len(set(row) - set(self.names) - ({label.name} if label is not None else set()))
        return f"; names in the row that are no feature's: {others}" if others else ""

    def _encoded(self, feature: Any, value: Any) -> List[float]:
        encode = self._encoders.get(feature.name)
        if encode is None:
            raise CroupierError(
                f"feature '{feature.name}' needs the encoder with the digest {feature.encoder.digest}, "
                "which this device doesn't have")
        encoded = [number_or_nan(coordinate) for coordinate in encode(value)]
        if len(encoded) != feature.encoder.length:
            raise CroupierError(
                f"the encoder of feature '{feature.name}' returned {len(encoded)} values; "
                f"the model requires {feature.encoder.length}")
        if not all(map(math.isfinite, encoded)):
            raise CroupierError(f"the encoder of feature '{feature.name}' returned a value that is not finite")
        return _shortened(encoded)


def _count(feature: Any) -> int:
    kind = feature.WhichOneof("kind")
    if kind is None:
        raise CroupierError(f"feature '{feature.name}' is of no kind that this version knows")
    if kind == "one_hot":
        return len(feature.one_hot.categories) + (1 if feature.one_hot.other else 0)
    return int(feature.encoder.length) if kind == "encoder" else 1


def _require(condition: bool, name: str, kind: str) -> None:
    require(condition, name, "of another type", RIGHT[kind])


def _number(name: str, value: Any) -> float:
    _require(isinstance(value, (int, float)) and not isinstance(value, bool), name, "range")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    require(math.isfinite(number), name, "not finite", "a number")
    return number


def number_or_nan(value: Any) -> float:
    """A number, or NaN for what is none: Python's own error would contain it."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _scaled_by_range(bounds: Any, x: float) -> float:
    low, high = getattr(bounds, "from"), bounds.to
    within = max(low, min(high, x))
    return float(2 * (within - low) / (high - low) - 1)


def _scaled_by_moments(moments: Any, x: float) -> float:
    deviations = (x - moments.mean) / moments.deviation
    return float(max(-MOST_DEVIATIONS, min(MOST_DEVIATIONS, deviations)) / MOST_DEVIATIONS)


def _shortened(encoded: List[float]) -> List[float]:
    """Divides by the norm where that is above 1, without overflow of the squares."""
    largest = max(map(abs, encoded))
    if largest == 0:
        return encoded
    total = 0.0
    for value in encoded:
        total += (value / largest) * (value / largest)
    root = math.sqrt(total)
    return [value / largest / root for value in encoded] if largest * root > 1 else encoded
