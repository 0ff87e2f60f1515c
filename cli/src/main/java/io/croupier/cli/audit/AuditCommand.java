package io.croupier.cli.audit;

import io.croupier.cli.InputException;
import io.croupier.cli.NoiseMechanism;
import io.croupier.cli.audit.Experiment.Draws;
import io.croupier.cli.io.CountBar;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Tries to refute the guarantee of a randomiser. */
@Command(
    name = "audit",
    mixinStandardHelpOptions = true,
    abbreviateSynopsis = true,
    sortOptions = false,
    subcommands = ReleasesCommand.class,
    description = {
      "Tries to refute the privacy guarantee of a randomiser of this program, or, with 'audit"
          + " releases', that of any other device.",
      "",
      "The command draws many releases of"
          + " two gradients, g and h, at the largest distance, and searches for an event that is"
          + " more frequent for one of them than the guarantee allows. It runs the same"
          + " randomiser as devices, including its source of random bits. Exit code: 0 if not"
          + " refuted, 1 if refuted.",
      "",
      "Both gradients have the largest length, and h = -g. g lies along the first axis; for"
          + " coordinate-laplace, it lies along the taus with --clip L2 and in a corner of the"
          + " cube with --clip COORDINATES. With COORDINATES, each coordinate has its own"
          + " guarantee, too. The command audits that of the least tau with two gradients that"
          + " differ only in this coordinate, one of them 1000 times longer than the bound,"
          + " which detects a clip that scales the other coordinates.",
      "",
      "'Not refuted' means that none of the candidate events violates the guarantee in this number"
          + " of releases. The result is a lower bound on the privacy loss, never a proof: the"
          + " command doesn't test other events, other gradients, the time that a release takes,"
          + " or random bits that repeat on several devices. 'Refuted' means that the randomiser"
          + " is wrong, except with the stated probability."
    },
    footer = {
      "",
      "Events: for a release x, the candidates are both tails of ||x - h|| - ||x - g||, of the sum"
          + " of tau_j (|x_j - h_j| - |x_j - g_j|) with tau_j = 1 for other mechanisms, of the"
          + " same sum with g and h scaled to L2 norm G, and of <x, g - h>, at thresholds that"
          + " between 8 and all releases exceed. One half of the releases chooses the event. The"
          + " other half bounds its two probabilities (Clopper and Pearson 1934) and thus"
          + " epsilon from below by ln(p / q), or mu by Phi^-1(p) - Phi^-1(q). The output also"
          + " has the bound of the same event at 95 %%, which is often quoted. One in 20 such"
          + " bounds is too high, so it refutes nothing.",
      "For priv-unit the event is known in advance: that the index is one of the top candidates of"
          + " its seed, which the audit ranks again. So all releases judge it, and the bound comes"
          + " close to epsilon in any dimension. The command also compares the mean and the"
          + " variance along the gradient with the declared ones.",
      "For --answer, the inputs are the answers yes and no, and the event is that the"
          + " released bit is yes. The command also compares the probability of the true bit with"
          + " the declared one.",
      "Noise: the command compares the variance along an axis (for coordinate-laplace, that of the"
          + " least tau) with the declared variance (two-sided test, normal approximation), and"
          + " checks that odd multiples of the grid step are as frequent as even ones, since noise"
          + " that omits steps discloses the last bits of the gradient. Of the false alarms that"
          + " --confidence allows, half are for the event, and a quarter each for the variance and"
          + " the grid.",
      "",
      "Power: the number of releases limits the bound to an epsilon of ln(samples / 35), 10.2 by"
          + " default, or a mu of 5.2. For Gaussian noise, the bound comes close to mu in any"
          + " dimension. For l2-laplace and coordinate-laplace noise, it comes close to epsilon"
          + " in one or two dimensions, and falls as the dimension grows, since noise is seldom"
          + " aligned with g: an observer then learns little more than with mu-GDP of mu ="
          + " epsilon / sqrt(D). With the default number of samples, the event detects noise of"
          + " half the required scale up to about 10 coordinates at epsilon 0.5, 15 at 1 and 20"
          + " at 4. The variance detects it at any level and dimension, and a radius with one"
          + " degree of freedom too few up to about 250 coordinates.",
      "",
      "Try:",
      "  croupier audit --mechanism priv-unit --epsilon 1 --dimension 100",
      "  croupier audit --mechanism l2-laplace --epsilon 1 --dimension 2",
      "  croupier audit --answer --mu 1",
      "  croupier audit --mechanism coordinate-laplace --taus 0.5,1,Infinity \\",
      "    --clip COORDINATES"
    })
