package io.croupier.studies;

import java.util.function.LongConsumer;

/** One replication of a {@link Cell}, as the protocol runs it without latency. */
final class Trial {
  private static final int PROGRESS_ROUNDS = 4096;

  private final Cell cell;
  private final SeededRandom random;
  private final LearnerRun[] runs;
  private final Person person;
  private final double[] noise;

  Trial(Cell cell, long seed) {
    this.cell = cell;
    this.random = new SeededRandom(seed);
    this.runs = cell.candidates().stream().map(LearnerRun::new).toArray(LearnerRun[]::new);
    this.person = new Person(cell.population().dimension());
    this.noise = new double[cell.population().dimension()];
  }

  /**
   * The excess risks, by learner and checkpoint.
   *
   * @param progress receives the amount of work done, in the unit of {@link Cell#work()}
   */
  Risk[][] run(LongConsumer progress) {
    Risk[][] risks = new Risk[runs.length][cell.checkpoints().size()];
    int next = 0;
    for (int t = 1; t <= cell.rounds(); t++) {
      playRound();
      if (t == cell.checkpoints().get(next)) {
        for (int i = 0; i < runs.length; i++) {
          risks[i][next] = runs[i].risk(cell.population());
        }
        next++;
      }
      int since = t % PROGRESS_ROUNDS;
      if (since == 0 || t == cell.rounds()) {
        long rounds = since == 0 ? PROGRESS_ROUNDS : since;
        progress.accept(rounds * cell.reportsPerRound() * runs.length);
      }
    }
    return risks;
  }

  private void playRound() {
    for (int i = 0; i < cell.reportsPerRound(); i++) {
      cell.population().draw(random, person);
      Noise.l2Laplace().draw(cell.epsilon(), random, noise);
      for (LearnerRun learnerRun : runs) {
        learnerRun.report(cell.population(), person, noise);
      }
    }
    for (LearnerRun learnerRun : runs) {
      learnerRun.step(cell.reportsPerRound());
    }
  }

  /** Excess risk of the published average, and of the weights. */
  record Risk(double average, double weights) {}
}
