"""Tops and lengths of priv_unit against golden values of 40 digits: [d, epsilon, N, K, M]."""
import json
import pathlib
import unittest

from croupier_device.sphere import best_top

GOLDEN = pathlib.Path(__file__).parent / "golden" / "priv_unit.json"


class SphereTest(unittest.TestCase):
    def test_tops_and_lengths_are_the_golden_ones(self) -> None:
        cases = json.loads(GOLDEN.read_text(encoding="utf-8"))
        self.assertEqual(len(cases), 126)
        for dimension, epsilon, candidates, top, scale in cases:
            with self.subTest(dimension=dimension, epsilon=epsilon, candidates=candidates):
                own_top, own_scale = best_top(dimension, epsilon, candidates)
                self.assertEqual(own_top, top)
                self.assertAlmostEqual(own_scale / scale, 1, delta=1e-12)

    def test_too_few_candidates_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "candidates is 64; it must be more, at epsilon 16"):
            best_top(20, 16.0, 64)


if __name__ == "__main__":
    unittest.main()
