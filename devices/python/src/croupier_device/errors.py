"""What can go wrong. No message contains a gradient, noise, a token or a person."""
from typing import Any, Dict, Optional


def visible(text: str) -> str:
    """The text in one line, without characters that a terminal obeys, or that show nothing."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class CroupierError(Exception):
    """Base of all errors of this package. A message may quote foreign text, such as names and answers."""

    def __init__(self, message: str) -> None:
        super().__init__(visible(message))


class LimitReachedError(CroupierError):
    """The report would exceed the person's limit, or the model's for a person. No noise was drawn."""


class AlreadyReportedError(CroupierError):
    """The same data were reported as often as they may be. Nothing was drawn, and nothing spent."""


class JobRefusedError(CroupierError):
    """The job refuses this person's reports, refused this device's last one, or has judged later ones than its ledger has.

    Nothing was spent. account: what the job answered; see Gateway.account().
    """

    def __init__(self, message: str, account: Dict[str, Any]) -> None:
        super().__init__(message)
        self.account = account


class NotChosenError(CroupierError):
    """This device doesn't answer the round in that way, or has reported it before. Nothing was spent."""


class LedgerBusyError(CroupierError):
    """Another process, or another object of this one, has the ledger open."""


class LedgerError(CroupierError):
    """The ledger can't be read or written. Nothing is drawn with it until it is opened again."""


class RefusedError(CroupierError):
    """The same bytes will never be accepted. The report stays charged, and isn't sent again."""


class StoppedError(RefusedError):
    """The person is stopped: the gateway takes nothing of them until an operator resumes them.

    Reports that waited are dropped as they are sent; what is charged stays charged.
    """


class GatewayError(CroupierError):
    """A gateway refused a request for now, or didn't answer it. A report of it stays pending.

    status: the HTTP status; 0 without an answer. is_final: whether the same bytes will never be accepted.
    is_temporary: whether the same request may succeed later. is_unknown_model: whether the gateway has not
    read the model. is_stop: whether the person is stopped. retry_after: how many seconds it asks to wait; None if it doesn't say.
    """

    def __init__(self, message: str, status: int = 0, *, is_final: bool = False, is_temporary: bool = True,
                 is_unknown_model: bool = False, is_stop: bool = False, retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.status = status
        self.is_final = is_final
        self.is_temporary = is_temporary
        self.is_unknown_model = is_unknown_model
        self.is_stop = is_stop
        self.retry_after = retry_after


def require(condition: bool, name: str, value: object, right: str) -> None:
    """Raises a ValueError that names the value and what would be right."""
    if not condition:
        raise ValueError(visible(f"{name} is {value}; it must be {right}"))


def require_type(value: object, kind: type, name: str, right: str) -> None:
    """Raises a ValueError that names the type of a value of another type; a bool is no number."""
    is_right = isinstance(value, kind) and not isinstance(value, bool)
    require(is_right, name, f"of the type {type(value).__name__}", right)
