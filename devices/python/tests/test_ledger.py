"""The ledger: what is charged, what it survives, and who is locked out."""
import contextlib
import hmac
import os
import pathlib
import sqlite3
import stat
import tempfile
import unittest
from typing import Any, Callable, List

import children
from updates import snapshot

from croupier_device import (
    AlreadyReportedError, CroupierError, Data, Ledger, LedgerBusyError, LedgerError, Limit, LimitReachedError,
    NotChosenError, Spent)
from croupier_device.ledger import MOST_ROUNDS, WINDOW

EPSILON = 10**9
LOT = 0.4075090609964581


def fixed(text: bytes) -> Callable[[int], bytes]:
    return lambda sequence: text + b"%d" % sequence


class LedgerTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "ada.ledger"

    def open(self, limit: Limit = Limit(), person: str = "ada") -> Ledger:
        ledger = Ledger(self.path, person, limit)
        self.addCleanup(ledger.close)
        return ledger

    def test_a_report_is_charged_and_pending_until_it_is_settled(self) -> None:
        with self.open() as ledger:
            first = ledger.release(snapshot(0).terms, EPSILON, False, fixed(b"r"))
            device = ledger.device_id
            self.assertEqual((first.sequence, first.report), (0, b"r0"))
        with self.open() as ledger:
            self.assertEqual(ledger.device_id, device)
            self.assertEqual(ledger.pending(), [first])
            self.assertEqual(ledger.spent(), Spent(1, EPSILON))
            second = ledger.release(snapshot(1).terms, EPSILON // 2, False, fixed(b"r"))
            self.assertEqual(second.sequence, 1)
            ledger.settle(0)
        with self.open() as ledger:
            self.assertEqual(ledger.pending(), [second])
            self.assertEqual(ledger.spent().epsilon, "1.5")

    def test_a_round_is_reported_once(self) -> None:
        with self.open() as ledger:
            ledger.release(snapshot(4).terms, EPSILON, False, fixed(b""))
            self.assertTrue(ledger.has_reported("demo", 4))
            self.assertFalse(ledger.has_reported("demo", 5))
            self.assertFalse(ledger.has_reported("other", 4))
            with self.assertRaisesRegex(NotChosenError, "has reported round 4 of model demo before"):
                ledger.release(snapshot(4).terms, EPSILON, True, self.fail)
            self.assertEqual(ledger.spent().reports, 1)

    def test_the_newest_rounds_are_kept(self) -> None:
        with self.open() as ledger:
            for round in range(MOST_ROUNDS + 2):
                ledger.release(snapshot(round).terms, 1, False, fixed(b""))
                ledger.settle(round)
            self.assertFalse(ledger.has_reported("demo", 1))
            self.assertTrue(ledger.has_reported("demo", 2))

    def test_limits_are_checked_before_anything_is_drawn(self) -> None:
        for limit in [Limit(epsilon=1.999999999), Limit(reports=1)]:
            self.path.unlink(missing_ok=True)
            with self.subTest(limit=limit), self.open(limit) as ledger:
                ledger.release(snapshot(0).terms, EPSILON, False, fixed(b""))
                with self.assertRaisesRegex(LimitReachedError, "2 reports would spend epsilon 2; the limit is"):
                    ledger.release(snapshot(1).terms, EPSILON, False, self.fail)
                self.assertEqual(ledger.spent().reports, 1)

    def test_a_limit_that_is_met_exactly_admits(self) -> None:
        with self.open(Limit(epsilon=0.3)) as ledger:
            for round in range(3):
                ledger.release(snapshot(round).terms, EPSILON // 10, False, fixed(b""))
            with self.assertRaises(LimitReachedError):
                ledger.release(snapshot(3).terms, 1, False, self.fail)

    def test_numbers_may_be_as_large_as_they_like(self) -> None:
        with self.open(Limit(epsilon=1.7e308, reports=10**400, answers=0.5)) as ledger:
            ledger.release(snapshot(0).terms, EPSILON, True, fixed(b""))
            with self.assertRaises(LimitReachedError):
                ledger.release(snapshot(1).terms, 2**63, False, self.fail)
        with self.open() as ledger:
            for round in range(1, 4):
                ledger.release(snapshot(round).terms, 2**62, False, fixed(b""))
            self.assertEqual(ledger.spent(), Spent(4, 2**63 - 1))
        with self.open(Limit(epsilon=1.7e308)) as ledger:
            with self.assertRaises(LimitReachedError):
                ledger.release(snapshot(4).terms, 1, False, self.fail)

    def test_a_share_of_a_limit_is_one_of_its_decimals(self) -> None:
        with self.open(Limit(epsilon=3, answers=0.1)) as ledger:
            ledger.release(snapshot(0).terms, 3 * EPSILON // 10, True, fixed(b""))
            with self.assertRaises(LimitReachedError):
                ledger.release(snapshot(1).terms, 1, True, self.fail)

    def test_answers_have_a_share_of_the_limit(self) -> None:
        with self.open(Limit(epsilon=4, answers=0.5)) as ledger:
            ledger.release(snapshot(0).terms, EPSILON, True, fixed(b""))
            ledger.release(snapshot(1).terms, EPSILON, True, fixed(b""))
            self.assertFalse(ledger.admits_answer(EPSILON))
            with self.assertRaisesRegex(LimitReachedError, "answers may take 0.5 of"):
                ledger.release(snapshot(2).terms, EPSILON, True, self.fail)
            ledger.release(snapshot(2).terms, EPSILON, False, fixed(b""))

    def test_more_reports_than_the_job_recognises_are_not_drawn_ahead(self) -> None:
        with self.open() as ledger:
            for round in range(WINDOW):
                ledger.release(snapshot(round).terms, 1, False, fixed(b""))
            with self.assertRaisesRegex(CroupierError, "report 0 is still pending"):
                ledger.release(snapshot(WINDOW).terms, 1, False, self.fail)
            ledger.settle(0)
            ledger.release(snapshot(WINDOW).terms, 1, False, fixed(b""))

    def test_a_draw_that_fails_charges_nothing_and_ends_the_ledger(self) -> None:
        def fails(sequence: int) -> bytes:
            raise ZeroDivisionError

        with self.open() as ledger:
            with self.assertRaises(ZeroDivisionError):
                ledger.release(snapshot().terms, EPSILON, False, fails)
            with self.assertRaisesRegex(LedgerError, "must be opened again"):
                ledger.spent()
        with self.open() as ledger:
            self.assertEqual((ledger.spent().reports, ledger.pending()), (0, []))

    def test_another_object_is_locked_out(self) -> None:
        with self.open():
            with self.assertRaisesRegex(LedgerBusyError, "is open already"):
                Ledger(self.path, "ada", Limit())
        self.open().close()

    def test_another_process_is_locked_out(self) -> None:
        code = """
import sys
from croupier_device import *
try:
    Ledger(sys.argv[1], "ada", Limit())
    print("opened")
except LedgerBusyError:
    print("busy")
"""
        with self.open() as ledger:
            with self.assertRaises(LedgerBusyError):
                Ledger(self.path, "ada", Limit())
            # Neither has the refusal ended the lock.
            self.assertEqual(children.run(code, str(self.path)), "busy\n")
            # The attempt has changed nothing.
            ledger.release(snapshot().terms, EPSILON, False, fixed(b""))
        self.assertEqual(children.run(code, str(self.path)), "opened\n")

    @unittest.skipUnless(hasattr(os, "fork"), "no fork on this platform")
    def test_a_forked_process_draws_nothing(self) -> None:
        with self.open() as ledger:
            child = os.fork()
            if child == 0:
                try:
                    ledger.spent()
                except LedgerError:
                    ledger.close()
                    os._exit(7)
                os._exit(0)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
            ledger.release(snapshot().terms, EPSILON, False, fixed(b""))
            with self.assertRaises(LedgerBusyError):
                Ledger(self.path, "ada", Limit())

    def test_only_the_owner_reads_it(self) -> None:
        mask = os.umask(0)
        try:
            with self.open() as ledger:
                ledger.release(snapshot().terms, EPSILON, False, fixed(b""))
                for file in self.path.parent.iterdir():
                    self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
        finally:
            os.umask(mask)

    def test_commits_are_forced_to_the_disk(self) -> None:
        with self.open() as ledger:
            database = ledger._database
            assert database is not None
            self.assertEqual(database.execute("PRAGMA synchronous").fetchone(), (3,))
            self.assertEqual(database.execute("PRAGMA journal_mode").fetchone(), ("delete",))

    def test_damage_is_an_error_and_never_a_new_account(self) -> None:
        with self.open() as ledger:
            ledger.release(snapshot().terms, EPSILON, False, fixed(b"r" * 5000))
        whole = self.path.read_bytes()
        for damaged in [b"x" * 300, whole[:100] + b"\0" * (len(whole) - 100), whole[:-4096], b"\0" + whole[1:]]:
            self.path.write_bytes(damaged)
            with self.subTest(size=len(damaged)), self.assertRaises(LedgerError):
                self.open()
            self.assertEqual(self.path.read_bytes(), damaged)

    def test_a_file_of_something_else_is_left_alone(self) -> None:
        with sqlite3.connect(self.path) as other:
            other.execute("CREATE TABLE things (name TEXT)")
        other.close()
        before = self.path.read_bytes()
        with self.assertRaisesRegex(LedgerError, "is no ledger"):
            self.open()
        self.assertEqual(self.path.read_bytes(), before)

    def test_it_belongs_to_one_person(self) -> None:
        self.open().close()
        with self.assertRaisesRegex(LedgerError, "belongs to another person") as raised:
            self.open(person="bob")
        self.assertNotIn("ada", str(raised.exception))
        self.open().close()

    def test_a_folder_that_is_missing(self) -> None:
        with self.assertRaisesRegex(LedgerError, "can't be opened"):
            Ledger(self.path / "none", "ada", Limit())

    def test_a_disk_that_is_full(self) -> None:
        """A file-size limit makes every write fail: nothing is sent, and the account stays as it was."""
        code = """
import resource, signal, sys
from croupier_device import *
from updates import snapshot
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger = Ledger(sys.argv[1], "ada", Limit())
ledger.release(snapshot(0).terms, 10**9, False, lambda n: b"first")
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
for attempt in range(2):
    try:
        ledger.release(snapshot(1).terms, 10**9, False, lambda n: b"x" * 100_000)
        print("released")
    except LedgerError as error:
        print(error)
"""
        self.assertEqual(
            children.run(code, str(self.path)).splitlines(),
            ["the ledger could not be read or written",
             "the ledger is closed, has failed, or was opened by another process; it must be opened again"])
        with self.open() as ledger:
            self.assertEqual(ledger.spent(), Spent(1, EPSILON))
            self.assertEqual([r.report for r in ledger.pending()], [b"first"])

    def test_wrong_limits_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "epsilon of the limit is -1"):
            Limit(epsilon=-1)
        with self.assertRaisesRegex(ValueError, "answers of the limit is 2"):
            Limit(answers=2)
        wrong: List[Any] = ["2", True, [], object()]
        for value in wrong:
            for name in ("epsilon", "reports", "answers"):
                with self.subTest(name=name, value=value), self.assertRaisesRegex(ValueError, f"{name} of the limit is"):
                    Limit(**{name: value})
        with self.assertRaisesRegex(ValueError, "limit is of the type int; it must be a Limit"):
            Ledger(self.path, "ada", 20)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "person is of the type int"):
            Ledger(self.path, 7, Limit())  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "path is of the type int"):
            Ledger(3, "ada", Limit())  # type: ignore[arg-type]
        self.assertFalse(self.path.exists())

    def test_names_that_sqlite_knows_are_files(self) -> None:
        """Only their owner can read them, and they keep what was spent."""
        for name in [":memory:", "file:x", "file:x?mode=memory", "file::memory:", "x?y#z%20"]:
            with self.subTest(name=name), contextlib.chdir(self.path.parent):
                devices = set()
                for _ in range(2):
                    with Ledger(name, "ada", Limit()) as ledger:
                        devices.add(ledger.device_id)
                self.assertEqual(len(devices), 1)
                self.assertEqual(os.stat(name).st_mode & 0o777, 0o600)
                self.assertGreater(os.stat(name).st_size, 0)
                self.assertFalse(os.path.exists("x"))
        for name in ["", "a\0b"]:
            with self.assertRaisesRegex(LedgerError, "can't be opened"):
                Ledger(name, "ada", Limit())

    def test_a_ledger_of_release_0_2_0_is_continued(self) -> None:
        with self.open() as ledger:
            ledger.release(snapshot().terms, EPSILON, False, fixed(b"first"))
        with sqlite3.connect(self.path) as database:
            database.execute("DROP TABLE data")
            database.execute("PRAGMA user_version = 1")
        database.close()
        data = Data.keyed("day 1")
        with self.open() as ledger:
            self.assertEqual(ledger.spent().reports, 1)
            ledger.release(snapshot(1).terms, EPSILON, False, fixed(b"second"), data)
            with self.assertRaises(AlreadyReportedError):
                ledger.release(snapshot(2).terms, EPSILON, False, self.fail, data)
        with sqlite3.connect(self.path) as database:
            [[digest, reports]] = database.execute("SELECT * FROM data").fetchall()
            self.assertEqual((len(digest), reports), (16, 1))
            self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (2,))
        database.close()
        self.assertNotIn(b"day 1", self.path.read_bytes())

    def test_what_is_kept_of_data_is_an_hmac(self) -> None:
        """lab/proofs/device.md: the other clients keep the same bytes."""
        with self.open() as ledger:
            ledger._secret = bytes(range(32))
            expected = hmac.new(bytes(range(32)), b"croupier data\0demo\0\1day 1", "sha256").digest()[:16]
            self.assertEqual(ledger._digest("demo", Data.keyed("day 1")), expected)
            self.assertNotEqual(ledger._digest("demo", Data.of(b"day 1")), expected)

    def test_decisions_are_those_of_the_other_clients(self) -> None:
        """HMAC-SHA256 of the purpose, the model and the round, as lab/proofs/device.md specifies."""
        with self.open() as ledger:
            ledger._secret = bytes(range(32))
            terms = snapshot(5).terms
            self.assertEqual(ledger._lot("croupier answer", terms), LOT)

    def test_decisions_follow_their_probabilities(self) -> None:
        with self.open() as ledger:
            kinds = [ledger.decide(snapshot(n, answer_probability=0.5, questions=["a", "b"], size=2,
                                            question_probability=0.5).terms) for n in range(2000)]
            counts = {kind: sum(d.kind == kind for d in kinds) for kind in ("none", "gradient", "size", "question")}
            # Hoeffding at 2e-10 for each.
            for kind, share in [("none", 1 / 2), ("gradient", 1 / 4), ("size", 1 / 12), ("question", 1 / 6)]:
                self.assertAlmostEqual(counts[kind] / 2000, share, delta=0.076)
            again = ledger.decide(snapshot(7, answer_probability=0.5, questions=["a", "b"], size=2,
                                           question_probability=0.5).terms)
            self.assertEqual(again, kinds[7])
            scouting = snapshot(7, size=2, questions=["a"], question_probability=1).terms
            self.assertEqual(ledger.decide(scouting).kind, "size")


if __name__ == "__main__":
    unittest.main()
