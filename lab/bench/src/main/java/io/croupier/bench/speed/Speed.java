package io.croupier.bench.speed;

import io.croupier.bench.MarkdownPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures the job from Kafka to Kafka. */
@Command(
    name = "speed",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Measures the job from Kafka to Kafka, exactly once, compared with a job that"
            + " passes the same bytes through, and with two of Kafka Streams; the broker and"
            + " all jobs run in this process.")
public final class Speed implements Callable<Integer> {

  /** The kinds of measurement. */
  enum Measurement {
    RATE,
    LATENCY,
    LEDGER,
    MODELS,
    SUBTASKS,
    REBUILD,
    SPEND
  }

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Directory for speed.md and speed.log; created if missing.")
  private Path out;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "PART",
      defaultValue = "RATE,LATENCY,LEDGER,MODELS,SUBTASKS",
      description =
          "Measurements to run, of ${COMPLETION-CANDIDATES} (default: all but the last two).")
  private List<Measurement> parts;

  @Option(
      names = "--dimensions",
      split = ",",
      paramLabel = "D",
      defaultValue = "10,100,1000,10000",
      description = "Dimensions of the models whose rate is measured (default: ${DEFAULT-VALUE}).")
  private List<Integer> dimensions;

  @Option(
      names = "--forms",
      split = ",",
      paramLabel = "FORM",
      defaultValue = "GRID,CANDIDATE",
      description =
          "Forms of the reports whose rate is measured, of ${COMPLETION-CANDIDATES} (default:"
              + " all).")
  private List<ReportForm> forms;

  @Option(
      names = "--ledger-users",
      split = ",",
      paramLabel = "N",
      defaultValue = "10000,1000000",
      description = "Users in the ledger (default: ${DEFAULT-VALUE}).")
  private List<Integer> ledgerUsers;

  @Option(
      names = "--reports",
      split = ",",
      paramLabel = "N",
      defaultValue = "10,100",
      description =
          "Reports of each user in a ledger that is rebuilt (default: ${DEFAULT-VALUE}). The number"
              + " of users is the last of --ledger-users.")
  private List<Integer> reports;

  @Option(
      names = "--backends",
      split = ",",
      paramLabel = "NAME",
      description =
          "State backends of the ledger (default: hashmap and rocksdb; for more than"
              + " 100,000 users, rocksdb).")
  private List<String> backends;

  @Option(
      names = "--flink",
      paramLabel = "KEY=VALUE",
      description = "A setting of the cluster, such as taskmanager.memory.managed.size=1g.")
  private Map<String, String> flink = Map.of();

  @Option(
      names = "--repetitions",
      paramLabel = "N",
      defaultValue = "2",
      description = "Alternating runs of each kind (default: ${DEFAULT-VALUE}).")
  private int repetitions;

  @Option(
      names = "--megabytes",
      paramLabel = "N",
      defaultValue = "1500",
      description =
          "Size of the reports of a run, which are at most four million (default:"
              + " ${DEFAULT-VALUE}).")
  private int megabytes;

  @Option(
      names = "--interval",
      paramLabel = "MS",
      defaultValue = "500",
      description = "Time between checkpoints (default: ${DEFAULT-VALUE}).")
  private int intervalMs;

  @Option(
      names = "--quick",
      description = "Use far too few reports, only to check that the command works.")
  private boolean quick;

  /** Runs the command. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line, for execution in any process. */
  public static CommandLine commandLine() {
    return new CommandLine(new Speed()).setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Override
  public Integer call() throws Exception {
    Files.createDirectories(out);
    System.setProperty("croupier.log.target", "file");
    System.setProperty("croupier.log.file", out.resolve("speed.log").toString());
    BenchmarkScale scale =
        quick
            ? new BenchmarkScale(2, 20_000, 0, 1, 2, 1000, Duration.ofMillis(100), 1)
            : new BenchmarkScale(
                megabytes, 4_000_000, 4, repetitions, 4, 10_000, Duration.ofMillis(intervalMs), 10);
    MarkdownPage page = new MarkdownPage(out, "speed");
    page.title("From Kafka to Kafka");
    try (BenchmarkEnvironment environment = BenchmarkEnvironment.open(flink)) {
      for (Measurement part : parts) {
        measure(part, environment, scale, page);
        // Saved now, so that results remain if a later part fails.
        page.save();
      }
    }
    System.out.print(Files.readString(out.resolve("speed.md")));
    return 0;
  }

  /** A million users on the heap need more memory than the broker and the job together. */
  private List<String> backendsOf(int users) {
    if (backends != null) {
      return backends;
    }
    return users > 100_000 ? List.of("rocksdb") : List.of("hashmap", "rocksdb");
  }

  private void measure(
      Measurement part, BenchmarkEnvironment environment, BenchmarkScale scale, MarkdownPage page)
      throws Exception {
    switch (part) {
      case RATE -> {
        page.heading("Reports a second");
        page.table(
            RateTable.COLUMNS, new RateTable(environment, scale).ofDimensions(dimensions, forms));
      }
      case LATENCY -> {
        page.heading("From send to visible update, d = 1000");
        page.table(
            LatencyTable.COLUMNS,
            new LatencyTable(environment, scale)
                .ofIntervals(1000, List.of(scale.interval(), scale.interval().multipliedBy(2))));
      }
      case LEDGER -> {
        page.heading("Users in the ledger, d = 10");
        List<List<String>> rows = new ArrayList<>();
        for (int users : ledgerUsers) {
          rows.addAll(new LedgerTable(environment, scale).of(users, backendsOf(users)));
        }
        page.table(LedgerTable.COLUMNS, rows);
      }
      case MODELS -> {
        page.heading("Two models, d = 1000");
        page.table(RateTable.COLUMNS, new RateTable(environment, scale).ofSubtasks(2, 1000));
      }
      case REBUILD -> {
        page.heading("A rebuild of a lost ledger");
        int users = ledgerUsers.get(ledgerUsers.size() - 1);
        List<List<String>> rows = new ArrayList<>();
        for (int ofEach : reports) {
          rows.add(new RebuildTable(environment, backendsOf(users).get(0)).of(users, ofEach));
        }
        page.table(RebuildTable.COLUMNS, rows);
      }
      case SPEND -> {
        page.heading("Reports without identity, d = 10");
        page.table(
            SpendTable.COLUMNS,
            new SpendTable(environment, scale).of(backendsOf(SpendTable.TOKENS)));
      }
      case SUBTASKS -> {
        page.heading("One model, d = 100");
        page.table(RateTable.COLUMNS, new RateTable(environment, scale).ofSubtasks(1, 100));
      }
    }
  }
}
