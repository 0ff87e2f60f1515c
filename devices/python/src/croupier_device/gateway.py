"""The gateway's HTTP API, over the standard library."""
import http.client
import json
import logging
import random
import re
import ssl
import time
from email.utils import parsedate_to_datetime
from numbers import Real
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Protocol
from urllib.parse import urlsplit

from .errors import CroupierError, GatewayError, RefusedError, StoppedError, require, require_type
from .snapshot import NAME, Snapshot
from .version import VERSION

LOG = logging.getLogger("croupier_device")

PROTOBUF = "application/x-protobuf"
PROBLEM = "application/problem+json"
PROBLEM_TYPES = "urn:croupier:problem:"
LOOPBACK = re.compile(r"localhost|127(\.\d{1,3}){3}|::1", re.IGNORECASE)
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")

# Answers that concern the bytes of a report, so that the same bytes will never be accepted.
FINAL = {400, 409, 415, 422}

# Answers that a model is unknown, of which the last is believed: another gateway may have read it.
UNKNOWN = 6

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 30.0
LONGEST_RETRY = 3600.0
ANSWER = 30.0
POLL = 25
PAUSE = 1.0

# An update of 2^26 weights and as many averages, with space for the rest.
MOST_UPDATE = (1 << 30) + (1 << 24)
MOST_TEXT = 1 << 16


class Transport(Protocol):
    """How the reports of devices reach the job.

    names_user: whether reports contain the person's name; otherwise they must not, since the receiver
    finds out by itself who sends them.
    """

    names_user: bool

    def send(self, person: str, report: bytes) -> None:
        """Sends a report's bytes; returns when they are acknowledged.

        Raises RefusedError if the same bytes will never be accepted, and any other error if they may
        have arrived, or may be accepted later.
        """


class _Answer(NamedTuple):
    status: int
    headers: "http.client.HTTPMessage"
    body: bytes

    def problem(self) -> Optional[Dict[str, Any]]:
        """The problem document (RFC 9457), if it is one of a gateway."""
        if not self.headers.get("Content-Type", "").startswith(PROBLEM):
            return None
        try:
            problem = json.loads(self.body)
        except (ValueError, RecursionError):
            return None
        is_ours = isinstance(problem, dict) and str(problem.get("type", "")).startswith(PROBLEM_TYPES)
        return problem if is_ours else None

    def retry_after(self) -> Optional[float]:
        """Seconds, from a number or a date; None if the header is absent or can't be read."""
        header = self.headers.get("Retry-After", "").strip()
        if re.fullmatch(r"[0-9]+", header):
            # More digits than a double holds are a long time, too.
            return min(float(header), LONGEST_RETRY)
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        return min(max(0.0, seconds), LONGEST_RETRY)

    def failure(self) -> GatewayError:
        """What this answer means for the request."""
        status, problem, wait = self.status, self.problem(), self.retry_after()
        stated = (problem or {}).get("errors")
        errors = [e for e in stated if isinstance(e, dict)] if isinstance(stated, list) else []
        is_temporary = wait is not None or status in (408, 429) or status >= 500
        if problem is not None:
            sentences = [f"{e.get('field', '')}: {e.get('detail', '')}" for e in errors]
            reason = "; ".join(sentences) or str(problem.get("detail") or problem.get("title") or "no reason")
            reason = "".join(c if c.isprintable() else " " for c in reason)[:1000]
        elif status == 413:
            reason = "a server in front of the gateway takes no request as large as this"
        elif 300 <= status < 400:
            reason = "redirects are not followed; use the URL of the gateway itself"
        else:
            reason = "the answer is no problem document of a gateway; check the URL"
        is_stop = status == 403 and problem is not None and problem["type"] == PROBLEM_TYPES + "stopped"
        return GatewayError(
            f"the gateway answered {status}: {reason}", status, is_stop=is_stop,
            is_final=not is_temporary and (status == 413 or is_stop or (problem is not None and status in FINAL)),
            is_temporary=is_temporary,
            is_unknown_model=status == 404 and not is_temporary and bool(errors),
            retry_after=wait)


