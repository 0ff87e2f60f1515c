package io.croupier.cli.topics;

import io.croupier.cli.ConnectionOptions;
import io.croupier.cli.InputException;
import io.croupier.cli.MissingCommandException;
import io.croupier.job.config.ConfigKey;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.Topic;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Manages the topics. */
@Command(
    name = "topics",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = "Manages the topics on your Kafka brokers.")
public final class TopicsCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new MissingCommandException(spec.commandLine());
  }

  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      abbreviateSynopsis = true,
      description = {
        "Creates the missing topics.",
        "",
        "Each gets the cleanup and retention settings that it requires. Existing topics are not"
            + " changed."
      })
  int create(
      @Mixin ConnectionOptions connection,
      @Option(
              names = "--partitions",
              defaultValue = "4",
              paramLabel = "N",
              description =
                  "Partitions of each topic except models, stops, progress and token-keys,"
                      + " which have one (default: ${DEFAULT-VALUE}).")
          int partitions,
      @Option(
              names = "--replication",
              defaultValue = "-1",
              paramLabel = "N",
              description = "Replication factor of each topic (default: that of the brokers).")
          short replication,
      @Option(
              names = "--keep-reports",
              paramLabel = "TIME",
              description =
                  "How long reports, dead letters, erasures and verdicts on tokens are kept, such as"
                      + " '7d'; overrides keep.reports of --config (default: 7 d).")
          String keepReports)
      throws InterruptedException {
    if (partitions < 1) {
      throw new InputException("--partitions is %d; it must be at least 1".formatted(partitions));
    }
    JobConfig config =
        connection.connected(
            keepReports == null ? Map.of() : Map.of(ConfigKey.KEEP_REPORTS.key(), keepReports));
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(config.kafka()))) {
      Set<Topic> wanted = Topic.ofJob(config.anonymous());
      List<String> created =
          KafkaTopics.create(
              admin, config.topics(), wanted, config.keepReports(), partitions, replication);
      for (String topic : config.topics().names(wanted)) {
        spec.commandLine()
            .getOut()
            .printf("%-8s %s%n", created.contains(topic) ? "created" : "exists", topic);
      }
    } catch (ExecutionException e) {
      throw new InputException(
          "The topics at %s can't be created: %s"
              .formatted(config.kafka().get("bootstrap.servers"), e.getCause().getMessage()),
          e);
    }
    return 0;
  }
}
