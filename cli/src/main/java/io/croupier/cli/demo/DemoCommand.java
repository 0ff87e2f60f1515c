package io.croupier.cli.demo;

import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.cli.Brokers;
import io.croupier.cli.ExitCode;
import io.croupier.cli.InputException;
import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.data.DataSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares learners end to end on one machine. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Compares learners end to end on this machine.",
      "",
      "The command starts a Kafka broker and the Flink job in this process. Every person of a data"
          + " set sends one report to the model of each learner, with noise added before it is"
          + " sent; DP-FTRL's models receive raw gradients, and the job adds the noise. The"
          + " command prints the address of a live page first, which ends with it, and in the end the"
          + " result; it writes a page with curves. It takes some two minutes."
    },
    footer = {
      "",
      "Broker, job and temporary files are removed at the end and on Ctrl-C.",
      "",
      "Try:",
      "  croupier demo --all          eleven learners, two of them on raw gradients",
      "  croupier demo --epsilon 4",
      "  croupier demo --feature-scale 100        features in other units: only",
      "                               learners without a clip need no new choice",
      "  croupier demo --mechanism l2-laplace     other noise of the same epsilon",
      "  croupier demo --mechanism l2-laplace --epsilon 8 --undisclosed 0.2",
      "                               one person in five doesn't declare noise",
      "  croupier demo drift          which learners follow labels that turn over",
      "  croupier demo statistics     regions of the census, from the same people",
      "  croupier demo anonymous      no identity: local and central epsilon",
      "  croupier demo --data people.csv --label bought",
      "  croupier demo --data people.csv --label bought --features models.yaml"
    })
public final class DemoCommand implements Callable<Integer> {

  /** Not seeded, since two runs on the same brokers must use different topics. */
  private static final SecureRandom ID = new SecureRandom();

  private static final long MOST_IDS = 1L << 40;
  private static final int LEAST_OF_DRIFT = 100;
  private static final double USUAL_SECONDS = 75;

  /**
   * The minimum rate, so that some hundred people don't take longer than they can teach. A faster
   * one would leave too few publications to find the clip of some 2,000.
   */
  private static final double SLOWEST_PER_SECOND = 25;

  /**
   * Rounds that the reports of all people make. A model that closes more learns less from so few
   * reports, since the wealth that it bets is in units of a round.
   */
  private static final int ROUNDS = 80;

