package io.croupier.cli.account;

import com.google.gson.JsonObject;
import io.croupier.accounting.anonymity.AnonymousWindow;
import io.croupier.accounting.anonymity.WindowComposition;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.cli.InputException;
import io.croupier.cli.io.Table;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Computes what reports without identity guarantee. */
@Command(
    name = "anonymity",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Computes what reports without identity guarantee against readers of a model.",
      "",
      "The result is the central epsilon of a person whose reports arrive at times that no reader"
          + " knows, among those of other people, or with --central the local epsilon that each"
          + " report may have. docs/theory/anonymity.md states the hypotheses."
    },
    footer = {
      "",
      "Try:",
      "  croupier account anonymity --mechanism priv-unit --dimension 8 --epsilon 2 \\",
      "    --people 28155 --delta 1e-6",
      "  croupier account anonymity --mechanism priv-unit --dimension 8 --central 1 \\",
      "    --people 28155 --delta 1e-6"
    })
final class AnonymityCommand implements Callable<Integer> {
  private static final double MOST_LOCAL = 16;

  /** Numbers of reports of a person that are compared. */
  private static final long[] NUMBERS = {1, 2, 4, 8, 16};

  @Spec private CommandSpec spec;

  @Option(
      names = "--mechanism",
      paramLabel = "MECHANISM",
      required = true,
      description = "Mechanism of each report, of pure epsilon: ${COMPLETION-CANDIDATES}.")
  private AnonymousMechanism mechanism;

  @ArgGroup(multiplicity = "1")
  private EpsilonOptions level;

  @Option(
      names = "--dimension",
      paramLabel = "D",
      description =
          "Number of coordinates of a gradient; not for randomised-response or hashed-response.")
  private Integer dimension;

  @Option(
      names = "--categories",
      paramLabel = "K",
      description = "Number of categories, from 2 to 1024; only for hashed-response.")
  private Integer categories;

  @Option(
      names = "--people",
      paramLabel = "N",
      required = true,
      description = "Number of people who report in a window, this person included.")
  private long people;

  @Option(
      names = "--delta",
      paramLabel = "D",
      required = true,
      description = "Delta of the guarantee, at least 1e-10.")
  private double delta;

  @Option(
      names = "--reports",
      paramLabel = "N",
      description = "Number of reports that each person sends in a window (default: 1).")
  private Long reports;

