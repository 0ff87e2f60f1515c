"""A published update of a model, and the terms on which its round takes reports."""
import math
import numbers
import re
from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from . import records
from .errors import CroupierError, require
from .features import Features
from .prediction import Label
from .randomisers import MOST_CATEGORIES
from .vectors import norm

NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
MOST_LETTERS = 128
SIZES = {records.FEATURES: "FEATURES", records.GRADIENT: "GRADIENT"}


@dataclass(frozen=True)
class Question:
    """A yes-or-no question about one person's own data and the published average.

    kind: 'accuracy': does the average predict the person's label? 'loss_above': is the person's loss
    above the threshold? 'unknown': this version doesn't know it. threshold: only of 'loss_above'.
    """

    name: str
    kind: str
    threshold: Optional[float] = None


def letters_of(alphabet: str) -> str:
    """The letters of an alphabet, in its order: 'abc' of 'a-c'."""
    letters, i = "", 0
    while i < len(alphabet):
        is_range = alphabet[i + 1:i + 2] == "-" and i + 2 < len(alphabet)
        codes = range(ord(alphabet[i]), ord(alphabet[i + 2] if is_range else alphabet[i]) + 1)
        _require(len(letters) + len(codes) <= MOST_LETTERS, f"an alphabet has more than {MOST_LETTERS} letters")
        letters += "".join(map(chr, codes))
        i += 3 if is_range else 1
    return letters


@dataclass(frozen=True)
class TextCandidates:
    """What the devices of a round vote for in a statistic of prefixes, as docs/theory/counting.md numbers it.

    length: the most letters of a text. prefixes, texts: by their places; '' at a free one.
    """

    letters: str
    length: int
    top: int
    prefixes: Tuple[str, ...]
    texts: Tuple[str, ...]

    @property
    def count(self) -> int:
        """How many candidates there are, free places included."""
        size = len(self.letters) + 1
        return self.top + (MOST_CATEGORIES - self.top) // size * size

    def of(self, value: object) -> int:
        """The number of a text's candidate; what is no text of the alphabet counts as the empty text."""
        is_valid = isinstance(value, str) and len(value) <= self.length and all(c in self.letters for c in value)
        text = str(value) if is_valid else ""
        if text and text in self.texts:
            return self.texts.index(text)
        begins = [i for i, prefix in enumerate(self.prefixes) if text.startswith(prefix)]
        longest = max(begins, key=lambda i: (len(self.prefixes[i]), -i))
        rest = text[len(self.prefixes[longest]):]
        letter = self.letters.index(rest[0]) if rest else len(self.letters)
        return self.top + longest * (len(self.letters) + 1) + letter


@dataclass(frozen=True)
class Statistic:
    """A count of people by their own data alone.

    kind: 'choice': to which of the categories does a person belong? 'quantiles': is the person's number
    above the threshold of the round? 'prefixes': what is the person's text, or how does it begin?
    'unknown': this version doesn't know it. categories: only of 'choice', at least two. threshold: only of
    'quantiles'. texts: only of 'prefixes'.
    """

    name: str
    kind: str
    categories: Tuple[str, ...] = ()
    threshold: Optional[float] = None
    texts: Optional[TextCandidates] = None

    @property
    def candidates(self) -> int:
        """The number of categories of a vote."""
        return len(self.categories) if self.texts is None else self.texts.count

    def category(self, value: object) -> int:
        """The number of a category; a value that is none of them, None included, counts as the last one."""
        if self.texts is not None:
            return self.texts.of(value)
        return self.categories.index(value) if isinstance(value, str) and value in self.categories else len(self.categories) - 1

    def is_above(self, value: object) -> bool:
        """Whether a number is above the threshold; what is no number counts as the lower end of the range."""
        assert self.threshold is not None
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        return is_number and bool(value > self.threshold)


@dataclass(frozen=True)
class Terms:
    """The terms on which a published round takes reports.

    dimension: d; 0 if the model has no learner, but statistics alone. gradient_bound: G, the clip of the
    round; 0 without a learner. size: what the clip bounds if it moves, 'FEATURES' or
    'GRADIENT'; None if it is fixed; 'UNKNOWN' if this version doesn't know it. slope_bound: only with
    'FEATURES', else 0. is_scouting: whether the model only searches for its clip. limit_epsilon, limit_reports: what the
    job lets a person spend on the model over all time, as far as a device can compare it with its own reports; None
    without such a limit.
    """

    model_id: str
    round: int
    dimension: int
    gradient_bound: float
    grid_exponent: int
    answer_probability: float
    question_probability: float
    questions: Tuple[Question, ...]
    statistics: Tuple[Statistic, ...]
    size: Optional[str]
    slope_bound: float
    limit_epsilon: Optional[float] = None
    limit_reports: Optional[int] = None

    @property
    def is_scouting(self) -> bool:
        return self.size is not None and self.question_probability >= 1