  private enum Variation {
    DRIFT,
    STATISTICS,
    ANONYMOUS
  }

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "VARIATION",
      description = {
        "drift: all labels turn over after half of the people. Compares bettors with and without a"
            + " memory, whose half-life is a tenth of the people (default learners: combined,"
            + " black-box and coordinate-wise at the clip, ldp-sgd:10). The result shows which"
            + " learners recover, and after how many reports. No questions are asked. Not for"
            + " dp-ftrl, or learners for which the job finds the clip.",
        "statistics: counts the categories of each column of words, the regions of the census, too:"
            + " three people in ten answer a question or report their category, randomised, instead"
            + " of a gradient (default learner: combined at the clip). The result has the estimated"
            + " fractions with intervals beside the true ones. Not with gaussian noise.",
        "anonymous: people report without identity, in one window: a gateway in this process signs"
            + " a token for each person, blindly, once the ledger has charged the person, and takes"
            + " the reports (default learners: combined, black-box, banco and coordinate-wise at the"
            + " clip). The result has the local and the central epsilon of a report. No questions"
            + " are asked. Only for priv-unit, and not for dp-ftrl, or learners for which the job"
            + " finds the clip. It takes longer, since a person has a token for each learner, and"
            + " each is signed."
      })
  private Variation variation;

  @Mixin private DemoData data;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      defaultValue = "priv-unit",
      description =
          "Mechanism of each report: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private NoiseMechanism mechanism;

  @Option(
      names = "--epsilon",
      paramLabel = "EPSILON",
      defaultValue = "2",
      description = {
        "Epsilon of each report (default: ${DEFAULT-VALUE}); of gaussian, at the delta of raw"
            + " reports.",
        "For raw reports: epsilon at a delta of 1e-5 or less, with noise from the job."
      })
  private double epsilon;

  @Option(
      names = "--undisclosed",
      paramLabel = "SHARE",
      defaultValue = "0",
      description = {
        "Share of the people who don't declare their noise, from 0 to 1 (default:"
            + " ${DEFAULT-VALUE}).",
        "They add the same noise. banco refuses their reports; the other learners accept them. They"
            + " answer no question, and send nothing where one is asked. Not for"
            + " priv-unit, whose reports disclose their mechanism by their form."
      })
  private double undisclosed;

  @Option(
      names = "--users",
      paramLabel = "N",
      description = "Number of people (default: all; simulated: 20000).")
  private Integer users;

  @Option(
      names = "--learners",
      paramLabel = "NAME",
      split = ",",
      description = {
        "Learners, separated by commas: "
            + ComparedLearner.LOCAL_FORMS
            + " and, on raw reports, dp-ftrl-tree:STEP and dp-ftrl-blt:STEP (default: "
            + ComparedLearner.USUAL
            + "). The job finds the clip of combined and black-box without a number."
      })
  private List<String> learners;

  @Option(
      names = "--all",
      description = {
        "All learners: combined, black-box without and with 1, 0.25 and 0.1, banco,"
            + " coordinate-wise, ldp-sgd with 0.1 and 10, and dp-ftrl with 100.",
        "With --kafka, dp-ftrl takes part only if --learners names it: readers of the raw-gradients"
            + " topic see raw gradients, and transaction.max.timeout.ms of the brokers must be 24"
            + " hours."
      })
  private boolean all;

  @Option(
      names = "--verbose",
      description = "Prints what the numbers mean, and what became of the reports, too.")
  private boolean verbose;

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      description =
          "Norm at which gradients are clipped for learners that neither name nor find their clip"
              + " (default: 0.25; with --features, times the root of their number; simulated: the"
              + " bound of the design).")
  private Double clip;

  @Option(
      names = "--feature-scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "Multiplies all features by FACTOR, and so every gradient, as if they were measured in"
              + " other units (default: ${DEFAULT-VALUE}). No default of another option depends on"
              + " it.")
  private double featureScale;

  @Option(
      names = "--round-size",
      paramLabel = "N",
      description = "Least number of reports per round (default: one person in 80; drift: 1).")
  private Integer roundSize;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      defaultValue = "1",
      description =
          "Seed for the order of people and for simulated data; the noise is never seeded (default:"
              + " ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--duration",
      paramLabel = "SECONDS",
      description =
          "Time in which all people report (default: 75, or less for fewer than 1,875 people). In"
              + " a longer time a model publishes, and so learns, more often.")
  private Double duration;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      defaultValue = "",
      description =
          "Uses these brokers instead of starting one. The run creates its own topics,"
              + " croupier-demo-<id>.*, and deletes them at the end.")
  private String kafka;

  @Option(names = "--keep", description = "With --kafka: doesn't delete the topics.")
  private boolean keep;

  @Option(
      names = "--page",
      paramLabel = "FILE",
      defaultValue = "croupier-demo.html",
      description = "Output file for the page (default: ${DEFAULT-VALUE}).")
  private Path page;

  @Option(
      names = "--record",
      paramLabel = "DIR",
      description = {
        "Records the run in DIR, a new or empty directory, so that 'croupier replay' can reproduce"
            + " its updates: models.yaml, reports.jsonl, journal.jsonl, and updates.jsonl for"
            + " comparison.",
        "Raw reports and their models are not recorded.",
        "DIR contains all noised reports with user ids; restrict its readers to those of the"
            + " gradients topic. Only you can read a new DIR."
      })
  private Path record;

  @Override
  public Integer call() throws Exception {
    requirePositive("--epsilon", epsilon);
    if (mechanism == NoiseMechanism.PRIV_UNIT && epsilon > PrivUnitLaw.MOST_EPSILON) {
      throw new InputException(
          "--epsilon is %s; it must be at most %s for priv-unit; --mechanism l2-laplace takes more"
              .formatted(epsilon, PrivUnitLaw.MOST_EPSILON));
    }
    if (!(undisclosed >= 0 && undisclosed <= 1)) {
      throw new InputException(
          "--undisclosed is %s; it must be from 0 to 1".formatted(undisclosed));
    }
    if (undisclosed > 0 && mechanism == NoiseMechanism.PRIV_UNIT) {
      throw new InputException(
          "--undisclosed is not for priv-unit, whose reports disclose their mechanism by their"
              + " form; use --mechanism l2-laplace or gaussian");
    }
    Path parent = page.toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      throw new InputException("--page: no such directory: " + parent);
    }
    if (Files.isDirectory(page) || !Files.isWritable(Files.exists(page) ? page : parent)) {
      throw new InputException("--page: %s can't be written".formatted(page.toAbsolutePath()));
    }
    data.requireOther("--page", page);
    if (keep && kafka.isEmpty()) {
      throw new InputException("--keep applies only with --kafka HOST:PORT");
    }
    requirePositive("--feature-scale", featureScale);
    DataSet dataSet = data.load(users, seed).times(featureScale);
    int size = dataSet.problem().size();
    int people = users == null ? size : users;
    if (people < 1 || people > size) {
      throw new InputException(
          "--users is %d; it must be from 1 to %s, the number of people in the data"
              .formatted(people, NumberFormats.count(size)));
    }
    double bound = clip == null ? dataSet.clip() : clip;
    requirePositive("--clip", bound);
    boolean drifts = variation == Variation.DRIFT;
    int reports = roundSize != null ? roundSize : drifts ? 1 : Math.max(1, people / ROUNDS);
    if (reports < 1) {
      throw new InputException("--round-size is %d; it must be at least 1".formatted(reports));
    }
    DemoParameters parameters =
        new DemoParameters(mechanism, epsilon, undisclosed, bound, reports, people, seed);
    if (all && (learners != null || variation != null)) {
      throw new InputException(
          "--all is for the usual comparison; leave out --learners, drift, statistics and"
              + " anonymous");
    }
    Counts counts = counts(dataSet);
    List<ComparedLearner> comparedLearners = drifts ? drifting(bound, people) : learners(bound);
    if (record != null && comparedLearners.stream().allMatch(ComparedLearner::isCentral)) {
      throw new InputException(
          "--record: raw reports are never recorded; --learners must have one of noised reports");
    }
    DemoWindow window = window(parameters, comparedLearners);
    double peoplePerSecond = peoplePerSecond(people);
    if (!kafka.isEmpty()) {
      Brokers.require(Map.of("bootstrap.servers", kafka), spec.commandLine().getErr());
    }
    Recorder recorder = record == null ? null : Recorder.into(record);
    String runId = Long.toString(ID.nextLong(MOST_IDS), Character.MAX_RADIX);
    DemoEnvironment environment =
        new DemoEnvironment(kafka, keep, runId, recorder != null, variation == Variation.ANONYMOUS);
    Demo demo =
        new Demo(
            drifts ? Turn.halfway(dataSet, people) : Turn.never(dataSet),
            counts,
            window,
            parameters,
            comparedLearners,
            peoplePerSecond,
            page,
            recorder,
            environment);
    boolean complete = demo.run(spec.commandLine().getOut(), verbose);
    return (complete ? ExitCode.SUCCESS : ExitCode.FAILURE).code();
  }

  private Counts counts(DataSet dataSet) {
    if (variation != Variation.STATISTICS) {
      return Counts.none();
    }
    if (mechanism == NoiseMechanism.GAUSSIAN) {
      throw new InputException(
          "demo statistics is not for gaussian: a vote has a pure epsilon, as priv-unit has");
    }
    return Counts.of(dataSet);
  }

  private DemoWindow window(DemoParameters parameters, List<ComparedLearner> comparedLearners) {
    if (variation != Variation.ANONYMOUS) {
      return DemoWindow.NONE;
    }
    if (record != null || duration != null) {
      throw new InputException("demo anonymous is not for --record or --duration; leave them out");
    }
    return DemoWindow.of(parameters, comparedLearners);
  }

  private List<ComparedLearner> learners(double bound) {
    if (learners != null) {
      return ComparedLearner.parse(learners);
    }
    String clipped = ":" + NumberFormats.plain(bound);
    if (variation == Variation.STATISTICS) {
      return ComparedLearner.parse(List.of("combined" + clipped));
    }
    if (variation == Variation.ANONYMOUS) {
      return ComparedLearner.parse(
          List.of("combined" + clipped, "black-box" + clipped, "banco", "coordinate-wise"));
    }
    String usual =
        !all
            ? ComparedLearner.USUAL
            : kafka.isEmpty() ? ComparedLearner.ALL : ComparedLearner.LOCAL;
    return ComparedLearner.parse(List.of(usual.split(",")));
  }

  /** The learners of a drift: each bettor without and with a memory. */
  private List<ComparedLearner> drifting(double bound, int people) {
    if (people < LEAST_OF_DRIFT) {
      throw new InputException(
          "demo drift requires at least %d people, got %d".formatted(LEAST_OF_DRIFT, people));
    }
    String clipped = ":" + NumberFormats.plain(bound);
    List<String> names =
        learners != null
            ? learners
            : List.of("combined" + clipped, "black-box" + clipped, "coordinate-wise", "ldp-sgd:10");
    List<ComparedLearner> all = new ArrayList<>();
    for (ComparedLearner learner : ComparedLearner.parse(names)) {
      if (learner.isCentral() || learner.findsClip()) {
        throw new InputException(
            "demo drift: the learner '%s' is not for a drift; it must be %s"
                .formatted(learner.label(), ComparedLearner.WITH_CLIP));
      }
      all.add(learner);
      if (learner.mayForget()) {
        all.add(learner.withMemory(people / 10));
      }
    }
    return all;
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
