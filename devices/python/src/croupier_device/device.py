"""One person's device: decides what to do in a round, draws one report, and sends it."""
import json
import logging
import math
import struct
import time
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Sequence

from . import records
from .errors import CroupierError, JobRefusedError, NotChosenError, RefusedError, require, require_type
from .features import number_or_nan
from .gateway import Gateway, Transport
from .ledger import Data, Decision, Ledger, StoredReport
from .randomisers import HashedResponse, PrivUnit, RandomisedResponse
from .snapshot import Question, Snapshot, Statistic, Terms

LOG = logging.getLogger("croupier_device")

# A finer stamp would bound the device's computing time, which may depend on the gradient.
STAMP_MS = 3_600_000

# A device asks for the account before a report, at most once a minute, and once for each report.
ACCOUNT_PAUSE = 60.0
ACCOUNT_TIMEOUT = 15.0

# How long a refused report stops a device; then it tries once more.
REFUSED_MS = 86_400_000


class Participant(Protocol):
    """A person's data, for one published round of a model. No method is called that the round doesn't need."""

    def row(self) -> Sequence[float]:
        """All numbers of the data, label included: by them the ledger recognises data that it has reported.

        Called unless the data have a key.
        """

    def gradient(self) -> Sequence[float]:
        """The gradient of the person's loss at the weights of the round: d numbers."""

    def size(self) -> float:
        """The size of the gradient as the model's clip bounds it; called only if the clip moves."""

    def can_answer(self, question: Question) -> bool:
        """Whether the data can answer a question; must not depend on their values."""

    def answer(self, question: Question) -> bool:
        """The true answer to a question, about the average of the round."""


@dataclass(frozen=True)
class Sent:
    """A report that was acknowledged. kind: 'gradient', 'size', 'question' or 'statistic'. report: what it is."""

    kind: str
    sequence: int
    epsilon: float
    report: bytes = field(repr=False)


def is_above(size: float, clip: float) -> bool:
    """Whether a size is above the clip. One that is no number of at least 0 counts as infinite."""
    return not 0 <= size <= clip


def scaled(gradient: Sequence[float], size: float, clip: float) -> List[float]:
    """The gradient times min(1, clip / size)."""
    if not is_above(size, clip):
        return list(gradient)
    factor = clip / size if size > clip else 0.0
    return [factor * value for value in gradient]


