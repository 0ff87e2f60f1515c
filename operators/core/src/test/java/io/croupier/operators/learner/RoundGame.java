package io.croupier.operators.learner;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * A bettor that plays rounds, what it has lost, each round's coins over the unit of its newest
 * publication, and what theorems 1 to 3 of docs/theory/rounds.md state about that. G = 1 and W0 =
 * 1.
 */
final class RoundGame {
  static final double RHO = BettingRule.SquaredCoin.RHO;
  static final double KAPPA = BettingRule.SquaredCoin.KAPPA;

  /** More than the relative error of {@link #integral}. */
  static final double UP = 1.02;

  private static final int NODES = 200;

  /** The coin of one publication in a round. */
  record Part(int named, double coin, double share) {}

  /** What the bettor knew at a publication, and its bet. */
  record Bet(double magnitude, double coins, double upper, double lower) {
    double variance(int side) {
      return side > 0 ? upper : lower;
    }

    /** Phi, the wealth that an expert of a side bets a fraction of. */
    double potential(int side, double v) {
      return Math.exp(side * v * coins - v * v * variance(side));
    }
  }

  /** A round that was played: its parts, h of the upper side before it, and of both after it. */
  record Played(List<Part> parts, double lambda, double h, double upper, double lower) {
    double after(int own) {
      return own == 0 ? upper : lower;
    }

    double coin() {
      return parts.stream().mapToDouble(Part::coin).sum();
    }
  }

  private final MagnitudeLearner learner;
  private final MagnitudeLearner.State state = new MagnitudeLearner.State();
  final List<Bet> bets = new ArrayList<>();
  final List<Played> rounds = new ArrayList<>();
  double unit = 1;
  double losses;
  double turnover;
  private double forgotten;
  private double jumps;
  boolean keepsY = true;

  /** h after the first round, and what it is at least by the number of its reports. */
  double first;

  double floor;

  RoundGame(Prior prior) {
    learner = TestLearners.bettor(prior);
    publish();
  }

  private void publish() {
    bets.add(
        new Bet(state.magnitude(), state.coins(), state.upperVariance(), state.lowerVariance()));
  }

  Bet newest() {
    return bets.get(bets.size() - 1);
  }

  private double[] bounds() {
    return new double[] {state.upperBound(), state.lowerBound()};
  }

  void timely(double coin, int reports, double lambda) {
    play(List.of(new Part(bets.size() - 1, coin, 1)), reports, lambda);
  }

  void play(List<Part> parts, int reports, double lambda) {
    RoundCoins coins = new RoundCoins();
    Round reported = new Round();
    TestRounds.add(reported, 0, reports, 1, new double[1], 0);
    Bet now = newest();
    double total = 0;
    for (Part part : parts) {
      Bet bet = bets.get(part.named);
      coins.add(
          part.coin,
          now.coins - bet.coins,
          now.upper - bet.upper,
          now.lower - bet.lower,
          part.share);
      losses -= part.coin / unit * bet.magnitude;
      turnover += Math.abs(part.coin / unit * bet.magnitude);
      total += part.coin;
    }
    double before = state.upperBound();
    learner.observe(state, coins, reported, lambda, 1);
    Played round = new Played(parts, lambda, before, state.upperBound(), state.lowerBound());
    rounds.add(round);
    jumps += jump(round, now);
    if (rounds.size() == 1) {
      first = state.upperBound();
      floor = lambda * Math.max(1 / Math.sqrt(reports), KAPPA / reports);
    }
    keepsY &= isAboveY(1, parts, total, now) && isAboveY(-1, parts, total, now);
    learner.bet(state, unit);
    publish();
  }

  /** Whether h is at least Y, or no coin loses to it. */
  private boolean isAboveY(int side, List<Part> parts, double total, Bet before) {
    if (parts.stream().noneMatch(part -> side * part.coin < 0)) {
      return true;
    }
    double grown = (side > 0 ? state.upperVariance() : state.lowerVariance());
    double penalty = Math.max(0, grown - before.variance(side) - total * total);
    double loss = Math.max(0, -side * total);
    double required = (loss + Math.sqrt(loss * loss + penalty)) / 2;
    return (side > 0 ? state.upperBound() : state.lowerBound()) >= required * (1 - 1e-9);
  }

  /** Discounts by beta, and doubles the unit of the wealth. */
  void endRound(double beta, boolean doubles) {
    learner.discount(state, beta);
    forgotten -= 2 * Math.log(beta);
    unit *= doubles ? 2 : 1;
    learner.bet(state, unit);
    bets.remove(bets.size() - 1);
    publish();
  }

  double regret(double u) {
    return losses + u * Math.abs(state.coins());
  }

  double slack() {
    return 1e-9 * (1 + turnover);
  }

