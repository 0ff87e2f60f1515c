package io.croupier.operators.learner;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Chooses coins, as shares of the largest that a hypothesis allows. */
enum RoundOpponent {
  /** Lets the bettor win little for long, and then takes as much as it may. */
  BUILDING_UP((t, bet, random) -> t % 620 < 600 ? 0.04 : -1),
  BUILDING_UP_BRIEFLY((t, bet, random) -> t % 60 < 40 ? 0.1 : -1),
  AGAINST_THE_BET((t, bet, random) -> bet >= 0 ? -1 : 1),
  AGAINST_LARGE_BETS(
      (t, bet, random) -> Math.abs(bet) > 0.3 ? -Math.signum(bet) : 0.2 * random.nextDouble()),
  ALTERNATING((t, bet, random) -> t % 2 == 0 ? 1 : -1),
  CONSTANT((t, bet, random) -> -0.3),
  HEAVY_TAILS(
      (t, bet, random) -> {
        double x = 0.05 + 0.1 * Math.tan(Math.PI * (random.nextDouble() - 0.5));
        return Math.max(-1, Math.min(1, x));
      });

  /** A coin of a round, given the bet. */
  private interface Coin {
    double of(int t, double bet, SplittableRandom random);
  }

  @SuppressWarnings("ImmutableEnumChecker") // a function of its arguments alone
  private final Coin coin;

  RoundOpponent(Coin coin) {
    this.coin = coin;
  }

  double coin(int t, double bet, SplittableRandom random) {
    return coin.of(t, bet, random);
  }

  /** Coins of a round about any of the newest publications, of the sum {@code size} at most. */
  List<RoundGame.Part> late(
      RoundGame game, int t, int delay, double size, SplittableRandom random) {
    List<Integer> named = new ArrayList<>();
    for (int j = Math.max(0, t - delay); j <= t; j++) {
      if (random.nextInt(delay + 1) < 2 || (j == t && named.isEmpty())) {
        named.add(j);
      }
    }
    List<RoundGame.Part> parts = new ArrayList<>();
    for (int j : named) {
      double coin = coin(7 * t, game.bets.get(j).magnitude(), random);
      parts.add(new RoundGame.Part(j, size * coin / named.size(), 1.0 / named.size()));
    }
    return parts;
  }

  /** The weight of a round: 1, or any. */
  static double lambda(int t, boolean varies, SplittableRandom random) {
    return varies && t > 0 ? random.nextDouble(0.05, 2) : 1;
  }
}
