"""Which updates are usable."""
import math
import unittest

from updates import snapshot, update

from croupier_device import CroupierError, ModelUpdate, Snapshot
from croupier_device.snapshot import grid_exponent_of


class SnapshotTest(unittest.TestCase):
    def test_terms_of_a_fixed_clip(self) -> None:
        read = snapshot(3, bound=0.5, published_at_ms=17)
        self.assertEqual((read.model_id, read.round, read.published_at_ms), ("demo", 3, 17))
        self.assertEqual((read.weights, read.average), ([0.5] * 3, [0.25] * 3))
        terms = read.terms
        self.assertEqual((terms.dimension, terms.gradient_bound, terms.grid_exponent), (3, 0.5, -17))
        self.assertEqual((terms.size, terms.questions, terms.question_probability), (None, (), 0))
        self.assertFalse(terms.is_scouting)

    def test_the_round_of_a_served_average(self) -> None:
        self.assertEqual(snapshot(5, average_round=0).average_round, 0)
        self.assertIsNone(snapshot(5).average_round)

    def test_terms_of_a_moving_clip(self) -> None:
        terms = snapshot(size=1, slope_bound=0.75, question_probability=1).terms
        self.assertEqual((terms.size, terms.slope_bound), ("FEATURES", 0.75))
        self.assertTrue(terms.is_scouting)
        self.assertEqual(snapshot(size=2).terms.size, "GRADIENT")
        self.assertEqual(snapshot(size=9).terms.size, "UNKNOWN")

    def test_questions_are_read_in_their_order(self) -> None:
        terms = snapshot(questions=["b", "a"], question_probability=0.1).terms
        self.assertEqual([q.name for q in terms.questions], ["b", "a"])
        self.assertEqual((terms.questions[0].kind, terms.questions[0].threshold), ("loss_above", 0.5))

    def test_updates_that_are_not_usable(self) -> None:
        wrong = [
            (b"\xff", "it is no Protobuf"),
            (b"", "model_id is missing"),
            (update(-1), "round is missing or negative"),
            (ModelUpdate(model_id="demo", weights=[1], average=[1], gradient_bound=1, grid_exponent=-16).SerializeToString(),
             "round is missing or negative"),
            (update(dimension=0), "weights is missing"),
            (update(dimension=0, gradient_bound=1, statistics={"day": ["a", "b"]}), "weights is missing"),
            (update(dimension=0, question_probability=0.5, statistics={"day": ["a", "b"]}), "question_probability is not 1"),
            (update(answer_probability=1.5), "answer_probability"),
            (update(answer_probability=math.nan), "answer_probability"),
            (update(size=2, question_probability=-1), "question_probability"),
            (update(gradient_bound=0), "gradient_bound"),
            (update(gradient_bound=math.inf), "gradient_bound"),
            (update(size=2, grid_exponent=3), "grid_exponent"),
            (update(size=1), "slope_bound"),
            (update(questions=["a b"]), "a question has no valid name"),
            (update(model_id="a/b"), "model_id is missing"),
            (update(texts={"words": ("\u0001-\uffff", 4, 3, [""], [])}), "an alphabet has more than 128 letters"),
        ]
        for bytes_, words in wrong:
            with self.subTest(words=words), self.assertRaisesRegex(CroupierError, words):
                Snapshot.parse(bytes_)

    def test_weights_are_not_shown(self) -> None:
        self.assertNotIn("0.5,", repr(snapshot()))

    def test_the_grid_follows_the_bound(self) -> None:
        for bound, exponent in [(1, -16), (0.99, -17), (2, -15), (1e-300, -1013), (5e-324, -1090)]:
            self.assertEqual(grid_exponent_of(bound), exponent)


if __name__ == "__main__":
    unittest.main()
