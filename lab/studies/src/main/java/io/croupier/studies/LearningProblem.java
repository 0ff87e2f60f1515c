package io.croupier.studies;

import io.croupier.cli.data.DataSet;
import java.util.function.Function;

/**
 * What is to be learned from one report of each person.
 *
 * @param gradientBound largest L2 norm of a gradient after the clip
 * @param participants new ones, in an order of their own
 * @param zero excess loss of doing nothing
 */
record LearningProblem(
    String label,
    int dimension,
    double gradientBound,
    Function<SeededRandom, Participants> participants,
    double zero) {

  /** Learns the census from some of its people. */
  static LearningProblem census(String label, DataSet census, int people) {
    double least = census.problem().score(census.problem().optimum()).loss();
    return of(
        label,
        census.problem().dimension(),
        census.clip(),
        random -> new CensusParticipants(census.problem(), least, people, random));
  }

  /**
   * Learns a linear prediction from people whose features come from the design.
   *
   * @param norm of the optimum, which has equal weights
   */
  static LearningProblem linear(String label, Design design, Loss loss, double norm) {
    Population population =
        new PredictionProblem(design, loss, PredictionProblem.dense(design.dimension, norm));
    return of(label, population);
  }

  /** Learns a prediction whose gradients are at most 1. */
  static LearningProblem of(String label, Population population) {
    return of(
        label, population.dimension(), 1, random -> Participants.drawn(population, 0, random));
  }

  private static LearningProblem of(
      String label,
      int dimension,
      double gradientBound,
      Function<SeededRandom, Participants> participants) {
    double zero = participants.apply(new SeededRandom(0)).excess(new double[dimension]);
    return new LearningProblem(label, dimension, gradientBound, participants, zero);
  }
}
