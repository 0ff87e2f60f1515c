package io.croupier.client;

import io.croupier.client.ledger.FrequentData;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** Runs the whole client, with Kafka's real producer and consumer, without a reachable broker. */
final class OfflineDevice {
  private static final Map<String, Object> NOWHERE =
      Map.of("bootstrap.servers", "127.0.0.1:1", "max.block.ms", 100);

  private OfflineDevice() {}

  /** Argument: the ledger's file. */
  public static void main(String[] args) throws Exception {
    ModelSnapshot model = Updates.snapshot("m", 1, 0, 0);
    try (LocalLedger ledger = LocalLedger.open(Path.of(args[0]), "ada", Limit.ofEpsilon(2));
        ModelSubscriber models = new ModelSubscriber(NOWHERE, "updates");
        Producer<byte[], byte[]> producer =
            new KafkaProducer<>(KafkaReportTransport.producerProperties(NOWHERE))) {
      System.out.println("caught up: " + models.isCaughtUp());
      GradientReporter reporter =
          new GradientReporter(new KafkaReportTransport(producer, "gradients"), ledger);
      try {
        reporter
            .report(model, FrequentData.KEY, new double[2], new L2LaplaceRandomiser(1, 2, -16, 2))
            .get();
        throw new AssertionError("a broker answered");
      } catch (ExecutionException e) {
        System.out.printf(
            "charged: %d, epsilon %s, pending: %d%n",
            ledger.spent().reports(),
            ledger.spent().epsilon().stripTrailingZeros(),
            ledger.pending().size());
      }
      producer.close(Duration.ZERO);
    }
    List<String> missing =
        Stream.of("java.desktop", "jdk.compiler", "jdk.httpserver")
            .filter(module -> ModuleLayer.boot().findModule(module).isEmpty())
            .toList();
    System.out.println("without " + String.join(", ", missing));
  }
}
