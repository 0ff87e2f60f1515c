"""A device from an update to an acknowledgement, over HTTP to a stub of a gateway."""
import json
import logging
import math
import pathlib
import re
import tempfile
import time
import unittest
from fractions import Fraction
from typing import Any, Dict, List, Tuple
from unittest import mock

from stub import ACCEPTED, Answer, Stub, problem
from updates import Person, snapshot, update

from croupier_device import (
    AlreadyReportedError, Device, Gateway, GatewayError, GradientReport, Ledger, Limit, LimitReachedError, NotChosenError, PrivUnit,
    RefusedError, StoppedError, norm, size_of_linear)
from croupier_device.device import _data, is_above, scaled
from croupier_device.randomisers import HashedResponse, RandomisedResponse


class DeviceTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "ada.ledger"
        patch = mock.patch("croupier_device.gateway.time.sleep")
        patch.start()
        self.addCleanup(patch.stop)

    def open(self, stub: Stub, limit: Limit = Limit(), epsilon: float = 2, **options: Any) -> Device:
        self.ledger = Ledger(self.path, "ada", limit)
        self.addCleanup(self.ledger.close)
        return Device(self.ledger, Gateway(stub.url, lambda: "token", patience=0), epsilon, **options)

    def reports(self, stub: Stub) -> List[Any]:
        return [GradientReport.FromString(r.body) for r in stub.requests if r.method == "POST"]

    def test_a_gradient_from_update_to_acknowledgement(self) -> None:
        with Stub(Answer(200, update(4)), ACCEPTED) as stub:
            device = self.open(stub)
            model = Gateway(stub.url).newest("demo")
            sent = device.take_part(model, Person())
            assert sent is not None
            self.assertIsNone(device.take_part(model, Person(), key="other data"))
        [report] = self.reports(stub)
        self.assertEqual((sent.kind, sent.sequence, sent.epsilon), ("gradient", 0, 2))
        self.assertEqual(sent.report, stub.requests[-1].body)
        self.assertEqual((report.model_id, report.round, report.sequence), ("demo", 4, 0))
        self.assertEqual(report.device_id, self.ledger.device_id)
        self.assertFalse(report.HasField("user_id"))
        self.assertFalse(report.HasField("gradient_bound"))
        self.assertEqual(report.created_at_ms % 3_600_000, 0)
        self.assertLess(abs(report.created_at_ms - 1000 * time.time()), 3_700_000)
        best = PrivUnit(3, 2)
        self.assertEqual(report.candidate.dimension, 3)
        self.assertIn(report.candidate.index, range(256))
        self.assertEqual(
            (report.priv_unit.epsilon, report.priv_unit.candidates, report.priv_unit.top), (2, 256, best.top))
        self.assertEqual(self.ledger.pending(), [])
        self.assertEqual(self.ledger.spent().epsilon, "2")

    def test_a_moving_clip_is_stated(self) -> None:
        person = Person(size=3)
        with Stub(ACCEPTED) as stub:
            self.open(stub).take_part(snapshot(bound=0.75, size=2, question_probability=0), person)
        self.assertEqual(person.asked, ["gradient", "size"])
        self.assertEqual(self.reports(stub)[0].gradient_bound, 0.75)

    def test_a_statistic_is_answered_by_a_category(self) -> None:
        """A value that is no category counts as the last; another group is released with 2.3e-7."""
        person = Person()
        with Stub(ACCEPTED) as stub:
            device = self.open(stub, epsilon=16)
            for round, own in enumerate(["home", "elsewhere", None]):
                model = snapshot(round, question_probability=1, statistics={"screen": ["cart", "home", "other"]})
                sent = device.take_part(model, person, {"screen": own}, key=str(round))
                assert sent is not None
                self.assertEqual(sent.kind, "statistic")
            self.assertIsNone(device.take_part(
                snapshot(3, question_probability=1, statistics={"day": ["a", "b"]}), person, {"screen": "home"}, key="3"))
        self.assertEqual(person.asked, [])
        self.assertEqual([r.vote.index for r in self.reports(stub)], [1, 2, 2])
        self.assertEqual([r.hashed_response.groups for r in self.reports(stub)], [3, 3, 3])
        self.assertFalse(any(r.vote.HasField("seed") for r in self.reports(stub)))
        self.assertEqual(self.ledger.spent().epsilon, "48")

    def test_a_model_without_a_learner_asks_for_a_statistic(self) -> None:
        """Another group is released with 1.1e-7."""
        with Stub(ACCEPTED) as stub:
            device = self.open(stub, epsilon=16)
            model = snapshot(3, dimension=0, question_probability=1, statistics={"day": ["a", "b"]})
            self.assertEqual((model.weights, model.terms.dimension), ([], 0))
            self.assertIsNone(device.take_part(model, None))
            sent = device.take_part(model, None, {"day": "b"})
            assert sent is not None
            with self.assertRaisesRegex(ValueError, "participant"):
                device.take_part(snapshot(4), None)
        self.assertEqual([r.vote.index for r in self.reports(stub)], [1])
        self.assertEqual(self.ledger.spent().epsilon, "16")

    def test_a_number_is_compared_with_the_threshold(self) -> None:
        """What is no number counts as the lower end of the range; the other bit is released with 1.1e-7."""
        person = Person()
        values = [31, 30, 1e9, -1, math.nan, math.inf, None, "31"]
        with Stub(ACCEPTED) as stub:
            device = self.open(stub, epsilon=16)
            for round, own in enumerate(values):
                model = snapshot(round, question_probability=1, thresholds={"minutes": 30})
                sent = device.take_part(model, person, {"minutes": own}, key=str(round))
                assert sent is not None
                self.assertEqual(sent.kind, "statistic")
            self.assertIsNone(device.take_part(
                snapshot(10, question_probability=1, thresholds={"minutes": 30}), person, {"screen": "home"}, key="10"))
        self.assertEqual(person.asked, [])
        self.assertEqual(
            [r.answer.bit for r in self.reports(stub)], [True, False, True, False, False, True, False, False])
        self.assertEqual({r.answer.question for r in self.reports(stub)}, {"minutes"})
        self.assertEqual(self.ledger.spent().epsilon, "128")

    def test_answers_about_a_threshold_are_those_of_java(self) -> None:
        """From the same random word, but for the name of the device."""
        cases = json.loads((pathlib.Path(__file__).parent / "golden" / "quantiles.json").read_text())
        values = {"null": None, "true": True, "'31'": "31"}
        sent: List[bytes] = []
        transport = mock.Mock(names_user=False, send=lambda person, report: sent.append(report))
        ledger = Ledger(self.path, "ada", Limit())
        self.addCleanup(ledger.close)
        device = Device(ledger, transport, 0.5)
        for round, case in enumerate(cases):
            own = case["value"]
            device._bits = RandomisedResponse(0.5, bits=lambda count: int(case["word"]) >> 64 - count)
            with mock.patch("croupier_device.device.time.time", return_value=1_800_000_123.456):
                device.take_part(
                    snapshot(round, model_id="m", question_probability=1, thresholds={"minutes": case["threshold"]}),
                    Person(), {"minutes": values[own] if own in values else float(own)}, key=str(round))
            report = sent[round].replace(ledger.device_id.encode(), b"abcdefghijklmnopqrstuv")
            self.assertEqual(report.hex(), case["report"], f"{own} about {case['threshold']}")
        self.assertEqual(len(sent), 22)

    def test_votes_for_texts_are_those_of_java(self) -> None:
        """From the same random words, but for the name of the device."""
        cases = json.loads((pathlib.Path(__file__).parent / "golden" / "texts.json").read_text(encoding="utf-8"))
        values = {"null": None, "true": True, "7": 7}
        sent: List[bytes] = []
        transport = mock.Mock(names_user=False, send=lambda person, report: sent.append(report))
        ledger = Ledger(self.path, "ada", Limit())
        self.addCleanup(ledger.close)
        device = Device(ledger, transport, 0.5)
        for round, case in enumerate(cases):
            own = values[case["value"]] if case["value"] in values else case["value"][1:-1]
            words = [int(word) for word in [case["seed"], *case["words"]]]
            model = snapshot(
                round, model_id="m", question_probability=1,
                texts={"words": ("a-e\u00e9-", 4, 3, ["", "a", "", "ab", "d"], ["ab", "", "cad"])})
            [statistic] = model.terms.statistics
            self.assertEqual(statistic.category(own), case["candidate"], case["value"])
            randomiser = HashedResponse(0.5, statistic.candidates, bits=lambda count: words.pop(0) >> 64 - count)
            with mock.patch("croupier_device.device.time.time", return_value=1_800_000_123.456), \
                    mock.patch("croupier_device.device.HashedResponse", return_value=randomiser):
                device.take_part(model, Person(), {"words": own}, key=str(round))
            report = sent[round].replace(ledger.device_id.encode(), b"abcdefghijklmnopqrstuv")
            self.assertEqual(report.hex(), case["report"], case["value"])
        self.assertEqual(len(sent), 25)

    def test_a_size_is_answered_by_a_bit(self) -> None:
        person = Person(size=3)
        with Stub(ACCEPTED) as stub:
            sent = self.open(stub, epsilon=1.5).take_part(snapshot(size=2, question_probability=1), person)
        assert sent is not None
        self.assertEqual((sent.kind, person.asked), ("size", ["size"]))
        [report] = self.reports(stub)
        self.assertEqual((report.answer.question, report.answer.HasField("bit")), ("clip", True))
        self.assertEqual(report.randomised_response.epsilon, 1.5)
        self.assertEqual(report.WhichOneof("declaration"), "randomised_response")

    def test_a_question_is_answered_by_a_bit(self) -> None:
        person = Person()
        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            sent = device.take_part(snapshot(questions=["hard"], question_probability=1), person)
            assert sent is not None
            self.assertEqual((sent.kind, person.asked), ("question", ["can_answer", "answer"]))
            self.assertEqual(self.reports(stub)[0].answer.question, "hard")
            unable = Person([1, 0, 0], can_answer=False)
            self.assertIsNone(device.take_part(snapshot(1, questions=["hard"], question_probability=1), unable))
        self.assertEqual(self.ledger.spent().reports, 1)

    def test_answers_carry_the_truth_at_a_high_level(self) -> None:
        """At epsilon 16 a bit is wrong with probability 1.2e-7: this fails in 1 of 400,000 runs."""
        with Stub(ACCEPTED) as stub:
            device = self.open(stub, epsilon=16)
            for round, truth in enumerate([True, False, True]):
                device.take_part(
                    snapshot(round, questions=["q"], question_probability=1), Person(truth=truth), key=str(round))
        self.assertEqual([r.answer.bit for r in self.reports(stub)], [True, False, True])

    def test_a_device_that_is_not_chosen_spends_nothing(self) -> None:
        person = Person()
        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            self.assertIsNone(device.take_part(snapshot(answer_probability=0), person))
            with self.assertRaisesRegex(NotChosenError, "round 0 of model demo by a gradient"):
                device.report(snapshot(answer_probability=0), [0.0] * 3)
        self.assertEqual((stub.requests, person.asked, self.ledger.spent().reports), ([], [], 0))

    def test_at_the_limit_nothing_is_sent(self) -> None:
        with Stub(ACCEPTED) as stub:
            device = self.open(stub, Limit(epsilon=3))
            device.take_part(snapshot(0), Person())
            with self.assertRaises(LimitReachedError):
                device.take_part(snapshot(1), Person(), key="other data")
        self.assertEqual(len(stub.requests), 1)

    def test_at_the_models_limit_nothing_is_sent(self) -> None:
        """Also after a restart, and in each kind of limit that a device can compare: the job would charge the report."""
        cases: Dict[str, Tuple[Dict[str, float], int, str]] = {
            "first": ({"epsilon": 1.9}, 0, "epsilon on model first would add up to 2; the model's limit for a person is 1.9"),
            "sum": ({"epsilon": 5}, 2, "would add up to 6; the model's limit for a person is 5"),
            "reports": ({"reports": 1}, 1, "reports on model reports would be 2; the model's limit for a person is 1"),
            "delta": ({"epsilon": 1, "delta": 1e-6}, 3, ""),
            "period": ({"epsilon": 2, "reports": 1, "per_days": 30}, 3, ""),
            "none": ({"epsilon": math.inf}, 3, ""),
        }
        for model, (limits, reports, message) in cases.items():
            with self.subTest(model=model), Stub(ACCEPTED) as stub:
                for round in range(3):
                    update = snapshot(round, model_id=model, limits=limits)
                    device = self.open(stub)
                    if round < reports:
                        device.report(update, [0.0] * 3)
                    else:
                        with self.assertRaisesRegex(LimitReachedError, re.escape(message)):
                            device.report(update, [0.0] * 3)
                    self.ledger.close()
                self.assertEqual(len(stub.requests), reports)

    def test_the_same_data_are_reported_once(self) -> None:
        """Whichever round comes, whatever it asks for, and after a restart; another key, or row, is other data."""
        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            self.assertIsNotNone(device.take_part(snapshot(0), Person()))
            for model in [snapshot(1), snapshot(0), snapshot(2, answer_probability=0),
                          snapshot(3, size=2, question_probability=1)]:
                with self.assertRaisesRegex(
                        AlreadyReportedError, "model demo has received these data once .* may receive them once"):
                    device.take_part(model, Person())
            self.ledger.close()
            device = self.open(stub)
            with self.assertRaises(AlreadyReportedError):
                device.take_part(snapshot(4), Person())
            self.assertIsNotNone(device.take_part(snapshot(4), Person([0.1, 0.2, -0.30000000000000004])))
            self.assertIsNotNone(device.take_part(snapshot(5), Person(), {"screen": "cart"}))
            self.assertIsNotNone(device.take_part(snapshot(6), Person(), key="2026-11-28"))
            with self.assertRaisesRegex(AlreadyReportedError, "data with this key once"):
                device.take_part(snapshot(7), Person([0, 0, 1]), key="2026-11-28")
            self.assertIsNotNone(device.take_part(snapshot(7, model_id="other"), Person(), key="2026-11-28"))
            self.assertIsNotNone(device.take_part(snapshot(8), Person(), key="2026-11-28", times=2))
            with self.assertRaisesRegex(AlreadyReportedError, "2 times from this device, and may receive them 2 times"):
                device.take_part(snapshot(9), Person(), key="2026-11-28", times=2)
        self.assertEqual((len(stub.requests), self.ledger.spent().reports), (6, 6))

    def test_categories_are_the_same_in_every_process(self) -> None:
        class Own(float):
            """As a scalar of numpy, shown in another way."""

            def __repr__(self) -> str:
                return f"Own at {id(self):x}"

        class Text(str):
            def __repr__(self) -> str:
                return f"Text at {id(self):x}"

        same = [(1, 1.0), (1, Own(1)), (1, Fraction(2, 2)), ("a", Text("a")), (True, True), (None, None)]
        other = [(1, True), (0, False), (1, "1"), (None, "None"), (None, "null"), (1, 1.5), ("1.0", 1), (math.nan, None)]
        for own, again in same:
            self.assertEqual(_data(None, {"x": own, "y": 0}, 1), _data(None, {"y": 0, "x": again}, 1), (own, again))
        for own, another in other:
            self.assertNotEqual(_data(None, {"x": own}, 1), _data(None, {"x": another}, 1), (own, another))
        self.assertEqual(_data(None, {"b": "\u00e9", "a": 0.1}, 1).key, b'[["a", ["0.1"]], ["b", "\\u00e9"]]')
        for wrong in [{"private"}, object(), b"private", ["private"], {}, 1j]:
            with self.subTest(type(wrong)), self.assertRaisesRegex(
                    ValueError, "^category 'day' is of the type [a-z]+; it must be a text, a number") as caught:
                _data(None, {"day": wrong}, 1)
            self.assertNotIn("private", str(caught.exception))

    def test_a_pending_report_of_the_same_data_is_sent(self) -> None:
        with Stub(Answer(503)) as stub, self.assertRaisesRegex(GatewayError, "is charged and kept"):
            self.open(stub).take_part(snapshot(0), Person())
        self.ledger.close()
        with Stub(ACCEPTED) as stub:
            with self.assertRaises(AlreadyReportedError):
                self.open(stub).take_part(snapshot(1), Person())
        self.assertEqual([r.sequence for r in self.reports(stub)], [0])
        self.assertEqual(self.ledger.pending(), [])

    def test_keys_and_numbers_of_times(self) -> None:
        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            for wrong in ["", "x" * 257, "\u00e9" * 129, 7, b"day"]:
                with self.subTest(key=wrong), self.assertRaisesRegex(ValueError, "key is"):
                    device.take_part(snapshot(), Person(), key=wrong)  # type: ignore[arg-type]
            for times in [0, -1, 1.0, True, "2"]:
                with self.subTest(times=times), self.assertRaisesRegex(ValueError, "times is"):
                    device.take_part(snapshot(), Person(), times=times)  # type: ignore[arg-type]
            self.assertIsNotNone(device.take_part(snapshot(), Person(), key="\u00e9" * 128))
        self.assertEqual(len(stub.requests), 1)

    def test_numbers_that_are_none_are_reported_and_not_shown(self) -> None:
        class Odd(Person):
            def row(self) -> Any:
                return ["private", None, 10**400]

        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            self.assertIsNotNone(device.take_part(snapshot(0), Odd(["private", None, 1])))  # type: ignore[list-item]
        self.assertEqual(len(stub.requests), 1)

    def test_a_report_that_was_not_acknowledged_is_sent_again_first(self) -> None:
        with Stub(Answer(503)) as stub:
            device = self.open(stub)
            for _ in range(2):
                with self.assertRaises(GatewayError):
                    device.report(snapshot(0), [0.1] * 3)
            self.assertEqual(self.ledger.spent().reports, 1)
            self.ledger.close()
            lost = stub.requests[0].body
            self.assertEqual([r.body for r in stub.requests], [lost] * 2)
        with Stub(ACCEPTED) as stub:
            self.open(stub).take_part(snapshot(1), Person(), key="other data")
        self.assertEqual(stub.requests[0].body, lost)
        self.assertEqual([r.sequence for r in self.reports(stub)], [0, 1])

    def test_a_refused_report_stays_charged_and_is_not_sent_again(self) -> None:
        with Stub(problem(422), ACCEPTED) as stub:
            device = self.open(stub)
            with self.assertRaises(RefusedError):
                device.take_part(snapshot(0), Person())
            device.resend()
            self.assertEqual((len(stub.requests), self.ledger.pending()), (1, []))
            self.assertEqual(self.ledger.spent().reports, 1)
            device.take_part(snapshot(1), Person(), key="other data")
        self.assertEqual([r.sequence for r in self.reports(stub)], [0, 1])

    def test_a_stop_drops_what_is_pending(self) -> None:
        stopped = Answer(403, b'{"type": "urn:croupier:problem:stopped", "detail": "the person is stopped"}',
                         {"Content-Type": "application/problem+json"})
        with Stub(Answer(503)) as stub:
            with self.assertRaises(GatewayError):
                self.open(stub).take_part(snapshot(0), Person())
            self.ledger.close()
        with Stub(stopped, stopped) as stub, self.assertLogs("croupier_device", logging.WARNING):
            with self.assertRaisesRegex(StoppedError, "403: the person is stopped"):
                self.open(stub).take_part(snapshot(1), Person(), key="other data")
        self.assertEqual((len(stub.requests), self.ledger.pending()), (2, []))
        self.assertEqual(self.ledger.spent().reports, 2)

    def test_a_refusal_of_an_earlier_report_does_not_stop_the_next(self) -> None:
        with Stub(Answer(503)) as stub:
            with self.assertRaises(GatewayError):
                self.open(stub).take_part(snapshot(0), Person())
            self.ledger.close()
        with Stub(problem(422), ACCEPTED) as stub, self.assertLogs("croupier_device", logging.WARNING) as logs:
            self.open(stub).take_part(snapshot(1), Person(), key="other data")
        self.assertEqual(len(stub.requests), 2)
        self.assertRegex(logs.output[0], "report 0 of an earlier round was refused")

    def test_gradients_that_are_not_finite_are_reported(self) -> None:
        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            for round, bad in enumerate([math.nan, math.inf, -math.inf]):
                self.assertIsNotNone(device.take_part(snapshot(round), Person([bad, 0, 1], math.nan)))

    def test_wrong_arguments_are_refused_before_anything_is_spent(self) -> None:
        with Stub(ACCEPTED) as stub:
            device = self.open(stub)
            with self.assertRaisesRegex(ValueError, "length of the gradient is 2; it must be 3"):
                device.report(snapshot(), [1, 2])
            with self.assertRaisesRegex(ValueError, "size is missing"):
                device.report(snapshot(size=1, slope_bound=1), [1, 2, 3])
            with self.assertRaisesRegex(ValueError, "FEATURES or GRADIENT"):
                device.report(snapshot(size=9), [1, 2, 3], 1)
            with self.assertRaisesRegex(ValueError, "release_delay is -1"):
                Device(self.ledger, Gateway(stub.url), 1, release_delay=-1)
            wrong: List[Any] = ["2", None, True, {}, math.nan]
            for value in wrong:
                with self.subTest(value=value), self.assertRaisesRegex(ValueError, "epsilon is .*; it must be"):
                    Device(self.ledger, Gateway(stub.url), value)
            for value in wrong:
                with self.subTest(value=value), self.assertRaisesRegex(ValueError, "release_delay is"):
                    Device(self.ledger, Gateway(stub.url), 1, release_delay=value)
            with self.assertRaisesRegex(ValueError, "ledger is of the type str; it must be a Ledger"):
                Device("ada.ledger", Gateway(stub.url), 1)  # type: ignore[arg-type]
        self.assertEqual((self.ledger.spent().reports, stub.requests), (0, []))

    def test_a_report_is_sent_a_whole_number_of_delays_after_its_beginning(self) -> None:
        with Stub(ACCEPTED) as stub, mock.patch("croupier_device.device.time") as clock:
            clock.time.return_value = 1e9
            for drawn, pause in [(0.01, 0.24), (0.3, 0.2)]:
                # The second report asks for the account first.
                clock.monotonic.side_effect = [5.0] * (1 if drawn == 0.01 else 2) + [5.0 + drawn]
                if drawn == 0.01:
                    device = self.open(stub, release_delay=0.25)
                device.take_part(snapshot(int(100 * drawn)), Person(), key=str(drawn))
                self.assertAlmostEqual(clock.sleep.call_args[0][0], pause, delta=1e-9)

    def test_a_transport_that_names_the_person(self) -> None:
        class Topic:
            names_user = True
            sent: List[Any] = []

            def send(self, person: str, report: bytes) -> None:
                self.sent.append((person, GradientReport.FromString(report).user_id))

        with Ledger(self.path, "ada", Limit()) as ledger:
            Device(ledger, Topic(), 1).take_part(snapshot(), Person())
        self.assertEqual(Topic.sent, [("ada", "ada")])


class SizesTest(unittest.TestCase):
    def test_sizes_are_those_that_the_clip_bounds(self) -> None:
        features, gradient = [3.0, 4.0, 0.0], [0.0, 1.0, 0.0]
        self.assertEqual(size_of_linear(snapshot(size=1, slope_bound=0.5).terms, features, gradient), 2.5)
        self.assertEqual(size_of_linear(snapshot(size=2).terms, features, gradient), 1)
        self.assertEqual(norm([1e300, 1e300]), math.hypot(1e300, 1e300))
        self.assertEqual(norm([math.nan, 0]), math.inf)

    def test_a_size_that_is_no_number_counts_as_infinite(self) -> None:
        for size in [math.nan, -1, math.inf]:
            self.assertTrue(is_above(size, 1))
            self.assertEqual(scaled([1.0, -2.0], size, 1), [0.0, -0.0])
        self.assertEqual(scaled([1.0, -2.0], 4, 1), [0.25, -0.5])
        self.assertEqual(scaled([1.0, -2.0], 1, 1), [1.0, -2.0])
        self.assertFalse(is_above(1, 1))


if __name__ == "__main__":
    unittest.main()