  /** The first brackets of theorems 1 and 2, times U, without the direction's. */
  private double againstComparator(double u, double variance, double bound) {
    if (u == 0) {
      return 0;
    }
    double k1 = Math.max(1, 4 / 3.0 * Math.log(9 * u * Math.sqrt(variance)));
    double k2 = Math.max(1, 1.6 * Math.log(22 * u * bound));
    return u * Math.max(2 * Math.sqrt(variance * k1), 4 * bound * k2);
  }

  double theorem1(double u) {
    double h = state.upperBound();
    double v = state.upperVariance();
    return againstComparator(u, v, h)
        + ein(v / (4 * h * h))
        + 2 * Math.log(h / first)
        + forgotten
        + UP * jumps;
  }

  /** Debt of theorem 1: of a coin above 2 h, what the losing fractions above 1 / |C| bet. */
  private double jump(Played round, Bet bet) {
    double coin = Math.abs(round.coin());
    double h = round.h;
    if (rounds.size() == 1 || coin <= 2 * h) {
      return 0;
    }
    int loser = round.coin() > 0 ? -1 : 1;
    return (coin - 2 * h) * integral(1 / coin, RHO / h, v -> v * bet.potential(loser, v));
  }

  double theorem2(double u) {
    int side = state.coins() >= 0 ? 1 : -1;
    double[] h = bounds();
    double[] v = {state.upperVariance(), state.lowerVariance()};
    int own = side > 0 ? 0 : 1;
    return againstComparator(u, v[own], h[own])
        + ein(v[0] / (4 * h[0] * h[0])) / 2
        + ein(v[1] / (4 * h[1] * h[1])) / 2
        + Math.log1p(0.9 * Math.abs(state.coins()) / h[1 - own]);
  }

  /** Of both sides, from a first range on. */
  double dropped(double from) {
    return Math.log(state.upperBound() / from) + Math.log(state.lowerBound() / from);
  }

  /** Debt of theorem 2. */
  double openBets() {
    double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
      int s = side;
      int own = side > 0 ? 0 : 1;
      sum +=
          integral(
              RHO / bounds()[own],
              RHO / first,
              v -> {
                int end = droppedIn(own, v);
                double open = -bets.get(end).potential(s, v);
                for (int k = end; k < rounds.size(); k++) {
                  for (Part part : rounds.get(k).parts) {
                    if (part.named <= end) {
                      double loss = Math.max(0, -s * part.coin);
                      open += v * loss * bets.get(part.named).potential(s, v);
                    }
                  }
                }
                return Math.max(0, open);
              });
    }
    return sum;
  }

  /** The round after which a fraction is out of range. */
  private int droppedIn(int own, double v) {
    int t = 0;
    while (v <= RHO / rounds.get(t).after(own)) {
      t++;
    }
    return t;
  }

  /** Debt of theorem 3, from the range of the floor on. */
  double debtOfMeans() {
    double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
      int s = side;
      int own = side > 0 ? 0 : 1;
      sum +=
          integral(
              RHO / bounds()[own],
              RHO / floor,
              v -> {
                int end = droppedIn(own, v);
                Bet now = bets.get(end);
                Played last = rounds.get(end);
                double ratios = 0;
                double loss = 0;
                for (Part part : last.parts) {
                  double ratio = bets.get(part.named).potential(s, v) / now.potential(s, v);
                  ratios += part.share * Math.max(1, ratio);
                  loss += Math.max(0, -s * part.coin) * ratio;
                }
                boolean isTame = v * last.lambda * ratios <= RHO / KAPPA;
                double debt = isTame ? 0 : now.potential(s, v) * Math.max(0, v * loss - 1);
                for (int k = end + 1; k < rounds.size(); k++) {
                  Played later = rounds.get(k);
                  for (Part part : later.parts) {
                    if (part.named <= end) {
                      debt += v * later.lambda * part.share * bets.get(part.named).potential(s, v);
                    }
                  }
                }
                return debt;
              });
    }
    return sum;
  }

  /** The integral over dv / v, by the midpoint rule in ln v. */
  static double integral(double from, double to, DoubleUnaryOperator function) {
    if (!(from < to)) {
      return 0;
    }
    double width = Math.log(to / from) / NODES;
    double sum = 0;
    for (int i = 0; i < NODES; i++) {
      sum += function.applyAsDouble(from * Math.exp((i + 0.5) * width)) * width;
    }
    return sum;
  }

  /** Integral over (0, z) of (1 - exp(-t)) / t dt. */
  static double ein(double z) {
    if (z > 15) {
      return Math.log(z) + 0.5772156649015329 + Math.exp(-z) / z;
    }
    double term = 1;
    double sum = 0;
    for (int k = 1; k < 120; k++) {
      term *= -z / k;
      sum -= term / k;
    }
    return sum;
  }
}