def size_of_linear(terms: Terms, features: Sequence[float], gradient: Sequence[float]) -> float:
    """The size of the gradient of a loss of one linear prediction <x, w>, as the clip of a round bounds it."""
    return terms.slope_bound * norm(features) if terms.size == "FEATURES" else norm(gradient)


@dataclass(frozen=True)
class Row:
    """A person's data at one round, with the label and the loss that the model names; a Participant."""

    snapshot: "Snapshot" = field(repr=False)
    label: Label = field(repr=False)
    x: List[float] = field(repr=False)
    target: float = field(repr=False)

    def row(self) -> List[float]:
        return [*self.x, self.target]

    def gradient(self) -> List[float]:
        return self.label.gradient(self.snapshot.weights, self.x, self.target)

    def size(self) -> float:
        return size_of_linear(self.snapshot.terms, self.x, self.gradient())

    def can_answer(self, question: Question) -> bool:
        return question.kind == "loss_above" or (question.kind == "accuracy" and self.label.loss.has_classes)

    def answer(self, question: Question) -> bool:
        predictions = self.label.predictions(self.snapshot.average, self.x)
        if question.kind == "accuracy":
            return self.label.loss.predicted(predictions) == self.target
        return self.label.loss.value(predictions, self.target) > (question.threshold or 0.0)


@dataclass(frozen=True)
class Snapshot:
    """One published state of a model.

    weights: where to evaluate the next gradient. average: what to predict with. described: the features in
    Protobuf. predicts: the label and the loss in Protobuf; None if the spec doesn't name them. average_round: the
    earlier round whose average this is, since an operator rolled the model back; None if it is the newest one.
    """

    terms: Terms
    weights: List[float] = field(repr=False)
    average: List[float] = field(repr=False)
    published_at_ms: int
    described: Tuple[Any, ...] = field(default=(), repr=False)
    predicts: Any = field(default=None, repr=False)
    average_round: Optional[int] = None

    def participant(self, row: Mapping[str, Any], features: Optional[Features] = None) -> Row:
        """A person's data at this round with the label and the loss that the spec names, for take_part().

        row: by name of the feature, and by the name of the label: a bool with the logistic and the hinge loss, one
        of the classes with softmax, a number with the others. features: with the encoders of this program; by
        default self.features. ValueError, without the value, if one is missing or not of its kind; CroupierError
        if the spec has no predicts.
        """
        features = self.features if features is None else features
        label = self._label(features)
        require(
            self.terms.size != "FEATURES" or label.loss.has_bounded_slope, "slope of the loss", "unbounded",
            "bounded: the model's clip bounds features")
        values = features.vector(row, label.feature)
        return Row(self, label, values[:features.size], label.target(values[features.size:]))

    def predict(self, row: Mapping[str, Any], features: Optional[Features] = None) -> Union[float, bool, str]:
        """What the average predicts.

        With the logistic loss the probability of true, with the hinge loss a bool, with softmax the most probable
        class, otherwise a number in the range of the label. Raises as participant().
        """
        features = self.features if features is None else features
        label = self._label(features)
        return label.predicted(label.predictions(self.average, features.vector(row)))

    def _label(self, features: Features) -> Label:
        require(
            features.is_of(self.described), "features", "those of another model",
            f"made from those of a snapshot of model {self.model_id}")
        if self.predicts is None:
            raise CroupierError(
                f"the spec of model {self.model_id} has no predicts; it must name a label and a loss, or this program "
                "compute gradients of a loss of its own")
        label = Label(self.predicts)
        _require(
            label.loss.scores * features.size == self.terms.dimension,
            f"the features make {features.size} values for each of {label.loss.scores} predictions; there are "
            f"{self.terms.dimension} weights")
        return label

    @property
    def features(self) -> Features:
        """How a row becomes a vector; CroupierError if this version doesn't know a feature's kind."""
        features, dimension = Features(self.described), self.terms.dimension
        _require(
            not self.described or dimension % features.size == 0,
            f"the features make {features.size} values; there are {dimension} weights")
        return features

    @property
    def model_id(self) -> str:
        return self.terms.model_id

    @property
    def round(self) -> int:
        return self.terms.round

    @staticmethod
    def parse(update: bytes) -> "Snapshot":
        """Reads a ModelUpdate in Protobuf; CroupierError if it lacks a value, or one is out of range."""
        try:
            message = records.ModelUpdate.FromString(update)
        except Exception as error:  # The runtime's releases raise different classes.
            raise CroupierError("not a usable ModelUpdate: it is no Protobuf") from error
        _require(NAME.fullmatch(message.model_id) is not None, "model_id is missing")
        _require(message.HasField("round") and message.round >= 0, "round is missing or negative")
        weights, average = list(message.weights), list(message.average)
        is_alone = not message.HasField("gradient_bound") and len(message.statistics) > 0
        for name, vector in (("weights", weights), ("average", average)):
            _require((len(vector) == 0) == is_alone, f"{name} is missing, or given without gradient_bound")
            _require(all(map(math.isfinite, vector)), f"{name} has a value that is not finite")
        _require(len(average) == len(weights), "average and weights differ in length")
        return Snapshot(
            _terms(message, len(weights)), weights, average, message.published_at_ms, tuple(message.features),
            message.predicts if message.HasField("predicts") else None,
            message.average_round if message.HasField("average_round") else None)


