"""What a device learns of the job's account of its person, and when it asks."""
import json
import math
import pathlib
import tempfile
import unittest
from typing import Any, Dict, List
from unittest import mock

from stub import ACCEPTED, Answer, Stub
from updates import Person, snapshot

from croupier_device import (
    CroupierError, Device, Gateway, GatewayError, JobRefusedError, Ledger, Limit)

MINUTE = 60.0


class AccountTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "ada.ledger"
        self.now = 1000.0
        for name, function in (("sleep", lambda seconds: None), ("monotonic", lambda: self.now)):
            patch = mock.patch(f"croupier_device.device.time.{name}", function)
            patch.start()
            self.addCleanup(patch.stop)
        self.stub = Stub(ACCEPTED)
        self.addCleanup(self.stub.__exit__)
        self.open()

    def open(self) -> None:
        self.ledger = Ledger(self.path, "ada", Limit())
        self.addCleanup(self.ledger.close)
        self.device = Device(self.ledger, Gateway(self.stub.url, lambda: "token", patience=0), 2)

    def report(self, round: int) -> None:
        self.device.report(snapshot(round), Person().gradient())

    def refused(self, round: int) -> str:
        with self.assertRaises(JobRefusedError) as caught:
            self.report(round)
        self.assertEqual(caught.exception.account["asOfMs"], 1_800_000_000_000)
        return str(caught.exception)

    def answer(self, highest: int, left: Dict[str, Any], *refusals: Dict[str, Any]) -> None:
        self.stub.account = Answer(200, json.dumps({
            "asOfMs": "1800000000000", "spent": {"reports": "1"}, "left": left,
            "models": [{"modelId": "other", "spent": {}, "left": {"reports": "0"}}],
            "devices": [{"deviceId": self.ledger.device_id, "highestSequence": str(highest)}],
            "refusals": refusals}).encode())

    def refusal(self, sequence: int, outcome: str, at_ms: int, model: str = "demo") -> Dict[str, Any]:
        return {"modelId": model, "deviceId": self.ledger.device_id, "sequence": str(sequence), "outcome": outcome,
                "reason": "because", "appendedAtMs": str(at_ms)}

    def test_the_account_has_numbers(self) -> None:
        self.stub.account = Answer(200, json.dumps({
            "asOfMs": "7", "spent": {"reports": "3", "epsilon": "Infinity"}, "left": {"epsilon": 0.5},
            "refusals": [{"modelId": "12", "deviceId": "34", "sequence": "5", "reason": "6", "appendedAtMs": "7"}]}).encode())
        account = self.device.account()
        self.assertEqual(account["asOfMs"], 7)
        self.assertEqual(account["spent"], {"reports": 3, "epsilon": math.inf})
        self.assertEqual(account["left"], {"epsilon": 0.5})
        self.assertEqual(account["models"], [])
        self.assertEqual(account["refusals"], [
            {"modelId": "12", "deviceId": "34", "sequence": 5, "reason": "6", "appendedAtMs": 7}])
        self.assertEqual(self.stub.asked[0].headers["Authorization"], "Bearer token")

    def test_a_stopped_persons_device_draws_nothing_until_the_end_of_the_stop(self) -> None:
        """The report that met the stop doesn't keep the device from reporting after it."""
        self.report(0)
        self.answer(-1, {"epsilon": 100}, self.refusal(0, "REFUSED_STOPPED", 1_799_999_999_999))
        account = self.stub.account
        self.stub.account = Answer(200, account.body.replace(b"{", b'{"stopped": true, ', 1))
        self.assertRegex(self.refused(1), "the person is stopped")
        self.stub.account = account
        self.now += MINUTE
        self.report(1)

    def test_without_an_answer_the_device_goes_on(self) -> None:
        """An old gateway answers 404, another server perhaps nothing of use."""
        self.report(0)
        self.assertEqual(self.stub.asked, [])
        self.report(1)
        parts = [
            '"left": null', '"left": {"reports": {}}', '"models": {}', '"models": [null]',
            '"models": [{"modelId": "demo", "left": 1}]', '"devices": {}', '"devices": [{}]', '"refusals": null',
            '"refusals": [{"deviceId": "%s", "sequence": "1"}]' % self.ledger.device_id]
        answers: List[bytes] = [
            b"{}", b"[]", b'{"spent": 1}', b"no", b'{"spent": {}}', b'{"asOfMs": "1", "spent": null}', b"[" * 30_000,
            *(('{"asOfMs": "1", "spent": {}, %s}' % part).encode() for part in parts)]
        for round, body in enumerate(answers):
            self.now += MINUTE
            self.stub.account = Answer(200, body)
            self.report(2 + round)
            with self.assertRaises(GatewayError):
                self.device.account()
        self.assertEqual(len(self.stub.requests), 2 + len(answers))

    def test_asks_once_for_each_report_and_once_a_minute(self) -> None:
        self.answer(0, {"epsilon": 100})
        for round in range(20):
            self.report(round)
        self.assertEqual(len(self.stub.asked), 1)
        self.now += MINUTE
        self.answer(19, {"epsilon": 100})
        self.report(20)
        self.assertEqual(len(self.stub.asked), 2)

    def test_stops_where_the_jobs_limit_leaves_too_little(self) -> None:
        """Other devices of the person have spent what the job allows."""
        self.report(0)
        self.answer(0, {"epsilon": 1.999999999}, self.refusal(7, "REFUSED_BUDGET", 0))
        self.assertEqual(
            self.refused(1),
            "the job's limits on all models admit no report of this person now; the last was refused: because")
        self.refused(2)
        self.assertEqual(len(self.stub.asked), 1)
        self.assertEqual(len(self.stub.requests), 1)
        self.assertEqual(self.ledger.spent().reports, 1)
        self.now += MINUTE
        self.answer(0, {"epsilon": 2})
        self.report(3)

    def test_stops_for_a_day_after_a_refusal(self) -> None:
        self.report(0)
        self.answer(0, {}, self.refusal(0, "REFUSED_SEQUENCE", 1_799_913_600_001))
        self.assertEqual(self.refused(1), "the job refused this device's report 0: because")
        self.now += MINUTE
        self.answer(0, {}, self.refusal(0, "REFUSED_SEQUENCE", 1_799_913_600_000))
        self.report(1)

    def test_an_older_copy_of_the_ledger_draws_nothing(self) -> None:
        """The job would refuse its numbers, and charge each report; and it lacks what was spent."""
        self.report(0)
        self.answer(3, {"epsilon": 100})
        self.assertRegex(
            self.refused(1),
            "^the job has judged report 3 of this device, and its ledger ends with report 0: it is an older copy, ")
        self.assertEqual(self.ledger.spent().reports, 1)
        self.now += MINUTE
        self.answer(0, {"epsilon": 100})
        self.report(1)

    def test_a_refusal_concerns_its_model(self) -> None:
        """A limit that leaves enough again, and another model's terms, don't stop a device."""
        self.report(0)
        cases = [("demo", "REFUSED_SEQUENCE", True), ("other", "REFUSED_SEQUENCE", True),
                 ("demo", "REFUSED_DECLARATION", True), ("other", "REFUSED_DECLARATION", False),
                 ("demo", "REFUSED_BUDGET", False), ("other", "REFUSED_BUDGET", False)]
        for round, (model, outcome, stops) in enumerate(cases, 1):
            with self.subTest(model=model, outcome=outcome):
                self.now += MINUTE
                last = self.ledger.spent().reports - 1
                self.answer(last, {"epsilon": 100}, self.refusal(last, outcome, 1_800_000_000_000, model))
                if stops:
                    self.assertEqual(self.refused(round), f"the job refused this device's report {last}: because")
                else:
                    self.report(round)

    def test_without_what_is_left_the_refusal_stops(self) -> None:
        self.report(0)
        self.answer(0, {}, self.refusal(0, "REFUSED_BUDGET", 1_800_000_000_000))
        account = json.loads(self.stub.account.body)
        del account["left"]
        self.stub.account = Answer(200, json.dumps(account).encode())
        self.assertEqual(self.refused(1), "the job refused this device's report 0: because")

    def test_what_is_left_of_mu_does_not_show_whether_a_report_fits(self) -> None:
        self.report(0)
        for left in [{"mu": 0.1}, {"epsilon": 100, "epsilonAtDelta": 0.1}]:
            with self.subTest(left=left):
                self.now += MINUTE
                self.answer(0, left, self.refusal(0, "REFUSED_BUDGET", 1_800_000_000_000))
                self.assertEqual(self.refused(1), "the job refused this device's report 0: because")

    def test_another_process_asks_before_its_first_report(self) -> None:
        self.report(0)
        self.ledger.close()
        self.open()
        self.answer(0, {"reports": "0"})
        self.assertIn("on all models", self.refused(1))

    def test_another_transport_has_no_account(self) -> None:
        transport = mock.Mock(spec=["names_user", "send"], names_user=True)
        device = Device(self.ledger, transport, 2)
        device.report(snapshot(0), Person().gradient())
        device.report(snapshot(1), Person().gradient())
        with self.assertRaises(CroupierError):
            device.account()


if __name__ == "__main__":
    unittest.main()