class Device:
    """One person's device.

    Each report is charged and stored before it is sent, and sent until it is acknowledged, the same
    bytes, also after a crash. While an earlier report can't be delivered, none is drawn.

    ledger: the person's account, which belongs to this device. transport: a Gateway, or another
    Transport. epsilon: what each report spends, from 1e-9 to 16. release_delay: how many seconds after
    the beginning of a release its report is sent; if the draw takes longer, it is sent at the next whole
    multiple.
    """

    def __init__(self, ledger: Ledger, transport: Transport, epsilon: float, *,
                 release_delay: float = 0.0) -> None:
        require(isinstance(ledger, Ledger), "ledger", f"of the type {type(ledger).__name__}", "a Ledger")
        require_type(release_delay, Real, "release_delay", "a number of seconds")
        require(0 <= release_delay < math.inf, "release_delay", release_delay, "a number of at least 0")
        self._ledger = ledger
        self._transport = transport
        self._bits = RandomisedResponse(epsilon)
        self._account: Optional[Dict[str, Any]] = None
        self._asked_for, self._ask_at = -1, -math.inf
        self._release_delay = release_delay
        self.epsilon = self._bits.epsilon

    def decide(self, snapshot: Snapshot) -> Decision:
        """What this device does in the round of a snapshot, decided once."""
        return self._ledger.decide(snapshot.terms)

    def take_part(self, snapshot: Snapshot, participant: Optional[Participant],
                  categories: Mapping[str, object] = MappingProxyType({}), *, key: Optional[str] = None,
                  times: int = 1) -> Optional[Sent]:
        """Does in a round what it asks for: reports a gradient, or one randomised bit, or a category.

        The same data are reported to a model once, in whichever form a round asks for them: each further report
        would cost epsilon again. Sends reports that are still pending, and raises AlreadyReportedError, if they
        were reported before.

        participant: None for a model of statistics alone, which has no learner.
        categories: the person's category, number or text in each statistic that this program knows, by the
        statistic's name; a value that is none of the categories, None for instance, counts as the last of
        them; where a number is asked for, what is none counts as the lower end of the range; where a text is,
        what is none of the alphabet as the empty text. Without a key, a value is a text, a number, a bool or None.
        key: of the data, such as a day or a version, in 1 to 256 bytes; data of another key are other data. By
        default the numbers of participant.row() and the categories. times: how often the data may be reported.

        Returns None if this device isn't chosen in that round, has reported it before, or is asked a
        question or for a statistic that its data can't answer, or for which its limit leaves nothing. Raises as report().
        """
        terms, decision = snapshot.terms, self.decide(snapshot)
        if participant is None:
            require(terms.dimension == 0, "participant", "None", "the person's data: the model has a learner")
        data = _data(participant, categories, times) if key is None else Data.keyed(key, times)
        self.resend()
        self._ledger.require_unreported(terms.model_id, data)
        if decision.kind == "none" or self._ledger.has_reported(terms.model_id, terms.round):
            return None
        if decision.kind == "gradient":
            gradient = participant.gradient()
            return self.report(snapshot, gradient, None if terms.size is None else participant.size(), data=data)
        if not self._ledger.admits_answer(self._bits.epsilon_nanos):
            return None
        if decision.statistic is not None:
            if decision.statistic.kind == "unknown" or decision.statistic.name not in categories:
                return None
            statistic, value = decision.statistic, categories[decision.statistic.name]
            if statistic.kind == "quantiles":
                return self._answer("statistic", terms, statistic.name, statistic.is_above(value), data)
            return self._vote(terms, statistic, value, data)
        if decision.question is None:
            _require_known_size(terms)
            return self._answer("size", terms, "clip", is_above(participant.size(), terms.gradient_bound), data)
        if not participant.can_answer(decision.question):
            return None
        truth = bool(participant.answer(decision.question))
        return self._answer("question", terms, decision.question.name, truth, data)

    def report(self, snapshot: Snapshot, gradient: Sequence[float], size: Optional[float] = None, *,
               data: Optional[Data] = None) -> Sent:
        """Clips and randomises a gradient, charges it, and sends it.

        gradient: d numbers, at the snapshot's weights; one that is not finite makes it zero. size: of
        the gradient, as a moving clip bounds it; required if that is 'FEATURES'. data: which data the gradient
        is of, so that they are reported no more often than they may be; None if the caller sees to that.

        Raises NotChosenError, AlreadyReportedError, LimitReachedError, JobRefusedError, LedgerError: no noise was
        drawn, or nothing is sent.
        Raises RefusedError if the report was refused, of which StoppedError is the one of a stopped person: it is
        spent. Raises any other error of the
        transport if it was not acknowledged: it is spent, and sent again before the next one.
        """
        terms = snapshot.terms
        _require_known_size(terms)
        require(terms.size != "FEATURES" or size is not None, "size", "missing", "given: the clip bounds features")
        require(len(gradient) == terms.dimension, "length of the gradient", len(gradient), str(terms.dimension))
        if self._ledger.decide(terms).kind != "gradient":
            raise NotChosenError(
                f"this device doesn't answer round {terms.round} of model {terms.model_id} by a gradient")
        randomiser = PrivUnit(terms.dimension, self.epsilon)
        values = [number_or_nan(value) for value in gradient]
        if terms.size is not None and size is not None:
            values = scaled(values, size, terms.gradient_bound)

        def draw(report: Any) -> None:
            if terms.size is not None:
                report.gradient_bound = terms.gradient_bound
            choice = randomiser.choose(values, terms.gradient_bound)
            report.candidate.dimension = terms.dimension
            report.candidate.seed = choice.seed
            report.candidate.index = choice.index
            report.priv_unit.epsilon = randomiser.epsilon
            report.priv_unit.candidates = randomiser.candidates
            report.priv_unit.top = randomiser.top

        return self._release("gradient", terms, draw, data)

    def _vote(self, terms: Terms, statistic: Statistic, category: object, data: Optional[Data]) -> Sent:
        """Reports the person's category or text."""
        randomiser = HashedResponse(self.epsilon, statistic.candidates)
        index = statistic.category(category)

        def draw(report: Any) -> None:
            group = randomiser.release(index)
            report.vote.statistic = statistic.name
            if group.seed is not None:
                report.vote.seed = group.seed
            report.vote.index = group.index
            report.hashed_response.epsilon = randomiser.epsilon
            report.hashed_response.groups = randomiser.groups

        return self._release("statistic", terms, draw, data)

    def _answer(self, kind: str, terms: Terms, question: str, truth: bool, data: Optional[Data]) -> Sent:
        def draw(report: Any) -> None:
            report.answer.question = question
            report.answer.bit = self._bits.release(truth)
            report.randomised_response.epsilon = self._bits.epsilon

        return self._release(kind, terms, draw, data)

    def account(self) -> Dict[str, Any]:
        """What the job has charged this person, over all devices, and what it refused; see Gateway.account()."""
        if not isinstance(self._transport, Gateway):
            raise CroupierError("no account can be had over this transport; it must be a Gateway")
        return self._transport.account()

    def _require_admission(self, terms: Terms) -> None:
        """Raises JobRefusedError if the job would refuse a report, as far as is known.

        Before the first report of a device nothing is asked; without an answer the device reports.
        """
        last = self._ledger.spent().reports - 1
        if last < 0 or not isinstance(self._transport, Gateway):
            return
        account = self._account if self._asked_for == last else None
        reason = None if account is None else self._reason(account, terms, last)
        is_known = account is not None and any(
            d["deviceId"] == self._ledger.device_id and d["highestSequence"] >= last for d in account["devices"])
        now = time.monotonic()
        if (reason is not None or not is_known) and now >= self._ask_at:
            self._ask_at, self._asked_for = now + ACCOUNT_PAUSE, last
            try:
                self._account = account = self._transport.account(ACCOUNT_TIMEOUT)
            except CroupierError as error:
                LOG.debug("the job's account can't be had: %s", error)
                self._account = account = None
            reason = None if account is None else self._reason(account, terms, last)
        if account is not None and reason is not None:
            raise JobRefusedError(reason, account)

    def _reason(self, account: Dict[str, Any], terms: Terms, last: int) -> Optional[str]:
        if account.get("stopped"):
            return "the person is stopped: the job and its gateways take no report"
        end = self._ledger.spent().reports - 1
        for device in account["devices"]:
            if device["deviceId"] == self._ledger.device_id and device["highestSequence"] > end:
                return (
                    f"the job has judged report {device['highestSequence']} of this device, and its ledger ends with report {end}:"
                    " it is an older copy, or one of several, and lacks what was spent since; use the newest one, or a new"
                    " ledger with a limit lower by what the account shows as spent")
        on_model = [model for model in account["models"] if model["modelId"] == terms.model_id]
        lefts = [part["left"] for part in [account, *on_model] if "left" in part]
        # Whether what is left of these two kinds admits a report, the job alone knows.
        is_shown = bool(lefts) and not any("mu" in left or "epsilonAtDelta" in left for left in lefts)
        for refusal in account["refusals"]:
            outcome = refusal.get("outcome")
            # A wrong sequence number is the device's; any other reason is one model's, but for a stop, which the account
            # shows. A limit's lasts until enough is left.
            concerns = outcome == "REFUSED_SEQUENCE" or (
                refusal["modelId"] == terms.model_id and outcome != "REFUSED_STOPPED" and not (outcome == "REFUSED_BUDGET" and is_shown))
            if (concerns and refusal["deviceId"] == self._ledger.device_id and refusal["sequence"] == last
                    and account["asOfMs"] - refusal["appendedAtMs"] < REFUSED_MS):
                return f"the job refused this device's report {last}: {refusal['reason']}"
        for where, part in [("on all models", account)] + [(f"on model {terms.model_id}", m) for m in on_model]:
            if "left" in part and _is_short(part["left"], self._bits.epsilon_nanos):
                last_reason = next((
                    f"; the last was refused: {r['reason']}" for r in account["refusals"]
                    if r.get("outcome") == "REFUSED_BUDGET" and r["modelId"] == terms.model_id), "")
                return f"the job's limits {where} admit no report of this person now{last_reason}"
        return None

    def _release(self, kind: str, terms: Terms, draw: Callable[[Any], None], data: Optional[Data]) -> Sent:
        self.resend()
        self._require_admission(terms)
        begin = time.monotonic()

        def bytes_of(sequence: int) -> bytes:
            report = records.GradientReport(
                model_id=terms.model_id, round=terms.round, device_id=self._ledger.device_id,
                sequence=sequence, created_at_ms=int(time.time() * 1000) // STAMP_MS * STAMP_MS)
            if self._transport.names_user:
                report.user_id = self._ledger.person
            draw(report)
            written: bytes = report.SerializeToString(deterministic=True)
            return written

        stored = self._ledger.release(terms, self._bits.epsilon_nanos, kind != "gradient", bytes_of, data)
        if self._release_delay > 0:
            drawn = time.monotonic() - begin
            time.sleep(max(1, math.ceil(drawn / self._release_delay)) * self._release_delay - drawn)
        self._deliver(stored)
        return Sent(kind, stored.sequence, self.epsilon, stored.report)

    def resend(self) -> None:
        """Sends the reports that wait for an acknowledgement again, in the order of their numbers."""
        for stored in self._ledger.pending():
            try:
                self._deliver(stored)
            except RefusedError as error:
                LOG.warning("report %d of an earlier round was refused: %s", stored.sequence, error)

    def _deliver(self, stored: StoredReport) -> None:
        try:
            self._transport.send(self._ledger.person, stored.report)
        except RefusedError:
            self._ledger.settle(stored.sequence)
            raise
        self._ledger.settle(stored.sequence)


def _is_short(left: Dict[str, float], nanos: int) -> bool:
    """Whether a limit leaves too little for a report. One of another kind than epsilon stops only where nothing is left."""
    return (left.get("reports", 1) < 1 or left.get("epsilon", math.inf) * 1e9 < nanos - 0.5
            or left.get("mu", 1) == 0 or left.get("epsilonAtDelta", 1) == 0)


def _require_known_size(terms: Terms) -> None:
    require(terms.size != "UNKNOWN", "size", "one that this version doesn't know", "FEATURES or GRADIENT")


def _data(participant: Optional[Participant], categories: Mapping[str, object], times: int) -> Data:
    """Data that are recognised by their numbers, to the last bit, and by their categories."""
    row = [] if participant is None else [number_or_nan(value) for value in participant.row()]
    values = sorted((name, _in_json(name, value)) for name, value in categories.items())
    return Data.of(struct.pack(f">{len(row)}d", *row) + json.dumps(values).encode(), times)


def _in_json(name: str, value: object) -> object:
    """The same for the same category in every process; a number is an array, other than any text."""
    if value is None or isinstance(value, (str, bool)):
        return value
    is_number = isinstance(value, Real)
    require(is_number, f"category '{name}'", f"of the type {type(value).__name__}", "a text, a number, True, False or None")
    return [repr(number_or_nan(value))]
