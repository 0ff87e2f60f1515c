package io.croupier.cli.audit;

import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Tries to refute what a randomiser promises. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    abbreviateSynopsis = true,
    sortOptions = false,
    description = {
      "Tries to refute what a randomiser promises: draws many releases of two gradients, g and -g,"
          + " of the longest length and along the first axis, and looks for an event that is more"
          + " frequent with one than the promise allows. The randomiser is the one that devices"
          + " use, random bits included. Exit code 0: not refuted, 1: refuted.",
      "",
      "Not refuted means that no event tried gives the promise away, in that many releases. It is"
          + " a lower bound on what the randomiser leaks, and never a proof: other events, other"
          + " gradients, the time that a release takes, and bits that repeat from device to device"
          + " are not looked at. Refuted means that the randomiser is wrong, but for the stated"
          + " probability."
    },
    footer = {
      "",
      "The events: both tails of ||x + g|| - ||x - g|| and of <x, g>, x being the release, at"
          + " thresholds that leave 8 releases to all of them. One half of the releases chooses the"
          + " event; the other one bounds its two probabilities (Clopper and Pearson), and so"
          + " epsilon from below by ln(p / q), or mu by Phi^-1(p) - Phi^-1(q).",
      "Also: the variance along the first axis against the declared one (two-sided, normal law),"
          + " and whether all releases are on the grid. Half of the false alarms that --confidence"
          + " allows are the event's, half the variance's.",
      "",
      "How strong it is: what is never seen can't be rarer than the releases are many, so no more"
          + " shows than an epsilon of ln(samples / 35), 10.2 by default, or a mu of 5.2. Gaussian"
          + " noise shows nearly all of its mu in any dimension. L2-laplace noise shows nearly all of"
          + " its epsilon in one or two dimensions, and the less, the more there are, since it is"
          + " seldom in line with g: an observer then has little more than mu-GDP of epsilon /"
          + " sqrt(D). With the default samples, half the noise shows by its event up to some 10"
          + " coordinates at epsilon 0.5, 15 at 1, 20 at 4. By its variance it shows at any"
          + " level and dimension; a radius of one degree less, up to some 250.",
      "",
      "Try:",
      "  croupier audit --mechanism l2-laplace --epsilon 1 --dimension 2"
    })
public final class AuditCommand implements Callable<Integer> {
  private static final int FEWEST_SAMPLES = 1000;
  private static final int MOST_SAMPLES = 10_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      required = true,
      description = "The randomiser: ${COMPLETION-CANDIDATES}.")
  private Kind kind;

  @ArgGroup(multiplicity = "1")
  private Level level;

  @Option(
      names = "--dimension",
      paramLabel = "D",
      defaultValue = "1",
      description = "Coordinates of a gradient (default: ${DEFAULT-VALUE}).")
  private int dimension;

  @Option(
      names = "--gradient-bound",
      paramLabel = "G",
      defaultValue = "1",
      description = "The longest that a gradient may be (default: ${DEFAULT-VALUE}).")
  private double gradientBound;

  @Option(
      names = "--grid-exponent",
      paramLabel = "E",
      description = "Releases are multiples of 2^E (default: floor(log2 G) - 16).")
  private Integer gridExponent;

  @Option(
      names = "--samples",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Releases of either gradient (default: ${DEFAULT-VALUE}).")
  private int samples;

  @Option(
      names = "--confidence",
      paramLabel = "P",
      defaultValue = "0.999999",
      description = {
        "With this probability, at least, a true promise is not refuted (default:"
            + " ${DEFAULT-VALUE})."
      })
  private double confidence;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads that draw releases (default: ${DEFAULT-VALUE}).")
  private int threads;

  /** One of the two. */
  private static final class Level {
    @Option(
        names = "--epsilon",
        paramLabel = "E",
        required = true,
        description = "The promise of l2-laplace: epsilon-LDP, in nats.")
    private Double epsilon;

    @Option(
        names = "--mu",
        paramLabel = "M",
        required = true,
        description = "The promise of gaussian: mu-GDP.")
    private Double mu;

    private double of(Kind kind) {
      Double value = kind.guarantee() == Guarantee.EPSILON ? epsilon : mu;
      if (value == null) {
        throw new InputException(
            "--mechanism %s promises a level of %2$s: give --%2$s"
                .formatted(kind, kind.guarantee().symbol()));
      }
      return value;
    }
  }

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    Log.toFile();
    require(
        samples >= FEWEST_SAMPLES && samples <= MOST_SAMPLES,
        "--samples is %d; it must be from %d to %d"
            .formatted(samples, FEWEST_SAMPLES, MOST_SAMPLES));
    require(
        confidence >= 0.5 && confidence <= 1 - 1e-12,
        "--confidence is %s; it must be from 0.5 to 1 - 1e-12".formatted(confidence));
    require(threads >= 1, "--threads is %d; it must be at least 1".formatted(threads));
    double promised = level.of(kind);
    Claim claim = Claim.of(kind.guarantee(), promised, randomiser(promised));
    require(
        claim.lengthInSteps() >= 1 && claim.varianceInSteps() >= 1,
        ("--grid-exponent is %d; a step of 2^%1$d is longer than G or than the noise's standard"
                + " deviation, and so hides what is to be measured")
            .formatted(claim.gridExponent()));
    Finding finding;
    try (Bar bar = new Bar(2L * samples, Boolean.getBoolean("croupier.terminal"))) {
      Audit audit = new Audit(claim, samples, confidence, threads);
      finding = audit.run(() -> randomiser(promised)::randomise, bar::step);
    }
    Log.discard();
    return tell(finding, kind, spec.commandLine().getOut());
  }

  /** Prints a finding; returns the exit code that it means. */
  static int tell(Finding finding, Kind kind, PrintWriter out) {
    out.println(new FindingText(kind.toString(), finding).text());
    return finding.refuted() ? 1 : 0;
  }

  private Randomiser randomiser(double promised) {
    try {
      int exponent =
          gridExponent != null
              ? gridExponent
              : ModelSpecs.gridExponent(
                  ModelSpec.newBuilder().setGradientBound(gradientBound).build());
      return kind.create(gradientBound, dimension, exponent, promised);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new InputException(otherwise);
    }
  }
}
