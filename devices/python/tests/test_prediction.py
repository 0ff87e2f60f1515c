"""Data and predictions by the label and the loss of a spec, against those of the Java client."""
import hashlib
import json
import math
import pathlib
import struct
import unittest
from typing import Any, Dict, List

from croupier_device import CroupierError, ModelUpdate, Question, Snapshot
from croupier_device.losses import exp, log1p, probability

GOLDEN = json.loads((pathlib.Path(__file__).parent / "golden/predictions.json").read_text(encoding="utf-8"))
LABELS: Dict[str, Any] = {"logistic": True, "hinge": False, "softmax": "c", "squared": 7, "pinball": 7.5}


def snapshot(loss: str) -> Snapshot:
    return Snapshot.parse(bytes.fromhex(next(case["update"] for case in GOLDEN if case["loss"] == loss)))


def drawn(loss: str, state: int) -> Dict[str, Any]:
    """Row i of the golden cases, drawn as the Java test PredictorTest states."""
    def draw() -> float:
        nonlocal state
        state = (1664525 * state + 1013904223) % 2**32
        return state / 2**32

    row: Dict[str, Any] = {"walked": 240 * draw() - 30, "well": draw() < 0.5}
    row["shift"] = ("day", "night", "none")[int(3 * draw())]
    label = draw()
    row["y"] = ("a", "b", "c")[int(3 * label)] if loss == "softmax" else (
        label < 0.5 if loss in ("logistic", "hinge") else 16 * label - 5)
    return row


def row(label: Any) -> Dict[str, Any]:
    return {"walked": 45, "well": True, "shift": "night", "y": label}


class PredictionTest(unittest.TestCase):
    def test_gradients_and_predictions_are_those_of_java(self) -> None:
        for number, case in enumerate(GOLDEN):
            with self.subTest(case=number, loss=case["loss"]):
                model = Snapshot.parse(bytes.fromhex(case["update"]))
                gradients = [model.participant(drawn(case["loss"], i)).gradient() for i in range(100)]
                self.assertEqual(gradients[0], case["gradient"])
                numbers: List[float] = sum(gradients, [])
                packed = struct.pack(f"<{len(numbers)}d", *numbers)
                self.assertEqual(hashlib.sha256(packed).hexdigest(), case["digest"])
                self.assertEqual(model.predict(drawn(case["loss"], 0)), case["prediction"])
        self.assertEqual(len(GOLDEN), 50)

    def test_questions_are_answered(self) -> None:
        for loss, label in LABELS.items():
            with self.subTest(loss=loss):
                person = snapshot(loss).participant(row(label))
                has_classes = isinstance(label, (bool, str))
                self.assertEqual(person.can_answer(Question("q", "accuracy")), has_classes)
                self.assertFalse(person.can_answer(Question("q", "unknown")))
                self.assertTrue(person.answer(Question("q", "loss_above", -1.0)))
                self.assertFalse(person.answer(Question("q", "loss_above", 1e6)))
                self.assertEqual(len(person.row()), 6)
                self.assertEqual(repr(person), "Row()")

    def test_a_wrong_label_is_named_without_its_value(self) -> None:
        wrong = [
            ("logistic", 4567, "of another type; it must be True or False"),
            ("softmax", 4567, "of another type; it must be a text"),
            ("softmax", "no4567", "none of the model's classes; it must be one of a, b, c"),
            ("squared", "4567", "of another type; it must be a number"),
            ("pinball", math.nan, "not finite; it must be a number"),
            ("hinge", None, "missing; it must be True or False"),
        ]
        for loss, label, sentence in wrong:
            with self.subTest(loss=loss, sentence=sentence):
                with self.assertRaises(ValueError) as caught:
                    snapshot(loss).participant(row(label))
                self.assertEqual(str(caught.exception), f"label 'y' is {sentence}")

    def test_a_model_that_names_no_loss_is_refused(self) -> None:
        update = ModelUpdate.FromString(bytes.fromhex(GOLDEN[0]["update"]))
        update.predicts.ClearField("logistic")
        with self.assertRaisesRegex(CroupierError, "the loss of label 'y' is none that this version knows"):
            Snapshot.parse(update.SerializeToString()).participant(row(True))
        update.ClearField("predicts")
        with self.assertRaisesRegex(CroupierError, "the spec of model m has no predicts; it must name"):
            Snapshot.parse(update.SerializeToString()).participant(row(True))

    def test_features_are_those_of_the_model(self) -> None:
        model = snapshot("logistic")
        self.assertEqual(
            model.participant(row(True), model.features).gradient(), model.participant(row(True)).gradient())
        update = ModelUpdate.FromString(bytes.fromhex(GOLDEN[0]["update"]))
        update.features[1].range.to = 90
        with self.assertRaisesRegex(ValueError, "features is those of another model"):
            model.participant(row(True), Snapshot.parse(update.SerializeToString()).features)

    def test_the_squared_loss_has_no_size_of_features(self) -> None:
        update = ModelUpdate.FromString(bytes.fromhex(
            next(case["update"] for case in GOLDEN if case["loss"] == "squared")))
        update.size, update.slope_bound = 1, 1.0
        with self.assertRaisesRegex(ValueError, "slope of the loss is unbounded"):
            Snapshot.parse(update.SerializeToString()).participant(row(7))

    def test_the_ends_of_the_functions_are_exact(self) -> None:
        self.assertEqual([exp(0.0), exp(-math.inf), log1p(0.0), probability(0.0)], [1, 0, 0, 0.5])
        self.assertTrue(math.isnan(exp(math.nan)) and math.isnan(log1p(math.nan)))
        self.assertEqual([probability(math.inf), probability(-math.inf)], [1, 0])


if __name__ == "__main__":
    unittest.main()
