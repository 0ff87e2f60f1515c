"""The randomisers against their laws.

Seeds are fixed. Were they new on every run, each statistical assertion would fail with a probability of
at most 1e-9: chi-square by its bound of Laurent and Massart (2000, lemma 1), means by Hoeffding.
"""
import math
import random
import unittest
from decimal import ROUND_FLOOR, Decimal, localcontext

from seeded import bits

from croupier_device import randomisers
from croupier_device.randomisers import HashedResponse, PrivUnit, RandomisedResponse
from croupier_device.vectors import expand_candidate, group_of

FALSE_ALARM = 1e-9
LEVELS = [1e-9, 1e-3, 0.1, 1 / 3, 1, 2, 3.7, 8, 13.123456789, 16]


class CoinsTest(unittest.TestCase):
    def exact(self, nanos: int) -> Decimal:
        with localcontext() as context:
            context.prec = 80
            return (Decimal(nanos) / 10**9).exp()

    def test_the_coin_is_rounded_up_by_at_most_1e_12_of_it(self) -> None:
        for epsilon in LEVELS:
            with self.subTest(epsilon=epsilon), localcontext() as context:
                context.prec = 80
                nanos = randomisers.epsilon_nanos(epsilon)
                exact = 2**63 / self.exact(nanos)
                coin = randomisers.acceptance(nanos)
                self.assertGreaterEqual(coin, exact)
                self.assertLessEqual(coin, exact * (1 + Decimal("1e-12")) + 1)
                # Also for the double that the report declares.
                self.assertGreaterEqual(coin, 2**63 / Decimal(nanos / 1e9).exp())

    def test_flips_are_rounded_up_by_at_most_1e_12_of_them(self) -> None:
        for epsilon in LEVELS:
            with self.subTest(epsilon=epsilon), localcontext() as context:
                context.prec = 80
                nanos = randomisers.epsilon_nanos(epsilon)
                exact = 2**63 / (1 + self.exact(nanos))
                flips = randomisers.flips(nanos)
                self.assertGreaterEqual(flips, exact.to_integral_value(ROUND_FLOOR))
                self.assertGreaterEqual(flips, min(exact, Decimal(2**62)))
                self.assertLessEqual(flips, exact * (1 + Decimal("1e-12")) + 1)
                self.assertLessEqual(flips, 2**62)

    def test_levels_are_rounded_down_as_written(self) -> None:
        for epsilon, nanos in [(0.1, 10**8), (2, 2 * 10**9), (1.23456789049, 1234567890), (1e-9, 1), (16, 16 * 10**9)]:
            self.assertEqual(randomisers.epsilon_nanos(epsilon), nanos)

    def test_levels_do_not_depend_on_the_decimals_of_a_program(self) -> None:
        with localcontext() as context:
            context.prec = 2
            self.assertEqual(randomisers.epsilon_nanos(1.2345), 1_234_500_000)

    def test_levels_out_of_range_are_refused(self) -> None:
        for epsilon in [0, -1, 1e-10, 16.5, math.inf, math.nan]:
            with self.subTest(epsilon=epsilon), self.assertRaisesRegex(ValueError, "must be from 1e-9 to 16"):
                PrivUnit(2, epsilon)
            with self.subTest(epsilon=epsilon), self.assertRaisesRegex(ValueError, "must be from 1e-9 to 16"):
                RandomisedResponse(epsilon)


