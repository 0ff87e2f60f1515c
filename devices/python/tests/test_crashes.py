"""A device that is killed (SIGKILL) before every statement of its database, before and after every
sending, and at any other time: what it sent is charged once, and always the same bytes.
"""
import contextlib
import pathlib
import random
import signal
import tempfile
import time
import unittest
from typing import Dict, List

import children
from updates import Person, snapshot

from croupier_device import AlreadyReportedError, Device, GradientReport, Ledger, Limit

EPSILON = 2.0

# Arguments: the ledger, the file that stands for the receiver, the number of the step that kills (or
# -1), the first round, the number of rounds.
CHILD = """
import os, signal, sqlite3, sys
from croupier_device import *
from test_crashes import Receiver
from updates import Person, snapshot

path, received = sys.argv[1:3]
kill_at, first, rounds = map(int, sys.argv[3:])
steps = 0

def step(*unused):
    global steps
    if steps == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    steps += 1

connect = sqlite3.connect

def traced(*arguments, **options):
    database = connect(*arguments, **options)
    database.set_trace_callback(step)
    return database

sqlite3.connect = traced
print("begins", flush=True)
with Ledger(path, "ada", Limit()) as ledger:
    device = Device(ledger, Receiver(received, step), 2.0)
    device.resend()
    for round in range(first, first + rounds):
        device.take_part(snapshot(round), Person(), key=str(round))
print(steps, flush=True)
"""


class Receiver:
    """A transport that appends what it receives to a file."""

    names_user = False

    def __init__(self, path: "str | pathlib.Path", step=lambda: None) -> None:  # type: ignore[no-untyped-def]
        self.path, self.step = pathlib.Path(path), step

    def send(self, person: str, report: bytes) -> None:
        self.step()
        with self.path.open("ab") as file:
            file.write(report.hex().encode() + b"\n")
        self.step()


class CrashTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def files(self, name: str) -> "tuple[pathlib.Path, pathlib.Path]":
        return self.folder / f"{name}.ledger", self.folder / f"{name}.received"

    def received(self, path: pathlib.Path) -> Dict[int, bytes]:
        """Reports by number; the same number always has the same bytes."""
        reports: Dict[int, bytes] = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            report = bytes.fromhex(line)
            sequence = GradientReport.FromString(report).sequence
            self.assertEqual(reports.setdefault(sequence, report), report)
        return reports

    def check(self, name: str, rounds: List[int]) -> None:
        """What is true when the ledger is opened again, and after the next visit."""
        ledger_file, received = self.files(name)
        with Ledger(ledger_file, "ada", Limit()) as ledger:
            before = ledger.spent().reports
            pending = {stored.sequence: stored.report for stored in ledger.pending()}
            sent = self.received(received)
            # What was sent is charged, and what is charged was sent or will be.
            self.assertEqual(set(sent) | set(pending), set(range(before)))
            for sequence in set(sent) & set(pending):
                self.assertEqual(sent[sequence], pending[sequence])
            device = Device(ledger, Receiver(received), EPSILON)
            device.resend()
            for round in rounds:
                # The key is stored with the charge: what was charged is not reported again.
                with contextlib.suppress(AlreadyReportedError):
                    device.take_part(snapshot(1000 + round if round < before else round), Person(), key=str(round))
            self.assertEqual(ledger.pending(), [])
            self.assertEqual(ledger.spent().reports, len(rounds))
            self.assertEqual(ledger.spent().epsilon, str(int(EPSILON) * len(rounds)))
        reports = self.received(received)
        self.assertEqual(sorted(reports), list(range(len(rounds))))
        self.assertEqual(sorted(GradientReport.FromString(r).round for r in reports.values()), rounds)

    def test_killed_at_every_step(self) -> None:
        ledger_file, received = self.files("whole")
        output = children.run(CHILD, str(ledger_file), str(received), "-1", "0", "2")
        steps = int(output.split()[-1])
        self.assertGreater(steps, 30)
        self.check("whole", [0, 1, 2])
        # As many at the same time as two processors have use for.
        for begin in range(0, steps, 4):
            batch = range(begin, min(begin + 4, steps))
            running = []
            for step in batch:
                ledger_file, received = self.files(str(step))
                running.append(children.start(CHILD, str(ledger_file), str(received), str(step), "0", "2"))
            for process in running:
                process.communicate(timeout=60)
                self.assertEqual(process.returncode, -signal.SIGKILL)
            for step in batch:
                with self.subTest(step=step):
                    self.check(str(step), [0, 1, 2])

    def test_killed_at_any_time(self) -> None:
        """On one ledger again and again, also within a commit."""
        ledger_file, received = self.files("life")
        seeded = random.Random(1)
        first = 0
        for _ in range(12):
            process = children.start(CHILD, str(ledger_file), str(received), "-1", str(first), "100000")
            assert process.stdout is not None
            self.assertEqual(process.stdout.readline(), "begins\n")
            time.sleep(0.02 + 0.2 * seeded.random())
            process.kill()
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, -signal.SIGKILL)
            with Ledger(ledger_file, "ada", Limit()) as ledger:
                first = ledger.spent().reports
        self.assertGreater(first, 5)
        self.check("life", list(range(first + 1)))


if __name__ == "__main__":
    unittest.main()
