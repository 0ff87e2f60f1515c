package io.croupier.cli.person;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.TopicWriter;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.Erasure;
import io.croupier.schemas.VisibleText;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a running job to erase the account of a person, and to delete the person's events. */
@Command(
    name = "erase",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Erases a user's account in the running job.",
      "",
      "The totals over all models stay, so that nothing spent is forgotten. The spend on each"
          + " model, the days and the devices are deleted. Records on topics stay as long as their"
          + " topics keep them, unless --events deletes those of the accounting topic.",
      "It sends one record to the erasures topic, which requires the right to write there, and reads"
          + " the accounting topic."
    },
    footer = {
      "",
      "Try:",
      "  croupier erase --kafka localhost:9092 --user ada",
      "  croupier erase --kafka localhost:9092 --user ada --events"
    })
public final class EraseCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private PersonOptions person;

  @Option(
      names = "--events",
      description =
          "Also deletes the user's events, which the brokers then forget when they compact the"
              + " accounting topic. What is left states the totals.")
  private boolean events;

  @Option(
      names = "--totals",
      description =
          "With --events: forgets the totals, too, and leaves no event. A user who returns may"
              + " spend every limit anew.")
  private boolean totals;

  @Option(
      names = "--anyway",
      description = "Erases the account of a user without any event, such as a rebuilt one.")
  private boolean anyway;

  @Mixin private ConnectionOptions connection;

  @Override
  public Integer call() {
    if (totals && !events) {
      throw new InputException(
          "--totals needs --events: the events state the totals, and a rebuild would restore them");
    }
    String user = anyway ? person.visibleUserId() : person.userId();
    JobConfig config = connection.connected();
    Erasure erasure = anyway && !events ? Erasure.getDefaultInstance() : erasure(config, user);
    byte[] value = events ? erasure.toByteArray() : null;
    String topic = config.topics().erasures();
    RecordMetadata position =
        new TopicWriter(config.kafka(), topic)
            .send(List.of(new ProducerRecord<>(topic, user.getBytes(UTF_8), value)))
            .get(0);
    spec.commandLine()
        .getOut()
        .printf(
            totals
                ? "The erasure is %s. The job confirms it by deleting all events;"
                    + " 'croupier ledger --user %s' then finds none.%n"
                : "The erasure is %s. The job confirms it by an ERASED event;"
                    + " 'croupier ledger --user %s' then shows what remains.%n",
            position,
            VisibleText.name(user));
    if (events) {
      spec.commandLine()
          .getOut()
          .printf(
              "It deletes the events of %d keys. Of reports that the job was judging meanwhile,"
                  + " there may be more: repeat the command after the confirmation, until %s.%n",
              erasure.getEventKeysCount(),
              totals && !anyway ? "it fails because the user has no event" : "it finds none");
    }
    return 0;
  }

  /** The record's value, with the keys of the user's events if they are to be deleted. */
  private Erasure erasure(JobConfig config, String user) {
    EventKeys keys = EventKeys.of(config, user);
    if (keys.isEmpty() && !anyway) {
      throw new InputException(
          ("The user has no event on topic %s, which is right after an erasure with --totals;"
                  + " otherwise check the id, or use --anyway")
              .formatted(config.topics().accounting()));
    }
    Erasure.Builder erasure = Erasure.newBuilder().setTotals(totals);
    if (events) {
      keys.requireCompaction();
      keys.ofEvents().forEach(erasure::addEventKeys);
    }
    return erasure.build();
  }
}
