"""What one person has spent from this device, and the reports that are not settled yet."""
import hmac
import math
import os
import secrets
import sqlite3
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from numbers import Real
from typing import Callable, Iterator, List, Optional, Tuple

from .errors import (
    AlreadyReportedError, CroupierError, LedgerBusyError, LedgerError, LimitReachedError, NotChosenError, require,
    require_type)
from .randomisers import NANOS, nanos_of
from .snapshot import Question, Statistic, Terms

# The job recognises a resend among a device's newest 64 sequence numbers.
WINDOW = 64

# Newest reported rounds of a model that the ledger keeps. Far older ones are those of a model that
# began again.
MOST_ROUNDS = 1024
SECRET_BYTES = 32

# The largest number in the file. It stands for every larger sum, and exceeds every limit.
MOST_NANOS = 2**63 - 1

# "crou", by which SQLite's file is recognised, and the version of its tables.
APPLICATION_ID = 0x63726F75
VERSION = 2
VERSION_WITHOUT_DATA = 1

# The first bytes of an HMAC, by which data that were reported are recognised.
DIGEST_BYTES = 16
MOST_KEY_BYTES = 256

DATA_TABLE = "CREATE TABLE data (digest BLOB PRIMARY KEY, reports INTEGER NOT NULL) WITHOUT ROWID"
# A release without this table may have written to the file, so it may contain less than was spent on a model.
MODELS_TABLE = """CREATE TABLE IF NOT EXISTS models (
  model_id TEXT PRIMARY KEY, reports INTEGER NOT NULL, epsilon_nanos INTEGER NOT NULL) WITHOUT ROWID"""
TABLES = """
CREATE TABLE device (
  person TEXT NOT NULL, device_id TEXT NOT NULL, secret BLOB NOT NULL,
  reports INTEGER NOT NULL, epsilon_nanos INTEGER NOT NULL);
CREATE TABLE rounds (
  model_id TEXT NOT NULL, round INTEGER NOT NULL, sequence INTEGER NOT NULL,
  PRIMARY KEY (model_id, round)) WITHOUT ROWID;
CREATE TABLE pending (sequence INTEGER PRIMARY KEY, report BLOB NOT NULL);
""" + DATA_TABLE + ";"


@dataclass(frozen=True)
class Limit:
    """The most that a person spends from this device. It isn't stored: state it at every opening.

    epsilon: largest sum of epsilon. reports: largest number of reports. None is no limit. answers: the
    share of both, from 0 to 1, up to which this device answers questions.
    """

    epsilon: Optional[float] = None
    reports: Optional[int] = None
    answers: float = 1.0

    def __post_init__(self) -> None:
        for name, kind, value in (("epsilon", Real, self.epsilon), ("reports", int, self.reports),
                                  ("answers", Real, self.answers)):
            if value is not None or name == "answers":
                require_type(value, kind, f"{name} of the limit", "a number")
        require(
            self.epsilon is None or 0 <= self.epsilon < math.inf, "epsilon of the limit", self.epsilon,
            "None, or finite and at least 0")
        require(
            self.reports is None or self.reports >= 0, "reports of the limit", self.reports,
            "None, or at least 0")
        require(0 <= self.answers <= 1, "answers of the limit", self.answers, "from 0 to 1")

    def is_within(self, spent: "Spent", share: float) -> bool:
        """Whether a spend is within a share of the limit."""
        if self.reports is not None and spent.reports > _share_of(self.reports, share):
            return False
        if share == 0:
            return spent.reports == 0
        if self.epsilon is None:
            return True
        nanos = nanos_of(self.epsilon)
        return spent.epsilon_nanos <= _share_of(nanos, share) and spent.epsilon_nanos < MOST_NANOS


def _share_of(units: int, share: float) -> int:
    """A share, from 0 to 1, of a number, rounded down; the number may be larger than any float."""
    return units * nanos_of(share) // NANOS


@dataclass(frozen=True)
class Spent:
    """How many reports a device has released, and the sum of their epsilons in units of 1e-9."""

    reports: int
    epsilon_nanos: int

    @property
    def epsilon(self) -> str:
        """The sum, in decimals; the least that it may be, if it is more than the file can contain."""
        whole, fraction = divmod(self.epsilon_nanos, NANOS)
        return f"{whole}.{fraction:09d}".rstrip("0").rstrip(".")

    def plus(self, nanos: int) -> "Spent":
        return Spent(self.reports + 1, min(self.epsilon_nanos + nanos, MOST_NANOS))


