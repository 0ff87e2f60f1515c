package io.croupier.cli.audit;

import io.croupier.cli.CountBar;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.Version;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
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
      "Tries to refute what a randomiser promises: draws many releases of two gradients, g and h,"
          + " that are as far apart as any two, and looks for an event that is more frequent with"
          + " one than the promise allows. The randomiser is the one that devices use, random bits"
          + " included. Exit code 0: not refuted, 1: refuted.",
      "",
      "The gradients are of the longest length, h is -g, and g lies along the first axis; for"
          + " coordinate-laplace along its taus with --clip L2, and in a corner of the cube with"
          + " --clip COORDINATES. With the latter each coordinate has a promise of its own, too:"
          + " that of the least tau is audited by two gradients that differ in it alone, one of"
          + " them 1000 times as long as any may be, so that a clip which scales the others shows.",
      "",
      "Not refuted means that no event tried gives the promise away, in that many releases. It is"
          + " a lower bound on what the randomiser leaks, and never a proof: other events, other"
          + " gradients, the time that a release takes, and bits that repeat from device to device"
          + " are not looked at. Refuted means that the randomiser is wrong, but for the stated"
          + " probability."
    },
    footer = {
      "",
      "The events: both tails of ||x - h|| - ||x - g||, of the sum of tau_j (|x_j - h_j| - |x_j -"
          + " g_j|), tau_j being 1 for the others, of the same with g and h scaled to L2 norm G, and"
          + " of <x, g - h>, x being the release, at thresholds that leave 8 releases to all"
          + " of them. One half of the releases chooses the event; the other one bounds its two"
          + " probabilities (Clopper and Pearson), and so epsilon from below by ln(p / q), or mu by"
          + " Phi^-1(p) - Phi^-1(q). The bound at 95 %% is that of the same event, as it is often"
          + " stated; one in 20 such bounds is too high, so it refutes nothing.",
      "Also: the variance along an axis (for coordinate-laplace, that of the smallest tau) against"
          + " the declared one (two-sided, normal law), and whether odd multiples of the grid's step"
          + " are as frequent as even ones: noise that leaves out steps gives the gradient's last"
          + " bits away. Half of the false alarms that --confidence allows are the event's, a"
          + " quarter each the variance's and the grid's.",
      "",
      "How strong it is: what is never seen can't be rarer than the releases are many, so no more"
          + " shows than an epsilon of ln(samples / 35), 10.2 by default, or a mu of 5.2. Gaussian"
          + " noise shows nearly all of its mu in any dimension. L2-laplace noise shows nearly all of"
          + " its epsilon in one or two dimensions, coordinate-laplace noise of what its taus come to, and"
          + " both the less, the more there are, as noise is seldom in line with g: an observer then has little more than mu-GDP of epsilon /"
          + " sqrt(D). With the default samples, half the noise shows by its event up to some 10"
          + " coordinates at epsilon 0.5, 15 at 1, 20 at 4. By its variance it shows at any"
          + " level and dimension; a radius of one degree less, up to some 250.",
      "",
      "Try:",
      "  croupier audit --mechanism l2-laplace --epsilon 1 --dimension 2",
      "  croupier audit --mechanism coordinate-laplace --taus 0.5,1,Infinity --clip COORDINATES"
    })
public final class AuditCommand implements Callable<Integer> {
  /** The variance's false alarms follow the normal law from about here on. */
  private static final int FEWEST_SAMPLES = 100_000;

