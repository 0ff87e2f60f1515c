package io.croupier.bench.speed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.view.GradientReportView;
import java.util.Random;

/**
 * Reports as the Java client sends them: released by its randomiser. All reports share a few
 * releases, since drawing noise takes longer than the measured work; user, device and sequence are
 * those of the given number of users.
 */
final class Reports {
  private static final int RELEASES = 32;

  private final int users;
  private final int models;
  private final GradientReportView[] releases;

  Reports(ReportForm form, int dimension, int users, int models) {
    this.users = users;
    this.models = models;
    Randomiser randomiser = form.randomiser(dimension);
    Random random = new Random(dimension);
    releases = new GradientReportView[RELEASES];
    for (int i = 0; i < releases.length; i++) {
      GradientReportView.Builder report =
          GradientReportView.newBuilder().setCreatedAtMs(1_700_000_000_000L);
      randomiser.release(random.doubles(dimension, -1, 1).toArray(), report);
      releases[i] = report.build();
    }
  }

  /** The key of the i-th report. */
  byte[] key(long i) {
    return userId(i).getBytes(UTF_8);
  }

  /** The i-th report, which names {@code round}: the users take turns, and so do the models. */
  byte[] value(long i, long round) {
    return releases[(int) (i % releases.length)].toBuilder()
        .setModelId(Workload.modelId((int) (i % models)))
        .setRound(round)
        .setUserId(userId(i))
        .setDeviceId("8d2ad0f2b6f04e4c")
        .setSequence(1 + i / users)
        .build()
        .toByteArray();
  }

  private String userId(long i) {
    return "user-" + i % users;
  }
}
