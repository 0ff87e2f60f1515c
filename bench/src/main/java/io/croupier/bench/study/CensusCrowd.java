package io.croupier.bench.study;

import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Score;

/** The people of a data set in random order; those beyond whole rounds stay out. */
final class CensusCrowd implements Crowd {
  private final Problem problem;
  private final double least;
  private final int[] order;
  private int position = -1;

  /**
   * Shuffles the people.
   *
   * @param least loss of the best weights
   * @param people how many take part
   */
  CensusCrowd(Problem problem, double least, int people, Dice dice) {
    this.problem = problem;
    this.least = least;
    int[] all = new int[problem.size()];
    order = new int[people];
    for (int i = 0; i < all.length; i++) {
      int other = dice.below(i + 1);
      all[i] = all[other];
      all[other] = i;
    }
    System.arraycopy(all, 0, order, 0, people);
  }

  @Override
  public int dimension() {
    return problem.dimension();
  }

  @Override
  public void next() {
    position = (position + 1) % order.length;
  }

  @Override
  public void gradient(double[] weights, double[] into) {
    problem.gradient(order[position], weights, into);
  }

  @Override
  public Merit merit(double[] weights) {
    Score score = problem.score(weights);
    return new Merit(score.loss() - least, score.fit());
  }
}
