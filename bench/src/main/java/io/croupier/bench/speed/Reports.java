package io.croupier.bench.speed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.croupier.client.randomiser.GaussianRandomiser;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.VectorView;
import java.util.Random;

/**
 * Reports as the Java client sends them: released by its randomiser, on the grid. All reports share
 * a few releases, since drawing noise takes longer than the measured work; user, device and
 * sequence are those of the given number of users.
 */
final class Reports {
  private static final int RELEASES = 32;

  /** The default for a gradient bound of 1. */
  private static final int GRID_EXPONENT = -16;

  private final int users;
  private final int models;
  private final GradientReportView[] releases = new GradientReportView[RELEASES];

  Reports(int dimension, int users, int models) {
    this.users = users;
    this.models = models;
    GaussianRandomiser randomiser =
        new GaussianRandomiser(1, dimension, GRID_EXPONENT, Workload.MU);
    Random random = new Random(dimension);
    for (int i = 0; i < RELEASES; i++) {
      int[] release = randomiser.randomise(random.doubles(dimension, -1, 1).toArray());
      ByteString values = UnsafeByteOperations.unsafeWrap(PackedVectors.encode(release));
      GradientReportView.Builder report =
          GradientReportView.newBuilder()
              .setCreatedAtMs(1_700_000_000_000L)
              .setGrid(VectorView.newBuilder().addValues(values));
      randomiser.declareIn(report);
      releases[i] = report.build();
    }
  }

  /** The key of the i-th report. */
  byte[] key(long i) {
    return userId(i).getBytes(UTF_8);
  }

  /** The i-th report, which names {@code round}: the users take turns, and so do the models. */
  byte[] value(long i, long round) {
    return releases[(int) (i % RELEASES)].toBuilder()
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
