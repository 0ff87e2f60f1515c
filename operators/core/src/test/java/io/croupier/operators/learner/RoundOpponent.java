package io.croupier.operators.learner;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Chooses coins, as shares of the largest that a hypothesis allows. */
enum RoundOpponent {
  /** Lets the bettor win little for long, and then takes as much as it may. */
  BUILDING_UP {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      return t % 620 < 600 ? 0.04 : -1;
    }
  },
  BUILDING_UP_BRIEFLY {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      return t % 60 < 40 ? 0.1 : -1;
    }
  },
  AGAINST_THE_BET {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      return bet >= 0 ? -1 : 1;
    }
  },
  AGAINST_LARGE_BETS {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      return Math.abs(bet) > 0.3 ? -Math.signum(bet) : 0.2 * random.nextDouble();
    }
  },
  ALTERNATING {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      return t % 2 == 0 ? 1 : -1;
    }
  },
  CONSTANT {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      return -0.3;
    }
  },
  HEAVY_TAILS {
    @Override
    double coin(int t, double bet, SplittableRandom random) {
      double x = 0.05 + 0.1 * Math.tan(Math.PI * (random.nextDouble() - 0.5));
      return Math.max(-1, Math.min(1, x));
    }
  };

  abstract double coin(int t, double bet, SplittableRandom random);

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
