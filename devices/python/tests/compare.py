"""What PythonPackageTest of the module `client` compares with Java. One case a line of the input.

draws: d epsilon candidates top bound gradient words -> seed index vector. Vectors are separated by
commas; words are the random bits, 64 each; the vector is that of the candidate, of length 1.
tops: d epsilon candidates -> the default top.
groups: epsilon categories category words -> groups seed group, the seed - without one.
reports: epsilon update gradient -> report. Records are in hexadecimal; the person's name is "ada".
"""
import sys
import tempfile
from typing import Callable, Iterable, List

from croupier_device import (
    Device, HashedResponse, Ledger, Limit, PrivUnit, Question, Snapshot, expand_candidate)


def numbers(text: str) -> List[float]:
    return [float(number) for number in text.split(",")]


def supplied(words: str) -> Callable[[int], int]:
    left = [int(word) for word in reversed(words.split(","))]
    return lambda count: left.pop() >> 64 - count


def draws(lines: Iterable[str]) -> None:
    for line in lines:
        dimension, epsilon, candidates, top, bound, gradient, words = line.split()
        randomiser = PrivUnit(int(dimension), float(epsilon), int(candidates), int(top), bits=supplied(words))
        choice = randomiser.choose(numbers(gradient), float(bound))
        vector = expand_candidate(choice.seed, choice.index, 1.0, int(dimension))
        print(choice.seed, choice.index, ",".join(map(repr, vector)))


def tops(lines: Iterable[str]) -> None:
    for line in lines:
        dimension, epsilon, candidates = line.split()
        print(PrivUnit(int(dimension), float(epsilon), int(candidates)).top)


def groups(lines: Iterable[str]) -> None:
    for line in lines:
        epsilon, categories, category, words = line.split()
        randomiser = HashedResponse(float(epsilon), int(categories), bits=supplied(words))
        group = randomiser.release(int(category))
        print(randomiser.groups, "-" if group.seed is None else group.seed, group.index)


class Person:
    """Its size is 1, and it answers every question by no."""

    def __init__(self, gradient: List[float]) -> None:
        self._gradient = gradient

    def gradient(self) -> List[float]:
        return self._gradient

    def size(self) -> float:
        return 1.0

    def can_answer(self, question: Question) -> bool:
        return True

    def answer(self, question: Question) -> bool:
        return False


class Printer:
    """A transport to standard output."""

    names_user = True

    def send(self, person: str, report: bytes) -> None:
        print(report.hex())


def reports(lines: Iterable[str]) -> None:
    with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ada.ledger", "ada", Limit()) as ledger:
        for number, line in enumerate(lines):
            epsilon, update, gradient = line.split()
            device = Device(ledger, Printer(), float(epsilon))
            snapshot = Snapshot.parse(bytes.fromhex(update))
            assert device.take_part(snapshot, Person(numbers(gradient)), {"screen": "cart"}, key=str(number)) is not None


if __name__ == "__main__":
    {"draws": draws, "tops": tops, "groups": groups, "reports": reports}[sys.argv[1]](sys.stdin)
