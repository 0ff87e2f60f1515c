package io.croupier.studies;

import io.croupier.cli.data.Problem;
import java.util.Arrays;

/** The people of a data set in random order; those beyond whole rounds are omitted. */
final class CensusParticipants implements Participants {
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
  CensusParticipants(Problem problem, double least, int people, SeededRandom random) {
    this.problem = problem;
    this.least = least;
    order = Arrays.copyOf(random.permutation(problem.size()), people);
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
  public double excess(double[] weights) {
    return problem.score(weights).loss() - least;
  }
}
