"""Vectors of a person's features: those of the Java client, bit for bit."""
import json
import math
import pathlib
import struct
import unittest
from typing import Any, Dict

from croupier_device import CroupierError, Features, ModelUpdate, Snapshot

GOLDEN = pathlib.Path(__file__).parent / "golden" / "features.json"
ENCODER = b"abc"
DIGEST = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
ROW = {"walked": 45, "slept": 8.5, "well": True, "shift": "night", "note": 7}


def update() -> Any:
    message = ModelUpdate()
    message.features.add(name="one").intercept.SetInParent()
    walked = message.features.add(name="walked").range
    setattr(walked, "from", 0)
    walked.to = 180
    message.features.add(name="slept").moments.mean = 7
    message.features[2].moments.deviation = 1.5
    message.features.add(name="well").yes_no.SetInParent()
    message.features.add(name="shift").one_hot.categories.extend(["day", "night"])
    message.features.add(name="note").encoder.digest = DIGEST
    message.features[5].encoder.length = 2
    return message


def features() -> Features:
    return Features(update().features)


def encoding(output: Any) -> Features:
    return features().with_encoder("note", ENCODER, lambda value: output)


class FeaturesTest(unittest.TestCase):
    def test_vectors_are_those_of_java(self) -> None:
        count = 0
        for case in json.loads(GOLDEN.read_text(encoding="utf-8")):
            snapshot = Snapshot.parse(bytes.fromhex(case["update"]))
            made = snapshot.features
            for feature in snapshot.described:
                if feature.WhichOneof("kind") == "encoder":
                    made = made.with_encoder(feature.name, ENCODER, lambda value: value)
            self.assertEqual(made.size, snapshot.terms.dimension)
            for row in case["rows"]:
                vector = made.vector(row["row"])
                pack = f"<{made.size}d"
                self.assertEqual(struct.pack(pack, *vector), struct.pack(pack, *row["vector"]))
                count += 1
        self.assertEqual(count, 300)

    def test_each_kind_makes_its_values(self) -> None:
        self.assertEqual(encoding([0.5, 0]).vector(ROW), [1, -0.5, 1 / 3, 1, 0, 1, 0.5, 0])
        self.assertEqual(features().size, 8)
        self.assertEqual(features().names, ("one", "walked", "slept", "well", "shift", "note"))
        self.assertEqual(features().largest_norm, math.sqrt(6))

    def test_what_is_wrong_is_named_without_the_value(self) -> None:
        wrong: Dict[str, Any] = {
            "walked": [None, "17", True, 10**400, math.nan],
            "slept": [math.inf, [17]],
            "well": [None, 1, "yes"],
            "shift": [None, 17, True],
            "note": [None],
        }
        for name, values in wrong.items():
            for value in values:
                with self.subTest(name=name, value=value):
                    with self.assertRaises(ValueError) as caught:
                        encoding([1, 0]).vector({**ROW, name: value})
                    text = str(caught.exception)
                    self.assertRegex(text, f"^feature '{name}' is (missing|of another type|not finite); it must be ")
                    self.assertNotIn("17", text)

    def test_a_misspelt_name_is_named(self) -> None:
        with self.assertRaises(ValueError) as caught:
            encoding([1, 0]).vector({**ROW, "walked": None, "wlaked": 17, "age": 17})
        self.assertEqual(
            str(caught.exception),
            "feature 'walked' is missing; it must be a number; names in the row that are no feature's: 2")

    def test_an_encoder_is_used_only_with_its_digest(self) -> None:
        with self.assertRaisesRegex(CroupierError, f"feature 'note' needs the encoder with the digest {DIGEST}"):
            features().vector(ROW)
        with self.assertRaisesRegex(CroupierError, f"has the digest a52d.*; the model requires {DIGEST}"):
            features().with_encoder("note", b"abd", lambda value: [0, 0])
        with self.assertRaisesRegex(ValueError, "feature is walked; it must be one with an encoder"):
            features().with_encoder("walked", ENCODER, lambda value: [0, 0])
        with self.assertRaisesRegex(CroupierError, "returned 1 values; the model requires 2"):
            encoding([1]).vector(ROW)
        with self.assertRaisesRegex(CroupierError, "not finite"):
            encoding([1, math.inf]).vector(ROW)

    def test_no_error_contains_what_an_encoder_returned(self) -> None:
        for output in (["secret 7", 1], [10**400, 1], [None, 1], [{"secret": 7}, 1]):
            with self.assertRaises(CroupierError) as raised:
                encoding(output).vector(ROW)
            self.assertEqual(
                str(raised.exception), "the encoder of feature 'note' returned a value that is not finite")
            self.assertIsNone(raised.exception.__context__, "which a traceback would print")

    def test_unknown_kinds_are_refused_by_devices_that_use_them(self) -> None:
        message = update()
        message.features.add(name="sound")
        with self.assertRaisesRegex(CroupierError, "feature 'sound' is of no kind"):
            Features(message.features)


if __name__ == "__main__":
    unittest.main()
