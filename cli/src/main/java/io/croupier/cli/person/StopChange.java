package io.croupier.cli.person;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.TopicWriter;
import io.croupier.job.config.JobConfig;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.producer.ProducerRecord;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which people an operator stops or resumes, and where. */
final class StopChange {
  private static final byte[] STOPPED = {};

  @ArgGroup(multiplicity = "1")
  private NamedUsers named;

  @Mixin private ConnectionOptions connection;

  /** One person, or those of a file. */
  private static final class NamedUsers extends PersonOptions {
    @Option(
        names = "--from",
        paramLabel = "FILE",
        required = true,
        description = "Users in a text file, one in each line.")
    private Path file;

    Set<String> users() {
      return isGiven() ? Set.of(visibleUserId()) : read();
    }

    /** All lines are checked before one is sent. */
    private Set<String> read() {
      try {
        List<String> lines = Utf8Text.read(file).lines().toList();
        Set<String> users = new TreeSet<>();
        for (int i = 0; i < lines.size(); i++) {
          if (!lines.get(i).isBlank()) {
            String where = "Line %d of %s".formatted(i + 1, file);
            users.add(requireUser(visible(lines.get(i), where), where));
          }
        }
        return users;
      } catch (IOException e) {
        throw new InputException("--from %s: %s".formatted(file, FileErrors.unreadable(e)), e);
      }
    }
  }

  /**
   * Sends the records; the same ones again change nothing.
   *
   * @param stops whether the people are stopped, or resumed
   * @return how many people, in words
   */
  String send(boolean stops) {
    Set<String> users = named.users();
    JobConfig config = connection.connected();
    String topic = config.topics().stops();
    List<ProducerRecord<byte[], byte[]>> records =
        users.stream()
            .map(user -> new ProducerRecord<>(topic, user.getBytes(UTF_8), stops ? STOPPED : null))
            .toList();
    new TopicWriter(config.kafka(), topic).send(records);
    return users.size() == 1 ? "1 person is" : users.size() + " people are";
  }
}
