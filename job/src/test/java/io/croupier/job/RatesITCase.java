package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two models that differ only in their rate of reports, from users who follow the newest visible
 * update: both learn, and the one with more reports is no worse. On a slow machine the rate is as
 * high as the job can process. {@code -Drates.seconds=N} sets the duration, and the least rounds,
 * {@code -Drates.high=N} the higher rate, {@code -Drates.model=ID} one of the {@link
 * LearningScenario}'s local models, by default the black box.
 */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class RatesITCase extends JobFixture {
  private static final int SECONDS = Integer.getInteger("rates.seconds", 10);
  private static final int LOW = 1_000;
  private static final int HIGH = Integer.getInteger("rates.high", 20_000);
  private static final String MODEL =
      System.getProperty("rates.model", LearningScenario.SEVERAL_A_ROUND);
  private static final int USERS = 1_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * Allowance for chance, in nats, by which the loss of the model with more reports may be higher.
   * Over 16 seeds of {@link SimulatedModel}, with the black box, the difference of their losses is
   * -0.005 with a standard deviation of 0.005 for 1,000 and 15,000 reports in each of ten
   * publications, and -0.018 with one of 0.013 for 300 and 2,500, as on a slow machine. So a
   * failure by chance is 5.9 deviations away and has a probability below 1e-8, and so has a loss
   * that doesn't fall.
   */
  private static final double CHANCE = 0.06;

  /** Interval between two checks of the clock and of the updates. */
  private static final int STEP_MS = 10;

  private FollowedUpdates updates;

  @BeforeEach
  void startJob() throws Exception {
    updates = new FollowedUpdates(testTopics);
    Map<String, String> settings = testTopics.defaults();
    settings.put("checkpoint.interval", "1 s");
    settings.put("flink.restart-strategy.type", "none");
    start(settings);
  }

  @AfterEach
  void closeUpdates() {
    updates.close();
  }

  @Test
  void moreReportsASecondAreNoWorse() throws Exception {
    double low = lossAt(LOW);
    double high = lossAt(HIGH);

    assertThat(low).isLessThan(LogisticProblem.LOSS_OF_NOTHING);
    assertThat(high).isLessThan(LogisticProblem.LOSS_OF_NOTHING).isLessThan(low + CHANCE);
  }

  private double lossAt(int perSecond) throws Exception {
    String model = "at-" + perSecond;
    testTopics.publish(spec(model));
    testTopics.flush();
    double initial = loss(updates.await(model, update -> true));
    assertThat(initial).isCloseTo(LogisticProblem.LOSS_OF_NOTHING, within(1e-12));
    AnsweringClients clients = new AnsweringClients(testTopics, model, USERS, perSecond);

    long start = System.nanoTime();
    long end = start + TimeUnit.SECONDS.toNanos(SECONDS);
    // A slow machine takes longer for as many rounds, from which a model learns.
    for (long now = start;
        now < end || updates.publication(model, 0).getRound() < SECONDS;
        now = System.nanoTime()) {
      updates.poll(Duration.ofMillis(STEP_MS));
      long due = (System.nanoTime() - start) / 1_000 * perSecond / 1_000_000 - clients.sent();
      clients.answer(updates.publication(model, 0), (int) Math.min(due, perSecond / 10));
    }
    double reached = clients.sent() * 1e9 / (System.nanoTime() - start);
    testTopics.flush();
    ModelUpdate last = updates.await(model, clients::isTaken, PATIENCE);

    assertThat(LearningScenario.dropped(last)).as("dropped by %s", model).isZero();
    System.out.printf(
        "%d reports a second wanted, %.0f reached: loss %.4f after %d publications and %d rounds,"
            + " %d used%n",
        perSecond,
        reached,
        loss(last),
        updates.of(model).stream().map(ModelUpdate::getRound).distinct().count(),
        last.getRound(),
        last.getUsed());
    return loss(last);
  }

  private static ModelSpec spec(String modelId) {
    return LearningScenario.specsForManyReports().stream()
        .filter(spec -> spec.getModelId().equals(MODEL))
        .findFirst()
        .orElseThrow()
        .toBuilder()
        .clearReportsPerRound()
        .setModelId(modelId)
        .build();
  }

  private static double loss(ModelUpdate update) {
    return LogisticProblem.loss(LearningScenario.average(update));
  }
}