def grid_exponent_of(bound: float) -> int:
    """floor(log2 bound) - 16, of a positive number."""
    return math.frexp(bound)[1] - 1 - 16


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise CroupierError(f"not a usable ModelUpdate: {otherwise}")


def _question(question: Any) -> Question:
    _require(NAME.fullmatch(question.name) is not None, "a question has no valid name")
    kind = question.WhichOneof("kind") or "unknown"
    return Question(question.name, kind, question.loss_above.threshold if kind == "loss_above" else None)


def _statistic(estimate: Any) -> Statistic:
    statistic = estimate.statistic
    _require(NAME.fullmatch(statistic.name) is not None, "a statistic has no valid name")
    if statistic.WhichOneof("kind") == "quantiles":
        _require(
            estimate.HasField("threshold") and math.isfinite(estimate.threshold),
            "a statistic of quantiles has no threshold")
        return Statistic(statistic.name, "quantiles", threshold=estimate.threshold)
    if statistic.WhichOneof("kind") == "prefixes":
        kind, listed = statistic.prefixes, estimate.texts
        _require(listed.prefixes[:1] == [""], "a statistic of prefixes has no empty prefix")
        return Statistic(statistic.name, "prefixes", texts=TextCandidates(
            letters_of(kind.alphabet), kind.length, kind.top, tuple(listed.prefixes), tuple(listed.texts)))
    if statistic.WhichOneof("kind") != "choice":
        return Statistic(statistic.name, "unknown")
    categories = tuple(statistic.choice.categories)
    _require(len(categories) >= 2, "a choice has fewer than 2 categories")
    return Statistic(statistic.name, "choice", categories)


def _terms(update: Any, dimension: int) -> Terms:
    bound = update.gradient_bound
    _require(dimension == 0 or 0 < bound < math.inf, "gradient_bound is missing, or not positive and finite")
    _require(dimension == 0 or update.HasField("grid_exponent"), "grid_exponent is missing")
    questions = tuple(_question(estimate.question) for estimate in update.estimates)
    statistics = tuple(_statistic(estimate) for estimate in update.statistics)
    size = SIZES.get(update.size, "UNKNOWN") if update.HasField("size") else None
    answers = update.answer_probability if update.HasField("answer_probability") else 1.0
    is_asking = questions or statistics or size is not None
    asks = update.question_probability if is_asking else 0.0
    _require(0 <= answers <= 1, "answer_probability is not from 0 to 1")
    _require(0 <= asks <= 1, "question_probability is not from 0 to 1")
    _require(dimension > 0 or asks == 1, "question_probability is not 1, without weights")
    slope = update.slope_bound if size == "FEATURES" else 0.0
    _require(size != "FEATURES" or 0 < slope < math.inf, "slope_bound is missing, with size FEATURES")
    _require(
        size is None or update.grid_exponent == grid_exponent_of(bound),
        "grid_exponent isn't that of gradient_bound")
    return Terms(
        update.model_id, update.round, dimension, bound, update.grid_exponent, answers, asks, questions,
        statistics, size, slope, *_limits(update.limits))


def _limits(limits: Any) -> Tuple[Optional[float], Optional[int]]:
    is_for_life = not limits.HasField("per_days")
    # With a delta, the sum of epsilons may exceed the epsilon that the job computes.
    has_epsilon = is_for_life and limits.HasField("epsilon") and not limits.HasField("delta")
    has_reports = is_for_life and limits.HasField("reports")
    _require(not has_epsilon or limits.epsilon > 0, "limits.epsilon is not above 0")
    _require(not has_reports or limits.reports > 0, "limits.reports is not above 0")
    return (
        limits.epsilon if has_epsilon and limits.epsilon < math.inf else None,
        limits.reports if has_reports else None)
