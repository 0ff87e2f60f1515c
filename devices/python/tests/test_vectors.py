"""From a seed to its vectors: the test vectors of lab/proofs/vectors.md."""
import math
import unittest

from croupier_device import vectors


class VectorsTest(unittest.TestCase):
    def test_candidates_are_those_of_the_specification(self) -> None:
        cases = [
            (42, 0, [0.5374741559832398, 0.8126175453474026, -0.02570919669236707, -0.22385998715513974]),
            (42, 1, [0.1110123635551725, 0.9397892202495565, 0.2856058158953373, -0.15133338880558783]),
            (42, 7, [0.7631888992464865, -0.6295609401592449, -0.14558752244867737]),
            (2**64 - 1, 0, [-0.9277186598270581, 0.37328017387571927]),
            (0, 2047, [0.2567749132215061, -0.09274631366777444, -0.8968863426110805, -0.2951260371373846,
                       0.18428314052682437]),
        ]
        for seed, pair, expected in cases:
            with self.subTest(seed=seed, pair=pair):
                dimension = len(expected) - 1
                even = vectors.expand_candidate(seed, 2 * pair, 1.0, dimension)
                odd = vectors.expand_candidate(seed, 2 * pair + 1, 1.0, dimension)
                self.assertEqual(even, expected[:-1])
                self.assertEqual(odd, [-x for x in expected[:-1]])
                last = vectors.height(seed, pair, [0.0] * dimension + [1.0])
                self.assertAlmostEqual(last, expected[-1], delta=1e-15)

    def test_the_table_is_the_specified_one(self) -> None:
        table = vectors.knots()
        self.assertEqual(len(table), 6145)
        self.assertEqual(table[:3], [109664873, 104526420, 102689250])
        self.assertEqual((table[1000], table[6143], table[6144]), (82382614, 41069, 0))

    def test_heights_are_inner_products(self) -> None:
        direction = [0.6, 0.0, -0.48, 0.64]
        for pair in range(40):
            candidate = vectors.expand_candidate(7, 2 * pair, 1.0, 3)
            whole = candidate + [vectors.height(7, pair, [0.0, 0.0, 0.0, 1.0])]
            self.assertAlmostEqual(
                vectors.height(7, pair, direction), math.fsum(a * b for a, b in zip(whole, direction)),
                delta=1e-14)


if __name__ == "__main__":
    unittest.main()