def _pause(failures: int, failure: GatewayError) -> float:
    """Doubled each time, of which a random half is left out, so that devices spread; at least Retry-After."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(failures, 10))
    return max(failure.retry_after or 0.0, longest * (0.5 + random.random() / 2))


def _is_outdated(snapshot: Snapshot, newest: Snapshot) -> bool:
    """Whether an update is of a gateway that lags behind another one. A model that starts again publishes later."""
    return snapshot.round < newest.round and snapshot.published_at_ms < newest.published_at_ms


def _log_retry(failure: GatewayError, seconds: float) -> None:
    LOG.warning("%s; trying again in %.1f s", failure, seconds)


def _numbers(value: Any, key: str = "") -> Any:
    """An account in Protobuf's JSON mapping, in which some numbers are texts."""
    if isinstance(value, dict):
        return {name: _numbers(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_numbers(part) for part in value]
    if isinstance(value, str) and key not in ("modelId", "deviceId", "outcome", "reason"):
        return int(value) if value.isdecimal() else float(value)
    return value


def _has(part: Any, kind: type, *names: str) -> bool:
    return isinstance(part, dict) and all(
        isinstance(part.get(name), kind) and not isinstance(part.get(name), bool) for name in names)


def _is_left(part: Dict[str, Any]) -> bool:
    return "left" not in part or (isinstance(part["left"], dict) and _has(part["left"], Real, *part["left"]))


def _is_account(account: Dict[str, Any]) -> bool:
    """Whether an account has what a device reads of it."""
    lists = [account[name] for name in ("models", "devices", "refusals")]
    return (
        isinstance(account.get("spent"), dict) and _has(account, Real, "asOfMs") and _is_left(account)
        and all(isinstance(parts, list) for parts in lists)
        and all(_has(model, str, "modelId") and _is_left(model) for model in lists[0])
        and all(_has(device, str, "deviceId") and _has(device, Real, "highestSequence") for device in lists[1])
        and all(_has(refusal, str, "modelId", "deviceId", "reason") and _has(refusal, Real, "sequence", "appendedAtMs")
                for refusal in lists[2]))


class Gateway:
    """A gateway: follows models, and takes reports under the person's bearer token.

    url: base of the API, without /v1: https, or http on this machine's loopback interface. token:
    returns the person's token; called before the first report, and once more after an answer of 401.
    tls: certificates that are trusted; by default those of the operating system, and never none.
    patience: for how many seconds one call of send() repeats the same bytes.
    """

    names_user = False

    def __init__(self, url: str, token: Optional[Callable[[], str]] = None, *,
                 tls: Optional[ssl.SSLContext] = None, patience: float = 120.0) -> None:
        right = "https, or http on this machine, with a host and, perhaps, a port and a path"
        require_type(url, str, "url", right)
        require(token is None or callable(token), "token", f"of the type {type(token).__name__}",
                "a function that returns the bearer token, such as lambda: token")
        require_type(patience, Real, "patience", "a number of seconds")
        try:
            parts, port = urlsplit(url), urlsplit(url).port
        except ValueError as error:
            raise ValueError(f"url is {url}; it must be {right}: {error}") from None
        host = parts.hostname or ""
        is_safe = parts.scheme == "https" or (
            parts.scheme == "http" and LOOPBACK.fullmatch(host) is not None)
        require(
            is_safe and host != "" and "@" not in parts.netloc and parts.query == "" and parts.fragment == "",
            "url", url, right)
        require(
            tls is None or (tls.verify_mode == ssl.CERT_REQUIRED and tls.check_hostname), "tls",
            "a context that verifies nothing", "one that verifies certificates and names")
        self._host, self._port, self._path = host, port, parts.path.rstrip("/")
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._token = token
        self._known_token: Optional[str] = None
        self._patience = patience

    def newest(self, model_id: str) -> Snapshot:
        """The newest committed update of a model; GatewayError if there is none, or no answer."""
        answer = self._request("GET", self._model(model_id), {"Accept": PROTOBUF}, ANSWER)
        if answer.status != 200:
            raise answer.failure()
        return self._parse(model_id, answer.body)

    def follow(self, model_id: str, wait: int = POLL, *,
               on_retry: Callable[[GatewayError, float], None] = _log_retry) -> Iterator[Snapshot]:
        """The updates of a model by long polls of `wait` seconds: the newest one, then each newer one.

        While the gateway is away, waits and tries again. on_retry: called before each such wait with the reason
        and the seconds; by default, the log `croupier_device` has both as a warning. Raises GatewayError if the gateway refuses, as
        for a model that isn't published, or is retired.
        """
        path = self._model(model_id)
        newest: Optional[Snapshot] = None
        tag: Optional[str] = None
        failures = 0
        while True:
            query = "" if newest is None else f"?after={newest.round}&wait={wait}"
            headers = {"Accept": PROTOBUF, **({} if tag is None else {"If-None-Match": tag})}
            try:
                answer = self._request("GET", path + query, headers, ANSWER + wait)
                if answer.status not in (200, 204, 304):
                    raise answer.failure()
            except GatewayError as failure:
                if not failure.is_temporary:
                    raise
                pause = _pause(failures, failure)
                on_retry(failure, pause)
                time.sleep(pause)
                failures += 1
                continue
            failures = 0
            newer = answer.headers.get("ETag") if answer.status == 200 else tag
            snapshot = self._parse(model_id, answer.body) if answer.status == 200 else None
            # A model that started again may have the same round with another tag.
            if snapshot is not None and (
                    newest is None or (not _is_outdated(snapshot, newest) and (snapshot.round != newest.round or newer != tag))):
                newest, tag = snapshot, newer
                yield snapshot
            else:
                # Gateways that don't wait, or disagree, must not be asked without a pause.
                time.sleep(PAUSE)

    @staticmethod
    def _model(model_id: str) -> str:
        require_type(model_id, str, "model_id", "a text")
        require(
            NAME.fullmatch(model_id) is not None and model_id not in (".", ".."), "model_id", model_id,
            "1 to 100 letters, digits, '.', '_' or '-', and neither '.' nor '..'")
        return f"/v1/models/{model_id}"

    @staticmethod
    def _parse(model_id: str, body: bytes) -> Snapshot:
        try:
            snapshot = Snapshot.parse(body)
        except CroupierError as error:
            raise GatewayError(f"the gateway's answer can't be read: {error}", 200) from error
        if snapshot.model_id != model_id:
            raise GatewayError("the gateway answered with another model", 200)
        return snapshot

    def send(self, person: str, report: bytes) -> None:
        """Sends a report's bytes, and the same bytes again while the gateway can't take them; see Transport."""
        end = time.monotonic() + self._patience
        failures = unknown = 0
        while True:
            try:
                self._post(report)
                return
            except GatewayError as failure:
                unknown += failure.is_unknown_model
                if failure.is_final or unknown >= UNKNOWN:
                    raise (StoppedError if failure.is_stop else RefusedError)(str(failure)) from None
                pause = _pause(failures, failure)
                may_pass = failure.is_temporary or failure.is_unknown_model
                if not may_pass or time.monotonic() + pause > end:
                    failure.args = (f"{failure}; the report is charged and kept, and sent again before the next one",)
                    raise
                failures += 1
                time.sleep(pause)

    def account(self, seconds: float = ANSWER) -> Dict[str, Any]:
        """The job's account of the person whose token it is: what is spent and left, and which reports were refused.

        The names are those of docs/run/gateway-api.md. The job answers with its next checkpoint; GatewayError if it
        doesn't within `seconds`.
        """
        answer = self._with_token("GET", "/v1/account", {"Accept": f"application/json, {PROBLEM}"}, seconds, 200)
        try:
            account = {"erased": False, "stopped": False, "models": [], "devices": [], "refusals": [], **_numbers(json.loads(answer.body))}
            if not _is_account(account):
                raise ValueError("no account")
        except (ValueError, TypeError, RecursionError) as error:
            raise GatewayError("the gateway's answer is no account", 200) from error
        return account

    def _post(self, report: bytes) -> None:
        """Sends a report once."""
        self._with_token("POST", "/v1/reports", {"Content-Type": PROTOBUF, "Accept": PROBLEM}, ANSWER, 202, report)

    def _with_token(self, method: str, path: str, headers: Dict[str, str], seconds: float, success: int,
                    body: Optional[bytes] = None) -> _Answer:
        """One request under the person's token; if that is refused, once more with a newer one."""
        def request(token: str) -> _Answer:
            return self._request(method, path, {"Authorization": "Bearer " + token, **headers}, seconds, body)

        used = self._known_token or self._new_token()
        answer = request(used)
        if answer.status == 401:
            self._known_token = None
            newer = self._new_token()
            if newer != used:
                used, answer = newer, request(newer)
        if answer.status != success:
            raise answer.failure()
        self._known_token = used
        return answer

    def _new_token(self) -> str:
        if self._token is None:
            raise CroupierError("the gateway has no token to report with; give one: Gateway(url, token=lambda: ...)")
        token = self._token()
        if not isinstance(token, str) or TOKEN.fullmatch(token) is None:
            raise CroupierError("the token is empty or has a wrong form; it must be a bearer token, without 'Bearer'")
        return token

    def _request(self, method: str, path: str, headers: Dict[str, str], seconds: float,
                 body: Optional[bytes] = None) -> _Answer:
        """One request on a connection of its own; an answer of any status. Follows no redirect."""
        end = time.monotonic() + seconds
        connection: http.client.HTTPConnection
        if self._tls is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        else:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=seconds, context=self._tls)
        try:
            connection.request(method, self._path + path, body, {"Croupier-Client": f"python/{VERSION}", **headers})
            response = connection.getresponse()
            most = MOST_UPDATE if response.status == 200 else MOST_TEXT
            parts, size = [], 0
            while True:
                part = response.read1(MOST_TEXT)
                if not part:
                    break
                parts.append(part)
                size += len(part)
                if size > most:
                    raise GatewayError(f"the gateway's answer has more than {most} bytes", response.status,
                                       is_temporary=response.status != 200)
                if time.monotonic() > end:
                    raise TimeoutError("the answer takes too long")
            if response.length not in (None, 0):
                raise http.client.IncompleteRead(b"")
            return _Answer(response.status, response.headers, b"".join(parts))
        except ssl.SSLCertVerificationError as error:
            raise GatewayError(
                f"the gateway {self._host} can't be trusted: {error.verify_message}") from error
        except (OSError, http.client.HTTPException) as error:
            raise GatewayError(
                f"the gateway {self._host} can't be reached: {type(error).__name__} {error}") from error
        finally:
            connection.close()