class PrivUnitTest(unittest.TestCase):
    def test_indices_have_their_law(self) -> None:
        """The law of the index for a fixed top, exactly: a chi-square over all indices."""
        draws, size = 20_000, 16
        for epsilon, count in [(0.25, 5), (1, 5), (2.5, 1), (4, 8), (1e-9, 2)]:
            with self.subTest(epsilon=epsilon, count=count):
                top = [False] * size
                for k in range(count):
                    top[(5 * k + 2) % size] = True
                coin = randomisers.acceptance(randomisers.epsilon_nanos(epsilon))
                source, observed = bits(10), [0] * size
                for _ in range(draws):
                    observed[randomisers.draw_index(top, coin, source)] += 1
                total = count * math.exp(epsilon) + size - count
                expected = [draws * (math.exp(epsilon) if t else 1) / total for t in top]
                statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected))
                x = math.log(1 / FALSE_ALARM)
                self.assertLess(statistic, size - 1 + 2 * math.sqrt((size - 1) * x) + 2 * x)

    def test_the_mean_of_releases_is_the_clipped_gradient(self) -> None:
        # The length M is that of the top in docs/reference/priv-unit.md.
        for dimension, epsilon, top, length, gradient in [
                (1, 2, 19, 1.7893568464021854, [0.3]), (3, 4, 6, 1.4827889538455004, [0.2, -0.1, 0.3]),
                (2, 1, 24, 4.107997570951269, [30, 40])]:
            with self.subTest(dimension=dimension, epsilon=epsilon):
                bound, draws = 0.5, 1500
                randomiser = PrivUnit(dimension, epsilon, 64, top, bits=bits(3))
                norm = math.hypot(*gradient)
                clipped = [g * min(1, bound / norm) for g in gradient]
                sums = [0.0] * dimension
                for _ in range(draws):
                    choice = randomiser.choose(gradient, bound)
                    vector = expand_candidate(choice.seed, choice.index, length * bound, dimension)
                    sums = [s + v for s, v in zip(sums, vector)]
                radius = length * bound
                within = radius * math.sqrt(2 * math.log(2 * dimension / FALSE_ALARM) / draws)
                for total, mean in zip(sums, clipped):
                    self.assertAlmostEqual(total / draws, mean, delta=within)
                # The error along the gradient is also small against an answer without it, at epsilon 4.
                if epsilon == 4:
                    inner = sum(s / draws * c for s, c in zip(sums, clipped)) / math.hypot(*clipped)
                    self.assertGreater(inner, 0.1)

    def test_a_report_is_likelier_with_its_gradient_by_the_declared_factor(self) -> None:
        """Opposite gradients at one seed: the share of the top is that of epsilon."""
        epsilon, draws, size = 2.0, 4000, 64
        randomiser = PrivUnit(2, epsilon, size, bits=bits(5))
        in_top = 0
        seeds = bits(6)
        for _ in range(draws // 100):
            seed = seeds(64)
            direction = randomisers.lift([0.4, 0.3], 0.5)
            heights = [randomisers.height(seed, pair, direction) for pair in range(size // 2)]
            top = randomisers.top_of(heights, randomiser.top)
            for _ in range(100):
                in_top += top[randomisers.draw_index(top, randomiser._coin, seeds)]
        share = randomiser.top * math.exp(epsilon) / (randomiser.top * math.exp(epsilon) + size - randomiser.top)
        self.assertAlmostEqual(in_top / draws, share, delta=math.sqrt(math.log(2 / FALSE_ALARM) / (2 * draws)))

    def test_the_seed_does_not_depend_on_the_gradient(self) -> None:
        for n in range(20):
            seeds = {PrivUnit(2, 8, 64, bits=bits(n)).choose(g, 1).seed
                     for g in ([0, 0], [math.sin(n), math.cos(n)], [math.nan, 1])}
            self.assertEqual(seeds, {bits(n)(64)})

    def test_the_top_has_exactly_k_of_the_largest_sizes(self) -> None:
        cases = [[0.0] * 5, [-1, 1, -1, 1, -1], [0.1, -0.9, 0.5, -0.5, 0.5, 0.2], [1, -2, 0.5, -0.0]]
        for heights in cases:
            for count in range(1, len(heights) + 1):
                top = randomisers.top_of(heights, count)
                self.assertEqual(sum(top), count)
                chosen = [i for i in range(len(heights)) if top[2 * i] or top[2 * i + 1]]
                order = sorted(range(len(heights)), key=lambda i: (-abs(heights[i]), i))
                self.assertEqual(chosen, sorted(order[:count]))
                for i in chosen:
                    self.assertEqual(top[2 * i + 1], heights[i] < 0)

    def test_gradients_are_clipped_and_lifted(self) -> None:
        tiny = 5e-324
        for gradient in [[0, 0], [0.3, 0, 0.4], [3, 0, -4], [1e300, 0, -1e300], [tiny, 0, tiny], [1.7e308, -1.7e308]]:
            for bound in [1, 0.5, 1e-300, tiny]:
                with self.subTest(gradient=gradient, bound=bound):
                    lifted = randomisers.lift(gradient, bound)
                    self.assertAlmostEqual(math.hypot(*lifted), 1, delta=1e-15)
                    norm = math.hypot(*gradient) if max(map(abs, gradient)) < 1e308 else math.inf
                    if 1e-300 < norm <= bound:
                        for value, g in zip(lifted, gradient):
                            self.assertAlmostEqual(value, g / bound, delta=1e-15)
                    elif norm > bound:
                        self.assertAlmostEqual(lifted[-1], 0, delta=1e-7)

    def test_a_gradient_that_is_not_finite_becomes_zero(self) -> None:
        for gradient in [[math.nan, 0.0], [1.0, math.inf], [-math.inf, math.nan]]:
            self.assertEqual(randomisers.lift(gradient, 1.0), [0.0, 0.0, 1.0])

    def test_wrong_arguments_are_refused(self) -> None:
        randomiser = PrivUnit(2, 1, 64)
        with self.assertRaisesRegex(ValueError, "length of the gradient is 3; it must be 2"):
            randomiser.choose([1, 2, 3], 1)
        for bound in [0, -1, math.inf, math.nan]:
            with self.assertRaisesRegex(ValueError, "gradient_bound is .*; it must be positive and finite"):
                randomiser.choose([1, 2], bound)
        with self.assertRaisesRegex(ValueError, "dimension is 0"):
            PrivUnit(0, 1)
        with self.assertRaisesRegex(ValueError, "candidates is 65"):
            PrivUnit(2, 1, 65)
        with self.assertRaisesRegex(ValueError, "candidates is 64; it must be more, at epsilon 9.1"):
            PrivUnit(20, 9.1, 64)
        for top in (-1, 33):
            with self.assertRaisesRegex(ValueError, f"top is {top}; it must be from 1 to half the candidates, 32"):
                PrivUnit(2, 1, 64, top)

    def test_a_choice_is_not_shown(self) -> None:
        self.assertEqual(repr(PrivUnit(2, 1, 64).choose([1, 2], 1)), "Choice()")


class RandomisedResponseTest(unittest.TestCase):
    def test_bits_are_inverted_with_their_probability(self) -> None:
        draws = 20_000
        within = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * draws))
        for epsilon in [1e-9, 0.5, 2, 4]:
            for truth in [True, False]:
                with self.subTest(epsilon=epsilon, truth=truth):
                    randomiser = RandomisedResponse(epsilon, bits=bits(11))
                    wrong = sum(randomiser.release(truth) != truth for _ in range(draws))
                    self.assertAlmostEqual(wrong / draws, 1 / (1 + math.exp(epsilon)), delta=within)

    def test_the_draw_does_not_depend_on_the_answer(self) -> None:
        yes, no = RandomisedResponse(1, bits=bits(1)), RandomisedResponse(1, bits=bits(1))
        for _ in range(200):
            self.assertNotEqual(yes.release(True), no.release(False))


class SourceTest(unittest.TestCase):
    def test_noise_comes_from_the_operating_system(self) -> None:
        """Seeding Python's own generator doesn't make draws repeat: equal seeds of 64 bits, at 2^-64."""
        drawn = set()
        for _ in range(2):
            random.seed(1)
            drawn.add(PrivUnit(1, 1, 64).choose([0], 1).seed)
        self.assertEqual(len(drawn), 2)



class HashedResponseTest(unittest.TestCase):
    def test_groups_have_their_law(self) -> None:
        """Numbered from that of the category: a chi-square over all groups."""
        draws = 20_000
        for categories, epsilon in [(4, 1), (32, 1), (5, 3), (1000, 2)]:
            with self.subTest(categories=categories, epsilon=epsilon):
                randomiser = HashedResponse(epsilon, categories, bits=bits(11))
                observed = [0] * randomiser.groups
                for n in range(draws):
                    category = n % categories
                    group = randomiser.release(category)
                    own = category
                    if group.seed is not None:
                        own = group_of(group.seed, category, randomiser.groups)
                    observed[(group.index - own) % randomiser.groups] += 1
                total = math.exp(epsilon) + randomiser.groups - 1
                expected = [draws * (math.exp(epsilon) if n == 0 else 1) / total for n in range(randomiser.groups)]
                statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected))
                x, freedom = math.log(1 / FALSE_ALARM), randomiser.groups - 1
                self.assertLess(statistic, freedom + 2 * math.sqrt(freedom * x) + 2 * x)

    def test_many_categories_are_hashed(self) -> None:
        self.assertEqual((HashedResponse(1, 10).groups, HashedResponse(1, 10).is_hashed), (10, False))
        self.assertEqual((HashedResponse(1, 11).groups, HashedResponse(1, 11).is_hashed), (4, True))

    def test_groups_are_as_documented(self) -> None:
        for seed, category, groups, group in [
                (42, 0, 8, 5), (42, 31, 8, 4), (2**64 - 1, 0, 8, 7), (0, 1023, 342, 336), (7, 3, 1024, 479)]:
            self.assertEqual(group_of(seed, category, groups), group)

    def test_arguments_out_of_range_are_refused(self) -> None:
        for categories in [1, 4097]:
            with self.assertRaisesRegex(ValueError, "categories is .* must be from 2 to 4096"):
                HashedResponse(1, categories)
        with self.assertRaisesRegex(ValueError, "category is out of range; it must be from 0 to 3"):
            HashedResponse(1, 4).release(4)


if __name__ == "__main__":
    unittest.main()
