package io.croupier.client;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;

/** Follows a model and reports to it over HTTP alone. */
final class HttpDevice {
  private HttpDevice() {}

  /** Arguments: the gateway's URL and the ledger's file. */
  public static void main(String[] args) throws Exception {
    URI gateway = URI.create(args[0]);
    try (LocalLedger ledger = LocalLedger.open(Path.of(args[1]), "ada", Limit.ofEpsilon(2));
        HttpReportTransport transport = new HttpReportTransport(gateway, () -> "token");
        HttpModelSubscriber models = new HttpModelSubscriber(gateway, "m")) {
      ModelSnapshot model = models.await(Duration.ofMinutes(2));
      new GradientReporter(transport, ledger)
          .report(model, FrequentData.KEY, new double[2], new L2LaplaceRandomiser(1, 2, -16, 2))
          .get();
      System.out.printf(
          "round: %d, charged: %d, pending: %d%n",
          model.round(), ledger.spent().reports(), ledger.pending().size());
    }
    System.out.println("modules: " + ModuleLayer.boot().modules().size());
  }
}
