package io.croupier.cli;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Loads the classes that most commands use: the launcher lists them and makes an archive of them,
 * from which a command's JVM starts in half of the time.
 */
final class ArchivedClasses {
  private ArchivedClasses() {}

  /**
   * Runs two short commands and opens Kafka's clients, which need no broker for that.
   *
   * @param args a models file
   * @throws IllegalStateException if a command fails
   */
  public static void main(String[] args) {
    StandardOutput output = new StandardOutput(OutputStream.nullOutputStream());
    run(output, "models", "validate", args[0]);
    run(output, "plan", "--features", "8", "--epsilon", "2", "--people", "28155");
    Map<String, Object> kafka = Map.of("bootstrap.servers", "127.0.0.1:1");
    Admin.create(kafka).close();
    new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer()).close();
    new KafkaConsumer<>(kafka, new ByteArrayDeserializer(), new ByteArrayDeserializer()).close();
  }

  private static void run(StandardOutput output, String... args) {
    PrintWriter err = StandardOutput.text(OutputStream.nullOutputStream());
    int code = Croupier.run(output, err, args);
    if (code != 0) {
      throw new IllegalStateException("%s ended with %d".formatted(String.join(" ", args), code));
    }
  }
}