public final class AuditCommand implements Callable<Integer> {
  /** From about this number on, the normal approximation holds for the variance. */
  private static final int FEWEST_SAMPLES = 100_000;

  private static final int MOST_SAMPLES = 10_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--mechanism",
      paramLabel = "NAME",
      description = "Randomiser to audit: ${COMPLETION-CANDIDATES}.")
  private NoiseMechanism kind;

  @Option(
      names = "--answer",
      description = {
        "Audits the randomised bit of an answer to a question, instead of a randomiser of"
            + " gradients."
      })
  private boolean answer;

  @Option(
      names = "--categories",
      paramLabel = "K",
      description = "Audits the vote for one of K categories, from 2 to 4096, instead.")
  private Integer categories;

  // Required, but not of the subcommand.
  @ArgGroup private LevelOptions level;

  @Option(
      names = "--clip",
      paramLabel = "NORM",
      description = {
        "Norm to which coordinate-laplace clips gradients: ${COMPLETION-CANDIDATES}. With L2, its"
            + " epsilon is the L2 norm of the taus, which must be finite; with COORDINATES, it"
            + " is their sum (default: L2)."
      })
  private ClippingNorm clip;

  @Option(
      names = "--dimension",
      paramLabel = "D",
      description = "Dimension of the gradients (default: 1, or the number of --taus).")
  private Integer dimension;

  @Mixin private ClaimOptions claimed;

  @Option(
      names = "--samples",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Number of releases of each gradient (default: ${DEFAULT-VALUE}).")
  private int samples;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of threads (default: ${DEFAULT-VALUE}).")
  private int threads;

  private static String symbol(NoiseMechanism kind) {
    return (kind.isPure() ? PrivacyDefinition.EPSILON : PrivacyDefinition.MU).symbol();
  }

  /** The audited level; one of the options is required. */
  private static final class LevelOptions {
    @Option(
        names = "--epsilon",
        paramLabel = "E",
        required = true,
        description = {
          "Level in nats (epsilon-LDP) of --answer, and of every mechanism but gaussian."
              + " coordinate-laplace uses D equal taus. As in reports, the levels of additive noise"
              + " are rounded down to 1e-9."
        })
    private Double epsilon;

    @Option(
        names = "--taus",
        paramLabel = "T",
        required = true,
        split = ",",
        description = {
          "Taus of coordinate-laplace, in nats, one for each coordinate, separated by commas. With"
              + " --clip COORDINATES, each is the level of its coordinate, and Infinity marks a"
              + " coordinate that is not private."
        })
    private double[] taus;

    @Option(
        names = "--mu",
        paramLabel = "M",
        required = true,
        description = {
          "Level of gaussian, or of --answer (mu-GDP). As in reports, the square of gaussian's is"
              + " rounded down to 1e-12, then its root to ten digits."
        })
    private Double mu;

    private double of(NoiseMechanism kind) {
      Double value = kind.isPure() ? epsilon : mu;
      if (value == null) {
        throw new InputException("--mechanism %s requires --%2$s".formatted(kind, symbol(kind)));
      }
      return value;
    }
  }

  @Override
  public Integer call() throws InterruptedException, ExecutionException {
    require(
        samples >= FEWEST_SAMPLES && samples <= MOST_SAMPLES,
        "--samples is %d; it must be from %d to %d"
            .formatted(samples, FEWEST_SAMPLES, MOST_SAMPLES));
    double falseAlarm = claimed.falseAlarm();
    if (level == null) {
      throw new ParameterException(
          spec.commandLine(), "Give one of --epsilon, --taus and --mu: the level to audit");
    }
    require(threads >= 1, "--threads is %d; it must be at least 1".formatted(threads));
    require(
        dimension == null || dimension >= 1,
        "--dimension is %d; it must be at least 1".formatted(dimension));
    require(
        Stream.of(kind != null, answer, categories != null).filter(given -> given).count() == 1,
        "Give one of --mechanism, --answer and --categories");
    if (kind != null) {
      requireUsableTaus();
    }
    Map<String, Claim> claims =
        kind == null || kind == NoiseMechanism.PRIV_UNIT ? Map.of() : claims();
    int audits = Math.max(1, claims.size());
    List<Finding> findings = new ArrayList<>();
    try (CountBar bar = new CountBar("releases", 2L * samples * audits, CountBar.isTerminal())) {
      Draws draws = new Draws(samples, threads, falseAlarm, bar::step);
      for (Map.Entry<String, Claim> claim : claims.entrySet()) {
        Audit audit = new Audit(claim.getKey(), claim.getValue(), samples);
        findings.add(audit.run(draws, () -> audit.releases(randomiser()::randomise)));
      }
      if (claims.isEmpty()) {
        findings.add(answer ? ofBits(draws) : kind == null ? ofVotes(draws) : ofCandidates(draws));
      }
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
    return print(findings, spec.commandLine().getOut());
  }

  private Finding ofCandidates(Draws draws) throws InterruptedException, ExecutionException {
    require(
        claimed.gridExponent == null, "--grid-exponent is for noise on a grid; priv-unit has none");
    Supplier<PrivUnitRandomiser> randomisers =
        () ->
            new PrivUnitRandomiser(
                claimed.gradientBound, dimension == null ? 1 : dimension, level.of(kind));
    return new CandidateAudit(randomisers.get().law(), claimed.gradientBound)
        .run(draws, () -> CandidateAudit.releases(randomisers.get()));
  }

  private Finding ofBits(Draws draws) throws InterruptedException, ExecutionException {
    require(
        dimension == null && claimed.gridExponent == null && clip == null && level.taus == null,
        "--answer takes --epsilon or --mu, and no option of gradients: it releases one bit");
    Supplier<BitRandomiser> randomisers =
        () ->
            level.mu == null
                ? BitRandomiser.ofEpsilon(level.epsilon)
                : BitRandomiser.ofMu(level.mu);
    return new BitAudit(randomisers.get().mechanism())
        .run(
            draws,
            () -> {
              BitRandomiser own = randomisers.get();
              return sign -> own.release(sign > 0);
            });
  }

  private Finding ofVotes(Draws draws) throws InterruptedException, ExecutionException {
    require(
        dimension == null && claimed.gridExponent == null && clip == null && level.epsilon != null,
        "--categories takes --epsilon, and no option of gradients: it releases one group");
    Supplier<HashedResponseRandomiser> randomisers =
        () -> new HashedResponseRandomiser(level.epsilon, categories);
    return new VoteAudit(randomisers.get().mechanism(), categories)
        .run(
            draws,
            () -> {
              HashedResponseRandomiser own = randomisers.get();
              return sign -> own.release(sign > 0 ? 0 : categories - 1);
            });
  }

  /** The claims of the randomiser, by the name under which they are printed. */
  private Map<String, Claim> claims() {
    GridRandomiser randomiser = randomiser();
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
    for (Claim claim : claims.values()) {
      require(
          claim.pair().length() >= 1 && claim.varianceInSteps() >= 1,
          ("--grid-exponent is %d; a step of 2^%1$d exceeds G or the noise's standard deviation,"
                  + " and such a coarse grid hides what is to be measured")
              .formatted(claim.gridExponent()));
    }
    return claims;
  }

  /** Prints findings, by the name of the claim; returns the exit code. */
  static int print(List<Finding> findings, PrintWriter out) {
    String between = System.lineSeparator() + System.lineSeparator();
    out.println(findings.stream().map(Finding::text).collect(Collectors.joining(between)));
    return findings.stream().anyMatch(Finding::refuted) ? 1 : 0;
  }

  private void requireUsableTaus() {
    require(
        clip == null || kind == NoiseMechanism.COORDINATE_LAPLACE,
        "--clip applies only to coordinate-laplace; --mechanism %s clips to L2 norm"
            .formatted(kind));
    if (level.taus == null) {
      return;
    }
    require(
        kind == NoiseMechanism.COORDINATE_LAPLACE,
        "--taus applies only to coordinate-laplace; --mechanism %s requires --%2$s"
            .formatted(kind, symbol(kind)));
    require(
        dimension == null || dimension == level.taus.length,
        "--dimension is %d; it must be the number of --taus, %d"
            .formatted(dimension, level.taus.length));
    require(
        Arrays.stream(level.taus).anyMatch(tau -> tau < Double.POSITIVE_INFINITY),
        "--taus are all Infinity; at least one must be finite, or there is nothing to audit");
  }

  private GridRandomiser randomiser() {
    try {
      int exponent = claimed.exponent();
      double gradientBound = claimed.gradientBound;
      ClippingNorm norm = clip == null ? ClippingNorm.L2 : clip;
      if (level.taus != null) {
        return new CoordinateLaplaceRandomiser(gradientBound, exponent, level.taus, norm);
      }
      int d = dimension == null ? 1 : dimension;
      Calibration calibration = new Calibration(gradientBound, d, exponent, 1);
      return norm == ClippingNorm.COORDINATES
          ? calibration.coordinateLaplace(level.of(kind), norm)
          : (GridRandomiser) kind.randomiser(calibration, level.of(kind));
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
