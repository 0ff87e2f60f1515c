package io.croupier.operators.learner;

/** A black box's bettor that receives the coins of one report a round. */
final class TestBettor {
  private final MagnitudeLearner learner;
  private final MagnitudeLearner.State state = new MagnitudeLearner.State();
  private final RoundCoins coins = new RoundCoins();
  private final Round round = new Round();

  TestBettor(Prior prior, double gradientBound, double wealth) {
    learner = TestLearners.bettor(prior, wealth);
    TestRounds.add(round, 0, 1, gradientBound, new double[1], 0);
  }

  double magnitude() {
    return state.magnitude();
  }

  void observe(double coin) {
    coins.clear();
    coins.add(coin, 0, 0, 0, 1);
    learner.observe(state, coins, round, 1, 1);
    learner.bet(state, 1);
  }
}