@dataclass(frozen=True)
class StoredReport:
    """A charged report: its number, and the bytes that are sent, whenever they are sent."""

    sequence: int
    report: bytes = field(repr=False)


@dataclass(frozen=True)
class Data:
    """The data that a report is about, as the ledger recognises them, and how often they may be reported.

    Each key of a model is of other data: a day, a version, or the numbers of a row.
    """

    key: bytes = field(repr=False)
    is_given: bool
    times: int = 1

    @staticmethod
    def keyed(key: str, times: int = 1) -> "Data":
        """Data that their owner names, by 1 to 256 bytes of text."""
        require_type(key, str, "key", "a text: the day or the version of the data")
        encoded = key.encode(errors="surrogatepass")
        require(1 <= len(encoded) <= MOST_KEY_BYTES, "length of the key", len(encoded), f"1 to {MOST_KEY_BYTES} bytes")
        return Data(encoded, True, Data._times(times))

    @staticmethod
    def of(values: bytes, times: int = 1) -> "Data":
        """Data that are recognised by their own bytes."""
        return Data(values, False, Data._times(times))

    @staticmethod
    def _times(times: int) -> int:
        require_type(times, int, "times", "a whole number of at least 1")
        require(times >= 1, "times", times, "a whole number of at least 1")
        return times


@dataclass(frozen=True)
class Decision:
    """What a device does in a round: 'none', 'gradient', 'size', 'question' or 'statistic', and which."""

    kind: str
    question: Optional[Question] = None
    statistic: Optional[Statistic] = None