  private static final int MOST_SAMPLES = 10_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      required = true,
      description = "The randomiser: ${COMPLETION-CANDIDATES}.")
  private AuditedRandomiser kind;

  @ArgGroup(multiplicity = "1")
  private LevelOptions level;

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      description = {
        "To what norm coordinate-laplace clips gradients: ${COMPLETION-CANDIDATES}. Its epsilon is"
            + " the taus' L2 norm with L2, which takes no tau of Infinity, and their sum with"
            + " COORDINATES. Default: L2."
      })
  private ClippingNorm clip;

  @Option(
      names = "--dimension",
      paramLabel = "D",
      description = "Coordinates of a gradient (default: 1, or as many as --taus).")
  private Integer dimension;

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

  /** One of the three. */
  private static final class LevelOptions {
    @Option(
        names = "--epsilon",
        paramLabel = "E",
        required = true,
        description = {
          "The promise of l2-laplace: epsilon-LDP, in nats; that of coordinate-laplace with D equal"
              + " taus that come to it."
        })
    private Double epsilon;

    @Option(
        names = "--taus",
        paramLabel = "T",
        required = true,
        split = ",",
        description = {
          "The taus of coordinate-laplace, one for each coordinate, with commas, in nats; Infinity:"
              + " not private. With --clip COORDINATES each is a promise."
        })
    private double[] taus;

    @Option(
        names = "--mu",
        paramLabel = "M",
        required = true,
        description = "The promise of gaussian: mu-GDP.")
    private Double mu;

    private double of(AuditedRandomiser kind) {
      Double value = kind.guarantee() == PrivacyDefinition.EPSILON ? epsilon : mu;
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
    require(
        dimension == null || dimension >= 1,
        "--dimension is %d; it must be at least 1".formatted(dimension));
    requireUsableTaus();
    Map<String, Claim> claims = claims();
    for (Claim claim : claims.values()) {
      require(
          claim.pair().length() >= 1 && claim.varianceInSteps() >= 1,
          ("--grid-exponent is %d; a step of 2^%1$d is longer than G or than the noise's standard"
                  + " deviation, and so hides what is to be measured")
              .formatted(claim.gridExponent()));
    }
    Map<String, Finding> findings = new LinkedHashMap<>();
    long releases = 2L * samples * claims.size();
    try (CountBar bar =
        new CountBar("releases", releases, Boolean.getBoolean("croupier.terminal"))) {
      for (Map.Entry<String, Claim> claim : claims.entrySet()) {
        Audit audit = new Audit(claim.getValue(), samples, confidence, threads);
        findings.put(claim.getKey(), audit.run(() -> randomiser()::randomise, bar::step));
      }
    }
    Log.discard();
    return tell(findings, spec.commandLine().getOut());
  }

  /** What the randomiser promises, by whose promise it is. */
  private Map<String, Claim> claims() {
    Randomiser randomiser = randomiser();
    Map<String, Claim> claims = new LinkedHashMap<>();
    if (randomiser instanceof CoordinateLaplaceRandomiser coordinates) {
      claims.put("%s, clip %s".formatted(kind, coordinates.clip()), Claim.of(randomiser));
      if (coordinates.clip() == ClippingNorm.COORDINATES && coordinates.dimension() > 1) {
        Claim claim = Claim.ofLeastTau(coordinates);
        claims.put(
            "coordinate %d of %s, clip %s"
                .formatted(claim.pair().noisiest(), kind, coordinates.clip()),
            claim);
      }
    } else {
      claims.put(kind.toString(), Claim.of(randomiser));
    }
    return claims;
  }

  /** Prints what was found, by whose promise it is; returns the exit code that it means. */
  static int tell(Map<String, Finding> findings, PrintWriter out) {
    String between = System.lineSeparator() + System.lineSeparator();
    out.println(
        findings.entrySet().stream()
            .map(finding -> new FindingText(finding.getKey(), finding.getValue()).text())
            .collect(Collectors.joining(between)));
    return findings.values().stream().anyMatch(Finding::refuted) ? 1 : 0;
  }

  private void requireUsableTaus() {
    require(
        clip == null || kind == AuditedRandomiser.COORDINATE_LAPLACE,
        "--clip is for coordinate-laplace; --mechanism %s clips to L2 norm".formatted(kind));
    if (level.taus == null) {
      return;
    }
    require(
        kind == AuditedRandomiser.COORDINATE_LAPLACE,
        "--taus is for coordinate-laplace; --mechanism %s promises a level of %2$s: give --%2$s"
            .formatted(kind, kind.guarantee().symbol()));
    require(
        dimension == null || dimension == level.taus.length,
        "--dimension is %d; it must be that of --taus, %d".formatted(dimension, level.taus.length));
    require(
        Arrays.stream(level.taus).anyMatch(tau -> tau < Double.POSITIVE_INFINITY),
        "--taus are all Infinity; one must be finite, else nothing is promised");
  }

  private Randomiser randomiser() {
    try {
      int exponent =
          gridExponent != null
              ? gridExponent
              : ModelSpecs.gridExponent(
                  ModelSpec.newBuilder().setGradientBound(gradientBound).build());
      ClippingNorm norm = clip == null ? ClippingNorm.L2 : clip;
      if (level.taus != null) {
        return new CoordinateLaplaceRandomiser(gradientBound, exponent, level.taus, norm);
      }
      int d = dimension == null ? 1 : dimension;
      return norm == ClippingNorm.COORDINATES
          ? new Calibration(gradientBound, d, exponent, 1).coordinateLaplace(level.of(kind), norm)
          : kind.create(gradientBound, d, exponent, level.of(kind));
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
