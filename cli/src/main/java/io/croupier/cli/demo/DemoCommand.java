package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.CsvData;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Simulation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares learners on one machine, end to end. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Compares learners on this machine, end to end.",
      "",
      "Starts a Kafka broker and the Flink job in this process, lets every person of a data set report"
          + " to one model per learner, each report noised before it is sent, and ends with a table"
          + " and a page of curves. To the models of DP-FTRL they report raw gradients, and the job"
          + " adds the noise. Takes less than two minutes."
    },
    footer = {
      "",
      "Nothing outlives it: broker, job and files are gone at its end, or on Ctrl-C.",
      "",
      "Try:",
      "  croupier demo --epsilon 4",
      "  croupier demo --clip 1            what a loose gradient bound costs",
      "  croupier demo --undisclosed 0.2   not everybody says how much noise they add",
      "  croupier demo --data people.csv --label bought"
    })
public final class DemoCommand implements Callable<Integer> {

  /** Not seeded: two runs on one Kafka must not meet. */
  private static final SecureRandom ID = new SecureRandom();

  private static final long MOST_IDS = 1L << 40;
  private static final int SIMULATED = 20_000;
  private static final double USUAL_SECONDS = 75;

  /** Fewer people come no slower than those of the census. */
  private static final double SLOWEST_PER_SECOND = 375;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DATA",
      defaultValue = "census",
      description = {
        "census, logistic, linear, or a CSV file with a header and a row for each person"
            + " (default: ${DEFAULT-VALUE}).",
        "census: does a man earn more than the median? 28,155 people, March 1988.",
        "logistic, linear: simulated, the designs of the LDP-SGD paper.",
        "A file: numeric columns are standardised, others get a column per value."
      })
  private String data;

  @Option(
      names = "--label",
      paramLabel = "COLUMN",
      description =
          "Of a CSV file, the column to predict: two values, or a number (above its median?).")
  private String label;

  @Option(
      names = "--epsilon",
      paramLabel = "EPSILON",
      defaultValue = "8",
      description = {
        "Privacy of each report, l2_laplace noise (default: ${DEFAULT-VALUE}).",
        "Of raw reports, at a delta of 1e-5 or less, by the noise of the job."
      })
  private double epsilon;

  @Option(
      names = "--undisclosed",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = {
        "Share of the people who say nothing of their noise, from 0 to 1 (default:"
            + " ${DEFAULT-VALUE}).",
        "It is the same noise. banco refuses their reports, the others don't ask."
      })
  private double undisclosed;

  @Option(
      names = "--users",
      paramLabel = "N",
      description = "How many people report (default: all; simulated: 20000).")
  private Integer users;

  @Option(
      names = "--learners",
      paramLabel = "NAME",
      split = ",",
      description = {
        "Which learners, of adaptive-radius, banco, black-box, coordinate-wise, ldp-sgd:STEP, and,"
            + " of raw reports, dp-ftrl-tree:STEP and dp-ftrl-blt:STEP.",
        "(default: all of them, ldp-sgd at 0.1, 10 and 1000, dp-ftrl at 100)",
        "With --kafka, those of raw reports only if they are named: whoever reads the topics sees"
            + " what people sent, and transaction.max.timeout.ms of the brokers must be 24 hours."
      })
  private List<String> learners;

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      description =
          "Length at which gradients are clipped, the gradient bound of every model"
              + " (default: 0.25; simulated: what the design guarantees).")
  private Double clip;

  @Option(
      names = "--round-size",
      paramLabel = "N",
      defaultValue = "1",
      description = "Reports in a round (default: ${DEFAULT-VALUE}).")
  private int roundSize;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      defaultValue = "1",
      description =
          "Orders the people and draws simulated data; the noise is never seeded"
              + " (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      description = "How long people take to report (default: 75, less if they are few).")
  private Double duration;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      defaultValue = "",
      description =
          "Uses these brokers instead of starting one. The run has topics of its own there,"
              + " croupier-demo-<id>.*, deleted at the end.")
  private String kafka;

  @Option(names = "--keep", description = "With --kafka: keeps the topics.")
  private boolean keep;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      defaultValue = "croupier-demo.html",
      description = "Where to write the page (default: ${DEFAULT-VALUE}).")
  private Path page;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = {
        "Writes what 'croupier replay' needs to tell the same updates again: models.yaml,"
            + " reports.jsonl, journal.jsonl, and updates.jsonl to compare with. DIR is new or empty.",
        "Models of raw reports are left out.",
        "It holds everybody's reports, noised but under their names: let nobody read it who may not"
            + " read the gradients topic. A new DIR is yours alone."
      })
  private Path record;

  @Override
  public Integer call() throws Exception {
    Log.toFile();
    requirePositive("--epsilon", epsilon);
    if (!(undisclosed >= 0 && undisclosed <= 1)) {
      throw new InputException(
          "--undisclosed is %s; it must be from 0 to 1".formatted(undisclosed));
    }
    Path parent = page.toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      throw new InputException("--page: there is no directory " + parent);
    }
    DataSet dataSet = dataSet();
    int size = dataSet.problem().size();
    int people = users == null ? size : users;
    if (people < 1 || people > size) {
      throw new InputException(
          "--users is %d; the data hold %s people".formatted(people, NumberFormats.count(size)));
    }
    double bound = clip == null ? dataSet.clip() : clip;
    requirePositive("--clip", bound);
    if (roundSize < 1) {
      throw new InputException("--round-size is %d; it must be at least 1".formatted(roundSize));
    }
    DemoParameters parameters =
        new DemoParameters(epsilon, undisclosed, bound, roundSize, people, seed);
    List<ComparedLearner> comparedLearners = learners();
    if (record != null && comparedLearners.stream().allMatch(ComparedLearner::isCentral)) {
      throw new InputException(
          "--record: raw reports are never recorded; name one of the other --learners, too");
    }
    double peoplePerSecond = peoplePerSecond(people);
    Recorder recorder = record == null ? null : Recorder.into(record);
    String runId = Long.toString(ID.nextLong(MOST_IDS), Character.MAX_RADIX);
    DemoEnvironment environment = new DemoEnvironment(kafka, keep, runId, recorder != null);
    Demo demo =
        new Demo(
            dataSet, parameters, comparedLearners, peoplePerSecond, page, recorder, environment);
    boolean complete = demo.run(spec.commandLine().getOut());
    if (complete) {
      Log.discard();
    }
    return complete ? 0 : 1;
  }

  private List<ComparedLearner> learners() {
    if (learners != null) {
      return ComparedLearner.parse(learners);
    }
    return ComparedLearner.parse(
        List.of((kafka.isEmpty() ? ComparedLearner.USUAL : ComparedLearner.LOCAL).split(",")));
  }

  private DataSet dataSet() {
    boolean isFile = !List.of("census", "logistic", "linear").contains(data);
    if (isFile && label == null) {
      throw new InputException(
          "--data %s needs --label COLUMN: which column is to be predicted?".formatted(data));
    }
    if (!isFile && label != null) {
      throw new InputException("--label is for a CSV file; --data %s has its own".formatted(data));
    }
    int simulated = users == null ? SIMULATED : users;
    if (simulated < 1) {
      throw new InputException("--users is %d; it must be at least 1".formatted(simulated));
    }
    return switch (data) {
      case "census" -> Census.load();
      case "logistic" -> Simulation.logistic(simulated, seed);
      case "linear" -> Simulation.linear(simulated, seed);
      default -> CsvData.load(Path.of(data), label);
    };
  }

  private double peoplePerSecond(int people) {
    if (duration == null) {
      return Math.max(people / USUAL_SECONDS, SLOWEST_PER_SECOND);
    }
    requirePositive("--duration", duration);
    return people / duration;
  }

  private static void requirePositive(String option, double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new InputException("%s is %s; it must be positive and finite".formatted(option, value));
    }
  }
}