class Ledger:
    """One person's account, in a file of SQLite that its owner alone can read.

    A report's charge and its bytes are written in one transaction, which is forced to the disk before
    the report is returned. So, whenever the process ends: every report that may have been sent is
    charged; its bytes stay the same until it is settled; its number is used for no other report; the same
    data are never reported more often than they may be; and none of the last 1,024 reported rounds of a model
    is reported twice. While a ledger is open, it is locked: no other process,
    and no other object of this one, can open it.

    path: the file; its folder must exist. person: the name by which reports over Kafka name the
    person; over a gateway it stays on this device. A ledger belongs to one person.
    """

    def __init__(self, path: "os.PathLike[str] | str", person: str, limit: Limit) -> None:
        require_type(person, str, "person", "a text")
        require(person != "", "person", "empty", "a text that is not empty")
        require(isinstance(limit, Limit), "limit", f"of the type {type(limit).__name__}", "a Limit, as Limit(epsilon=20)")
        require(isinstance(path, (str, os.PathLike)), "path", f"of the type {type(path).__name__}", "a text or a path")
        self.limit = limit
        self.person = person
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._database: Optional[sqlite3.Connection] = None
        try:
            # SQLite gives names such as ':memory:' and 'file:x' a meaning of their own; a full path has none.
            path = os.path.realpath(path)
            # An existing file isn't opened here: closing it would end the lock of another object of this process.
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            # Autocommit: every transaction is begun and ended below.
            self._database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            self.device_id, self._secret = self._open(self._database)
        except (OSError, ValueError, sqlite3.Error, LedgerError) as error:
            self.close()
            if isinstance(error, LedgerError):
                raise
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise LedgerBusyError(f"the ledger {path} is open already; close it there") from None
            raise LedgerError(f"the ledger {path} can't be opened: {error}") from error

    def _open(self, database: sqlite3.Connection) -> Tuple[str, bytes]:
        # The lock is taken with the first transaction, and kept until the file is closed.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Every commit is forced to the disk, with the folder that names its journal.
        database.execute("PRAGMA synchronous = EXTRA")
        database.execute("BEGIN EXCLUSIVE")
        application = database.execute("PRAGMA application_id").fetchone()[0]
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application == 0 and version == 0 and tables == 0:
            for table in TABLES.split(";")[:-1]:
                database.execute(table)
            database.execute(
                "INSERT INTO device VALUES (?, ?, ?, 0, 0)",
                (self.person, secrets.token_urlsafe(16), secrets.token_bytes(SECRET_BYTES)))
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        elif application == APPLICATION_ID and version == VERSION_WITHOUT_DATA:
            database.execute(DATA_TABLE)
            database.execute(f"PRAGMA user_version = {VERSION}")
        elif application != APPLICATION_ID or version != VERSION:
            raise LedgerError("the file is no ledger, or one of another release; it must be left as it is")
        database.execute(MODELS_TABLE)
        if database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise LedgerError("the ledger is damaged")
        rows = database.execute("SELECT person, device_id, secret FROM device").fetchall()
        if len(rows) != 1 or len(rows[0][2]) != SECRET_BYTES:
            raise LedgerError("the ledger is damaged: its device is missing or malformed")
        if rows[0][0] != self.person:
            raise LedgerError("the ledger belongs to another person; each person has a file of their own")
        database.execute("COMMIT")
        return rows[0][1], rows[0][2]

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, for another process to open it."""
        database, self._database = self._database, None
        # A child process must not close its parent's file, which would unlock it.
        if database is not None and os.getpid() == self._process:
            database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Runs its body in a transaction.

        After any failure but a refusal the ledger refuses to work until it is opened again, since it is
        unknown what was written.
        """
        with self._lock:
            database = self._database
            if database is None or os.getpid() != self._process:
                raise LedgerError(
                    "the ledger is closed, has failed, or was opened by another process; it must be opened"
                    " again")
            try:
                database.execute("BEGIN IMMEDIATE")
                yield database
                database.execute("COMMIT")
            except BaseException as error:
                if isinstance(error, CroupierError):
                    database.execute("ROLLBACK")
                    raise
                self.close()
                if isinstance(error, (sqlite3.Error, OverflowError)):
                    raise LedgerError("the ledger could not be read or written") from error
                raise

    def spent(self) -> Spent:
        """What this device has spent."""
        with self._transaction() as database:
            return self._spent(database)

    @staticmethod
    def _spent(database: sqlite3.Connection) -> Spent:
        return Spent(*database.execute("SELECT reports, epsilon_nanos FROM device").fetchone())

    @staticmethod
    def _on_model(database: sqlite3.Connection, model_id: str) -> Spent:
        return Spent(*database.execute(
            "SELECT reports, epsilon_nanos FROM models WHERE model_id = ?", (model_id,)).fetchone() or (0, 0))

    def pending(self) -> List[StoredReport]:
        """Reports that are charged and not settled, in the order of their numbers."""
        with self._transaction() as database:
            rows = database.execute("SELECT sequence, report FROM pending ORDER BY sequence").fetchall()
        return [StoredReport(*row) for row in rows]

    def has_reported(self, model_id: str, round: int) -> bool:
        """Whether this device has reported a round of a model: by a gradient, or by an answer."""
        with self._transaction() as database:
            return self._has_reported(database, model_id, round)

    @staticmethod
    def _has_reported(database: sqlite3.Connection, model_id: str, round: int) -> bool:
        found = database.execute(
            "SELECT 1 FROM rounds WHERE model_id = ? AND round = ?", (model_id, round)).fetchone()
        return found is not None

    def require_unreported(self, model_id: str, data: Data) -> None:
        """AlreadyReportedError if a model has received data as often as they may be reported."""
        with self._transaction() as database:
            self._require_unreported(database, model_id, data)

    def _require_unreported(self, database: sqlite3.Connection, model_id: str, data: Data) -> bytes:
        digest = self._digest(model_id, data)
        row = database.execute("SELECT reports FROM data WHERE digest = ?", (digest,)).fetchone()
        if row is not None and row[0] >= data.times:
            what = "data with this key" if data.is_given else "these data"
            raise AlreadyReportedError(
                f"model {model_id} has received {what} {_times(row[0])} from this device, and may receive them"
                f" {_times(data.times)}; report other data under another key, or state a larger 'times'")
        return digest

    def _digest(self, model_id: str, data: Data) -> bytes:
        """What the ledger keeps of data: nothing that can be read without its secret."""
        message = b"croupier data\0" + model_id.encode() + bytes([0, data.is_given]) + data.key
        return hmac.new(self._secret, message, "sha256").digest()[:DIGEST_BYTES]

    def admits_answer(self, nanos: int) -> bool:
        """Whether the share of the limit for answers admits one more. release() raises at the limit."""
        after = self.spent().plus(nanos)
        return self.limit.is_within(after, self.limit.answers) or not self.limit.is_within(after, 1)

    def release(self, terms: Terms, nanos: int, is_answer: bool, draw: Callable[[int], bytes],
                data: Optional[Data] = None) -> StoredReport:
        """Charges a report, draws it and makes it durable; only then may it be sent.

        nanos: its cost, in units of 1e-9. draw: makes the bytes for a sequence number; not called if
        anything speaks against the report. data: what the report is about; None where the caller counts.
        """
        with self._transaction() as database:
            digest = None if data is None else self._require_unreported(database, terms.model_id, data)
            if self._has_reported(database, terms.model_id, terms.round):
                raise NotChosenError(
                    f"this device has reported round {terms.round} of model {terms.model_id} before")
            spent = self._spent(database)
            sequence = spent.reports
            oldest = database.execute("SELECT min(sequence) FROM pending").fetchone()[0]
            if oldest is not None and sequence - oldest >= WINDOW:
                raise CroupierError(
                    f"report {oldest} is still pending; it must be settled before a new one is drawn")
            after = spent.plus(nanos)
            self._require_within(after, 1, "the limit is")
            on_model = self._on_model(database, terms.model_id).plus(nanos)
            _require_admitted(on_model, terms)
            if is_answer:
                self._require_within(after, self.limit.answers, f"answers may take {self.limit.answers} of")
            stored = StoredReport(sequence, draw(sequence))
            database.execute(
                "UPDATE device SET reports = ?, epsilon_nanos = ?", (after.reports, after.epsilon_nanos))
            database.execute(
                "INSERT OR REPLACE INTO models VALUES (?, ?, ?)",
                (terms.model_id, on_model.reports, on_model.epsilon_nanos))
            database.execute("INSERT INTO rounds VALUES (?, ?, ?)", (terms.model_id, terms.round, sequence))
            database.execute(
                "DELETE FROM rounds WHERE model_id = ?1 AND sequence NOT IN (SELECT sequence FROM rounds"
                " WHERE model_id = ?1 ORDER BY sequence DESC LIMIT ?2)", (terms.model_id, MOST_ROUNDS))
            database.execute("INSERT INTO pending VALUES (?, ?)", (sequence, stored.report))
            if digest is not None:
                database.execute(
                    "INSERT INTO data VALUES (?, 1) ON CONFLICT (digest) DO UPDATE SET reports = reports + 1",
                    (digest,))
        return stored

    def _require_within(self, after: Spent, share: float, words: str) -> None:
        if not self.limit.is_within(after, share):
            raise LimitReachedError(
                f"{after.reports} reports would spend epsilon {after.epsilon}; {words} epsilon"
                f" {self.limit.epsilon}, reports {self.limit.reports}")

    def settle(self, sequence: int) -> None:
        """Records that a report was acknowledged, or refused for ever: it stays charged, and isn't sent again."""
        with self._transaction() as database:
            database.execute("DELETE FROM pending WHERE sequence = ?", (sequence,))

    def _lot(self, purpose: str, terms: Terms) -> float:
        """A number in [0, 1) that depends on the secret, the purpose, the model and the round alone."""
        message = (purpose + terms.model_id).encode() + terms.round.to_bytes(8, "big")
        digest = hmac.new(self._secret, message, "sha256").digest()
        return (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53

    def decide(self, terms: Terms) -> Decision:
        """What this device does in a round, decided once: a function of its secret and of the terms."""
        if not self._lot("croupier answer", terms) < terms.answer_probability:
            return Decision("none")
        if not self._lot("croupier question", terms) < terms.question_probability:
            return Decision("gradient")
        asked = len(terms.questions) + len(terms.statistics)
        count = asked + (terms.size is not None)
        chosen = math.floor(self._lot("croupier which question", terms) * count)
        if terms.is_scouting or chosen == asked:
            return Decision("size")
        if chosen < len(terms.questions):
            return Decision("question", terms.questions[chosen])
        return Decision("statistic", statistic=terms.statistics[chosen - len(terms.questions)])


def _require_admitted(on_model: Spent, terms: Terms) -> None:
    """LimitReachedError if the job would refuse a report, and charge it, when those before it have arrived."""
    if terms.limit_reports is not None and on_model.reports > terms.limit_reports:
        raise LimitReachedError(
            f"reports on model {terms.model_id} would be {on_model.reports}; the model's limit for a person is"
            f" {terms.limit_reports}")
    if terms.limit_epsilon is not None and on_model.epsilon_nanos > nanos_of(terms.limit_epsilon):
        raise LimitReachedError(
            f"epsilon on model {terms.model_id} would add up to {on_model.epsilon}; the model's limit for a person is"
            f" {terms.limit_epsilon}")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