  @Option(
      names = "--windows",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of windows in which the person reports (default: ${DEFAULT-VALUE}).")
  private long windows;

  @Option(
      names = "--honest",
      paramLabel = "SHARE",
      defaultValue = "1",
      description = "Least share of the reports from honest devices (default: ${DEFAULT-VALUE}).")
  private double honest;

  @Option(
      names = "--availability",
      paramLabel = "SHARE",
      defaultValue = "1",
      description = {
        "At any time, other people report with at least this share of the person's own"
            + " probability, both given that they report in the window (default: ${DEFAULT-VALUE}:"
            + " all people are available at the same times)."
      })
  private double availability;

  @Option(names = "--json", description = "Prints JSON, with all digits.")
  private boolean json;

  /** The epsilon that is given. */
  private static final class EpsilonOptions {
    @Option(
        names = "--epsilon",
        paramLabel = "E",
        required = true,
        description = "Local epsilon of each report, in nats.")
    private Double epsilon;

    @Option(
        names = "--central",
        paramLabel = "E",
        required = true,
        description = "Central epsilon of a person, for which to compute the local one.")
    private Double central;
  }

  /** A number of reports of a person in a window. */
  private record Compared(long reports, double localEpsilon, double squaredError) {}

  @Override
  public Integer call() {
    check();
    long each = reports == null ? 1 : reports;
    long counted = AnonymousWindow.counted(Math.multiplyExact(people, each), honest, each);
    if (counted < 2) {
      throw new InputException(
          ("--people is %s; with --honest %s that leaves %s, and it must leave at least 2: a report"
                  + " hides only among others")
              .formatted(people, Digits.all(honest), counted));
    }
    AnonymousReports all =
        new AnonymousReports(mechanism, size(), counted, availability, windows, delta);
    JsonObject object = new JsonObject();
    object.addProperty("mechanism", mechanism.toString());
    object.addProperty("people", people);
    object.addProperty("counted", counted);
    object.addProperty("windows", windows);
    object.addProperty("delta", delta);
    object.addProperty("relation", RelationOption.REPLACE_ONE.toString());
    String text = level.epsilon == null ? inverse(all, object) : central(all, each, object);
    spec.commandLine().getOut().println(json ? Json.text(object) : text);
    return 0;
  }

  /** Of what is reported: dimension of a gradient, or number of categories. */
  private int size() {
    return mechanism.isOfCategories() ? categories : dimension == null ? 0 : dimension;
  }

  private void check() {
    if (level.epsilon != null
        && !(level.epsilon >= AnonymousReports.LEAST_EPSILON && level.epsilon <= MOST_LOCAL)) {
      throw OptionChecks.refusal("--epsilon", level.epsilon, "be from 0.0001 to 16");
    }
    if (level.central != null) {
      OptionChecks.positive("--central", level.central);
    }
    if (mechanism.isOfGradients() && dimension == null) {
      throw new InputException(
          "--dimension is missing; --mechanism %s requires it, such as 8".formatted(mechanism));
    }
    if (dimension != null) {
      if (!mechanism.isOfGradients()) {
        throw new InputException(
            "--dimension is %s; --mechanism %s takes none".formatted(dimension, mechanism));
      }
      OptionChecks.dimension("--dimension", dimension);
    }
    if (mechanism.isOfCategories() != (categories != null)) {
      throw new InputException(
          categories == null
              ? "--categories is missing; --mechanism hashed-response requires it, such as 8"
              : "--categories is %s; --mechanism %s takes none".formatted(categories, mechanism));
    }
    if (categories != null
        && (categories < 2 || categories > HashedResponseMechanism.MOST_GROUPS)) {
      throw OptionChecks.refusal(
          "--categories", categories, "be from 2 to " + HashedResponseMechanism.MOST_GROUPS);
    }
    OptionChecks.atLeast("--people", people, 2);
    OptionChecks.atLeast("--windows", windows, 1);
    if (reports != null) {
      OptionChecks.atLeast("--reports", reports, 1);
      if (reports > WindowComposition.MOST_WINDOWS) {
        throw OptionChecks.refusal(
            "--reports", reports, "be at most " + WindowComposition.MOST_WINDOWS);
      }
      if (reports > 1 && !mechanism.mayRepeat()) {
        throw OptionChecks.refusal(
            "--reports",
            reports,
            "be 1 with --mechanism %s: no theorem composes several of its reports in one window"
                .formatted(mechanism));
      }
    }
    long most = level.central == null ? 1 : numbers()[numbers().length - 1];
    long each = reports == null ? most : reports;
    if (people > Long.MAX_VALUE / each) {
      throw OptionChecks.refusal("--people", people, "be at most " + Long.MAX_VALUE / each);
    }
    if (windows > WindowComposition.MOST_WINDOWS / each) {
      throw OptionChecks.refusal(
          "--windows", windows, "be at most " + WindowComposition.MOST_WINDOWS / each);
    }
    if (!(delta >= WindowComposition.LEAST_DELTA && delta < 1)) {
      throw OptionChecks.refusal("--delta", delta, "be from 1e-10 to 1, such as 1e-6");
    }
    OptionChecks.share("--honest", honest);
    OptionChecks.share("--availability", availability);
  }

  /** The numbers of reports of a person that the inverse compares. */
  private long[] numbers() {
    if (reports != null) {
      return new long[] {reports};
    }
    return mechanism.mayRepeat() ? NUMBERS : new long[] {1};
  }

  private String central(AnonymousReports all, long each, JsonObject object) {
    double epsilon = all.central(level.epsilon, each);
    double local = level.epsilon * each * windows;
    object.addProperty("reports", each);
    object.addProperty("localEpsilon", level.epsilon);
    object.addProperty("localEpsilonOfAll", local);
    object.add("epsilon", Json.number(epsilon));
    Table table =
        new Table("", "rounded", "all digits")
            .row("reports that count", Digits.count(all.counted()), Long.toString(all.counted()))
            .row("local epsilon of all reports", Digits.rounded(local), Digits.all(local))
            .row("central epsilon", Digits.rounded(epsilon), Digits.all(epsilon))
            .row("delta", Digits.rounded(delta), Digits.all(delta))
            .row("relation", RelationOption.REPLACE_ONE.toString(), "");
    return String.join(
        System.lineSeparator(),
        table.text(),
        "",
        ("If %s, the probability of any event grows from p to at most exp(%s) p + %s, and vice"
                + " versa, for readers who don't know when the person reported. For those who do,"
                + " the local epsilon holds.")
            .formatted(
                RelationOption.REPLACE_ONE.meaning(),
                Digits.sixDigits(epsilon, RoundingMode.CEILING),
                Digits.sixDigits(delta, RoundingMode.CEILING)));
  }

  private String inverse(AnonymousReports all, JsonObject object) {
    List<Compared> choices = new ArrayList<>();
    for (long each : numbers()) {
      double epsilon = all.local(level.central, each);
      if (epsilon > 0) {
        double error = mechanism.squaredError(all.dimension(), epsilon) / each;
        choices.add(new Compared(each, epsilon, error));
      }
    }
    if (choices.isEmpty()) {
      throw new InputException(
          ("--central is %s; for %s windows of %s people it must be larger: each report would have"
                  + " a local epsilon below 1e-4")
              .formatted(Digits.all(level.central), Digits.count(windows), Digits.count(people)));
    }
    Compared best =
        choices.stream().min(Comparator.comparingDouble(Compared::squaredError)).orElseThrow();
    Table table = new Table("reports of a person", "local epsilon of each", "squared error");
    for (Compared choice : choices) {
      table.row(
          Digits.count(choice.reports),
          Digits.all(choice.localEpsilon),
          Digits.sixDigits(choice.squaredError, RoundingMode.HALF_EVEN));
    }
    object.addProperty("central", level.central);
    object.add("choices", Json.of(choices));
    object.addProperty("leastErrorWithReports", best.reports);
    return String.join(
        System.lineSeparator(),
        table.text(),
        "",
        ("Least error of these: %s in each window, of local epsilon %s each. The error is that of"
                + " the mean of a person's reports in a window.")
            .formatted(
                best.reports == 1 ? "1 report" : best.reports + " reports",
                Digits.all(best.localEpsilon)));
  }
}
