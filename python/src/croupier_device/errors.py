"""What can go wrong. No message contains a gradient, noise, a token or a person."""


class CroupierError(Exception):
    """Base of all errors of this package."""


class LimitReachedError(CroupierError):
    """The report would exceed the person's limit. No noise was drawn."""


class NotChosenError(CroupierError):
    """This device doesn't answer the round in that way, or has reported it before. Nothing was spent."""


class LedgerBusyError(CroupierError):
    """Another process, or another object of this one, has the ledger open."""


class LedgerError(CroupierError):
    """The ledger can't be read or written. Nothing is drawn with it until it is opened again."""


class RefusedError(CroupierError):
    """The same bytes will never be accepted. The report stays charged, and isn't sent again."""


class GatewayError(CroupierError):
    """A gateway refused a request for now, or didn't answer it. A report of it stays pending.

    status: the HTTP status; 0 without an answer.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


def require(condition: bool, name: str, value: object, right: str) -> None:
    """Raises a ValueError that names the value and what would be right."""
    if not condition:
        raise ValueError(f"{name} is {value}; it must be {right}")
