package io.croupier.gateway;

import io.croupier.client.GradientReporter;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.TokenFile;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A device in a process of its own, without Kafka on its class path: {@code URL TOKEN-FILE LEDGER
 * REPORTS}. It sends what an earlier process left pending, and then reports at the newest round.
 */
final class DeviceProcess {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private DeviceProcess() {}

  public static void main(String[] args) throws Exception {
    URI gateway = URI.create(args[0]);
    try (LocalLedger ledger = LocalLedger.open(Path.of(args[2]), "ada", Limit.NONE);
        HttpReportTransport transport =
            new HttpReportTransport(gateway, new TokenFile(Path.of(args[1])));
        HttpModelSubscriber models = new HttpModelSubscriber(gateway, "m")) {
      GradientReporter reporter = new GradientReporter(transport, ledger);
      for (CompletableFuture<Void> resent : reporter.resent()) {
        resent.get();
        System.out.println("resent");
      }
      for (int i = 0; i < Integer.parseInt(args[3]); i++) {
        ModelSnapshot model = models.await(PATIENCE);
        reporter
            .report(
                model,
                DataKey.of("data").times(1000),
                new double[model.dimension()],
                new L2LaplaceRandomiser(
                    model.gradientBound(), model.dimension(), model.gridExponent(), 1))
            .get();
        System.out.println("reported at round " + model.round());
      }
      System.out.println("pending: " + ledger.pending().size());
    }
    try {
      throw new AssertionError(Class.forName("org.apache.kafka.clients.producer.Producer"));
    } catch (ClassNotFoundException e) {
      System.out.println("without Kafka");
    }
  }
}
