package io.croupier.bench.study;

import io.croupier.operators.learner.Iterate;
import io.croupier.operators.learner.Learner;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.learner.Round;
import io.croupier.operators.math.Vectors;
import java.util.Arrays;
import java.util.function.LongConsumer;

/** One replication of a {@link Cell}, as the protocol runs it without latency. */
final class Trial {
  private static final int PROGRESS_ROUNDS = 4096;

  private final Cell cell;
  private final Dice dice;
  private final Player[] players;
  private final Person person;
  private final double[] noise;
  private final double[] levels;
  private int people;

  Trial(Cell cell, long seed) {
    this.cell = cell;
    this.dice = new Dice(seed);
    this.players = cell.contestants().stream().map(Player::new).toArray(Player[]::new);
    this.person = new Person(cell.population().dimension());
    this.noise = new double[cell.population().dimension()];
    this.levels = cell.levels().draw(cell.rounds() * cell.reportsPerRound(), dice);
  }

  /**
   * The excess risks, by contestant and checkpoint.
   *
   * @param progress told of the work done, in the unit of {@link Cell#work()}
   */
  Risk[][] run(LongConsumer progress) {
    Risk[][] risks = new Risk[players.length][cell.checkpoints().size()];
    int next = 0;
    for (int t = 1; t <= cell.rounds(); t++) {
      playRound();
      if (t == cell.checkpoints().get(next)) {
        for (int i = 0; i < players.length; i++) {
          risks[i][next] = players[i].risk(cell.population());
        }
        next++;
      }
      int since = t % PROGRESS_ROUNDS;
      if (since == 0 || t == cell.rounds()) {
        long rounds = since == 0 ? PROGRESS_ROUNDS : since;
        progress.accept(rounds * cell.reportsPerRound() * players.length);
      }
    }
    return risks;
  }

  private void playRound() {
    for (int i = 0; i < cell.reportsPerRound(); i++) {
      cell.population().draw(dice, person);
      cell.noise().draw(levels[people++], dice, noise);
      for (Player player : players) {
        player.report(cell.population(), person, noise);
      }
    }
    for (Player player : players) {
      player.step(cell.reportsPerRound());
    }
  }

  /** Excess risk of the published average, and of the weights. */
  record Risk(double average, double weights) {}

  private static final class Player {
    private final Learner<LearnerState> learner;
    private final LearnerState state;
    private final Round round;
    private final Iterate iterate;
    private final double[] direction;
    private final double directionalVariance;

    Player(Contestant contestant) {
      int dimension = contestant.learner().dimension();
      learner = contestant.learner();
      state = learner.initial();
      round = new Round(dimension);
      iterate = new Iterate(dimension);
      direction = new double[dimension];
      directionalVariance = contestant.directionalVariance();
      learner.publish(state, iterate);
    }

    void report(Population population, Person person, double[] noise) {
      double prediction = Vectors.dot(person.x, iterate.weights);
      double slope = person.importance * population.slope(prediction, person.target);
      double[] sum = round.subgradient;
      for (int j = 0; j < sum.length; j++) {
        sum[j] += slope * person.x[j] + noise[j];
      }
    }

    /** Takes the mean of the reports, which all name this round, and publishes the next. */
    void step(int reports) {
      if (reports > 1) {
        Vectors.scale(1.0 / reports, round.subgradient, round.subgradient);
      }
      round.squaredNorm = Vectors.squaredNorm(round.subgradient);
      round.directionalVariance = directionalVariance / reports;
      if (learner.bets()) {
        learner.direction(state, direction);
        round.coin = Vectors.dot(direction, round.subgradient);
      }
      learner.step(state, round);
      learner.publish(state, iterate);
      Arrays.fill(round.subgradient, 0);
    }

    Risk risk(Population population) {
      return new Risk(population.excess(iterate.average), population.excess(iterate.weights));
    }
  }
}
