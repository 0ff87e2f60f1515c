package io.croupier.cli.plan;

import io.croupier.accounting.anonymity.WindowComposition;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.cli.InputException;
import io.croupier.cli.account.Digits;
import io.croupier.cli.account.Json;
import io.croupier.cli.account.OptionChecks;
import io.croupier.cli.io.OutputFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Computes what people would teach a model, and what that would cost them. */
@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Computes what people would teach a model, and what that would cost them.",
      "",
      "The loss follows a law that was fitted to simulated people and to a census: two classes, the"
          + " logistic loss, the learner combined, reports of priv_unit. It is true in 9 of 10 cases"
          + " within the printed limits, if your data is as hard as those. lab/studies/results/plan.md has"
          + " the law and its check; 'croupier demo --data FILE --users N --epsilon E' tries your own"
          + " data."
    },
    footer = {
      "",
      "Try:",
      "  croupier plan --features 8 --epsilon 2 --people 28155",
      "  croupier plan --features 8 --epsilon 2 --target-loss 0.55 --per-day 500",
      "  croupier plan --features 20 --epsilon 4 --people 100000 --plot plan.png"
    })
public final class PlanCommand implements Callable<Integer> {

  private static final double LEAST_EPSILON = 1e-4;
  private static final long MOST_PEOPLE = 1_000_000_000_000L;

  @Spec private CommandSpec spec;

  @Option(
      names = "--features",
      paramLabel = "D",
      required = true,
      description =
          "Number of weights of the model: one for each number, one for each value of a category,"
              + " and the intercept. For k classes, k times as many.")
  private int features;

  @Option(
      names = "--epsilon",
      paramLabel = "E",
      required = true,
      description = "Epsilon of each report, in nats.")
  private double epsilon;

  @Option(
      names = "--people",
      paramLabel = "N",
      description = "Number of people who report (default: as many as --target-loss takes).")
  private Long people;

  @Option(
      names = "--target-loss",
      paramLabel = "LOSS",
      description = "A loss for which to compute the number of people.")
  private Double targetLoss;

  @Option(
      names = "--reports-per-person",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of reports of each person (default: ${DEFAULT-VALUE}).")
  private long reports;

  @Option(
      names = "--per-day",
      paramLabel = "N",
      description = "Number of people who report for the first time on a day: prints days, too.")
  private Double perDay;

  @Option(
      names = "--untrained-loss",
      paramLabel = "LOSS",
      defaultValue = "0.693",
      description =
          "Loss without a model (default: ${DEFAULT-VALUE}: two classes of the same size).")
  private double untrainedLoss;

  @Option(
      names = "--best-loss",
      paramLabel = "LOSS",
      defaultValue = "0.518",
      description =
          "Loss that raw data would reach (default: ${DEFAULT-VALUE}, as in the census of the"
              + " demo). The nearer it is to the loss without a model, the more people it takes.")
  private double bestLoss;

  @Option(
      names = "--delta",
      paramLabel = "D",
      defaultValue = "1e-6",
      description = "Delta of guarantees that have one (default: ${DEFAULT-VALUE}).")
  private double delta;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Writes a picture of the loss by the number of people, a PNG file.")
  private Path plot;

  @Option(names = "--json", description = "Prints JSON, with all digits.")
  private boolean json;

  @Override
  public Integer call() {
    check();
    Plan plan = Plan.of(features, epsilon, reports, untrainedLoss, bestLoss);
    long reporting = people == null ? needed(plan) : people;
    PlanText text = new PlanText(plan, Math.max(2, reporting), targetLoss, perDay, delta);
    spec.commandLine().getOut().println(json ? Json.text(text.json()) : text.text());
    if (plot != null) {
      OutputFile.write("--plot", plot, new PlanPlot(plan, (double) reporting)::save);
      spec.commandLine().getErr().println("Picture: " + plot.toAbsolutePath());
    }
    return 0;
  }

  private long needed(Plan plan) {
    double needed = Math.ceil(plan.people(targetLoss).likely());
    if (!(needed <= MOST_PEOPLE)) {
      throw new InputException(
          "--target-loss: no number of people up to 10^12 would teach this loss at --epsilon "
              + Digits.all(epsilon));
    }
    return (long) needed;
  }

  private void check() {
    OptionChecks.dimension("--features", features);
    if (!(epsilon >= LEAST_EPSILON && epsilon <= PrivUnitLaw.MOST_EPSILON)) {
      throw OptionChecks.refusal("--epsilon", epsilon, "be from 0.0001 to 16");
    }
    if (people == null && targetLoss == null) {
      throw new InputException(
          "Give --people N, for the loss that they teach, or --target-loss LOSS, for the number of"
              + " people, or both");
    }
    if (people != null) {
      OptionChecks.atLeast("--people", people, 2);
      if (people > MOST_PEOPLE) {
        throw OptionChecks.refusal("--people", people, "be at most 10^12");
      }
    }
    OptionChecks.atLeast("--reports-per-person", reports, 1);
    if (reports > WindowComposition.MOST_WINDOWS) {
      throw OptionChecks.refusal(
          "--reports-per-person", reports, "be at most " + WindowComposition.MOST_WINDOWS);
    }
    if (perDay != null) {
      OptionChecks.positive("--per-day", perDay);
    }
    OptionChecks.positive("--untrained-loss", untrainedLoss);
    if (!(bestLoss >= 0 && bestLoss < untrainedLoss)) {
      throw OptionChecks.refusal(
          "--best-loss",
          bestLoss,
          "be at least 0, and below --untrained-loss, " + Digits.all(untrainedLoss));
    }
    if (targetLoss != null && !(targetLoss > bestLoss && targetLoss < untrainedLoss)) {
      throw OptionChecks.refusal(
          "--target-loss",
          targetLoss,
          "be between --best-loss, %s, and --untrained-loss, %s"
              .formatted(Digits.all(bestLoss), Digits.all(untrainedLoss)));
    }
    if (!(delta >= WindowComposition.LEAST_DELTA && delta < 1)) {
      throw OptionChecks.refusal("--delta", delta, "be from 1e-10 to 1, such as 1e-6");
    }
    if (plot != null && !Files.isDirectory(plot.toAbsolutePath().getParent())) {
      throw new InputException("--plot: no such directory: " + plot.toAbsolutePath().getParent());
    }
    if (plot != null && !plot.toString().endsWith(".png")) {
      throw OptionChecks.refusal("--plot", plot, "end in .png");
    }
  }
}
