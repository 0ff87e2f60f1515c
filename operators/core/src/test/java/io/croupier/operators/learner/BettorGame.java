package io.croupier.operators.learner;

import java.util.HashMap;
import java.util.Map;

/** The losses of a bettor against an adversary, each in the unit of its round. G = 1 and W0 = 1. */
final class BettorGame {
  final MagnitudeLearner.State state = new MagnitudeLearner.State();
  private final MagnitudeLearner learner;
  private final Potential potential;
  private final RoundCoins coins = new RoundCoins();
  private final Round round = new Round();
  private double unit = 1;
  int doublings;
  double losses;
  double turnover;

  BettorGame(Prior prior) {
    learner = TestLearners.bettor(prior);
    potential = new Potential(prior, 0.2);
    TestRounds.add(round, 0, 1, 1, new double[1], 0);
  }

  /**
   * Plays a round.
   *
   * @param beta what a discount leaves afterwards
   * @param doubles whether the unit of the wealth doubles afterwards
   */
  void step(Adversary adversary, int t, double beta, boolean doubles) {
    double bet = state.magnitude();
    double gradient =
        adversary.gradient(
            new Adversary.Situation(t, bet, state.coins(), state.upperVariance(), potential));
    losses += bet * gradient;
    turnover += Math.abs(bet * gradient);
    coins.clear();
    coins.add(-unit * gradient, 0, 0, 0, 1);
    learner.observe(state, coins, round, unit, 1);
    learner.discount(state, beta);
    if (doubles) {
      unit *= 2;
      doublings++;
      learner.replenish(state);
    }
    learner.bet(state, unit);
  }

  double logPotential() {
    Map<String, Double> diagnostics = new HashMap<>();
    learner.diagnose(state, unit, diagnostics);
    return diagnostics.get("log-potential");
  }

  /** F of the improper prior. */
  double excess() {
    double log = logPotential();
    return Math.copySign(Math.expm1(Math.abs(log)), log);
  }
}
