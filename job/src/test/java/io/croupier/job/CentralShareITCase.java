package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Central;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Sparse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The share of raw reports that a central model charges and doesn't use: those that arrive between
 * the barrier that closes the round they name and the update that shows the next round. The
 * diagnostics count each of them. {@code -Dshare.seconds=N} sets for how long users report, {@code
 * -Dshare.interval='5 s'} the checkpoint interval.
 */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class CentralShareITCase extends JobFixture {
  private static final int SECONDS = Integer.getInteger("share.seconds", 3);
  private static final String INTERVAL = System.getProperty("share.interval", "500 ms");

  /** 400 reports a second. */
  private static final long PAUSE_NANOS = 2_500_000;

  @Test
  void everyParticipationIsUsedOrCountedAsDropped() throws Exception {
    ModelSpec spec =
        TextFormat.parse(
            """
            model_id: 'm' dimension: 10 gradient_bound: 1 reports_per_round: 20
            limits { delta: 1e-6 max_participations: 1 min_separation: 0 }
            dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1 noise { tree {} } }
            """,
            ModelSpec.class);
    try (FollowedUpdates updates = new FollowedUpdates(testTopics)) {
      Map<String, String> settings = testTopics.defaults();
      settings.put("checkpoint.interval", INTERVAL);
      settings.put("parallelism", "1");
      start(settings);
      testTopics.publish(spec);
      testTopics.flush();
      ModelUpdate last = closeLastRound(spec, updates, report(spec, updates));
      TestJobs.cancel(job);

      int counted = (int) counted(last);
      assertThat(last.getUsed()).isPositive();
      assertThat(testTopics.awaitEvents("m", counted))
          .hasSize(counted)
          .allMatch(event -> event.getOutcome() == Outcome.ADMITTED);
      System.out.printf(
          "checkpoints every %s: %d raw reports, %d rounds, %d dropped: %.1f %%%n",
          INTERVAL,
          last.getUsed() + last.getDroppedStale(),
          last.getRound(),
          last.getDroppedStale(),
          100.0 * last.getDroppedStale() / (last.getUsed() + last.getDroppedStale()));
    }
  }

  /** Reports at a steady rate, each naming the newest round that is visible when it is sent. */
  private int report(ModelSpec spec, FollowedUpdates updates) throws Exception {
    long next = System.nanoTime();
    long end = next + TimeUnit.SECONDS.toNanos(SECONDS);
    int sent = 0;
    for (updates.await("m", update -> true); next < end; next += PAUSE_NANOS) {
      LockSupport.parkNanos(next - System.nanoTime());
      updates.poll(Duration.ZERO);
      send(spec, updates.publication("m", 0).getRound(), sent++);
    }
    testTopics.flush();
    return sent;
  }

  /**
   * Closes rounds until an update counts every sent report, since an update does not count reports
   * that were dropped after its round was closed.
   */
  private ModelUpdate closeLastRound(ModelSpec spec, FollowedUpdates updates, int sent)
      throws Exception {
    for (int total = sent; ; ) {
      updates.catchUp();
      long named = updates.publication("m", 0).getRound();
      for (int i = 0; i < spec.getReportsPerRound(); i++) {
        send(spec, named, total++);
      }
      testTopics.flush();
      ModelUpdate next = updates.await("m", update -> update.getRound() > named);
      if (counted(next) == total) {
        return next;
      }
    }
  }

  private static long counted(ModelUpdate update) {
    return update.getUsed() + update.getDroppedStale() + update.getOpen();
  }

  private void send(ModelSpec spec, long round, int person) {
    testTopics.send(
        GradientReport.newBuilder()
            .setModelId(spec.getModelId())
            .setRound(round)
            .setUserId("u" + person)
            .setDeviceId("d")
            .setSequence(1)
            .setSparse(
                Sparse.newBuilder()
                    .setDimension(spec.getDimension())
                    .addIndices(person % spec.getDimension())
                    .addValues(0.5))
            .setCentral(Central.getDefaultInstance())
            .build());
  }
}
