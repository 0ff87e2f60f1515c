package io.croupier.cli.person;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.TopicWriter;
import io.croupier.cli.Version;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.VisibleText;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Asks a running job to erase the account of a person. */
@Command(
    name = "erase",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Erases a user's account in the running job.",
      "",
      "The totals over all models stay, so that nothing spent is forgotten. The spend on each"
          + " model, the days and the devices are deleted. Records on topics stay as long as their"
          + " topics keep them.",
      "It sends one record to the erasures topic, which requires the right to write there."
    },
    footer = {"", "Try:", "  croupier erase --kafka localhost:9092 --user ada"})
public final class EraseCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private PersonOptions person;

  @Mixin private ConnectionOptions connection;

  @Override
  public Integer call() {
    String user = person.userId();
    JobConfig config = connection.connected();
    String topic = config.topics().erasures();
    RecordMetadata position =
        new TopicWriter(config.kafka(), topic)
            .send(List.of(new ProducerRecord<>(topic, user.getBytes(UTF_8), null)))
            .get(0);
    spec.commandLine()
        .getOut()
        .printf(
            "The erasure is %s. The job confirms it by an ERASED event;"
                + " 'croupier ledger --user %s' then shows what remains.%n",
            position, VisibleText.name(user));
    return 0;
  }
}
