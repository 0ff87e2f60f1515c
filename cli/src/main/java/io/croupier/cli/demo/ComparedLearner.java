package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Averaging;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Combined;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.Memory;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.NumberText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A learner of the comparison.
 *
 * @param modelId id of its model
 * @param label printed name
 * @param kind of learner
 * @param number initial step size of LDP-SGD, constant learning rate of DP-FTRL, or fixed clip of a
 *     learner for which the job may find it; 0 without one
 * @param halfLife of its memory, in reports; infinite without one
 */
record ComparedLearner(
    String modelId, String label, LearnerKind kind, double number, double halfLife) {

  /**
   * The learners of noised reports, the recommended one first: two for which the job finds the
   * clip, the second with three fixed clips, two more without a step size, and LDP-SGD with two.
   */
  static final String LOCAL =
      "combined,black-box,black-box:1,black-box:0.25,black-box:0.1,"
          + "banco,coordinate-wise,ldp-sgd:0.1,ldp-sgd:10";

  /** These learners, and DP-FTRL with either noise. */
  static final String ALL = LOCAL + ",dp-ftrl-tree:100,dp-ftrl-blt:100";

  /** The default comparison: the recommended learner, and one with a guessed step. */
  static final String USUAL = "combined,ldp-sgd:10";

  /** How local learners are named on the command line. */
  static final String LOCAL_FORMS =
      "combined, combined:CLIP, black-box, black-box:CLIP, banco, coordinate-wise, ldp-sgd:STEP";

  /** Those that take noised reports of a fixed clip. */
  static final String WITH_CLIP =
      "combined:CLIP, black-box:CLIP, coordinate-wise, banco or ldp-sgd:STEP";

  /** Former name of the black box on the command line. */
  private static final String FORMER = "adaptive-radius";

  /** The step size of round n is {@code stepSize n^-DECAY}. */
  private static final double DECAY = 0.5;

  enum LearnerKind {
    BLACK_BOX("black-box", "black box", "clip"),
    COMBINED("combined", "combined", "clip"),
    BANCO("banco", "BANCO", "noise level"),
    COORDINATE_WISE("coordinate-wise", "coordinate-wise", ""),
    LDP_SGD("ldp-sgd", "LDP-SGD", "step"),
    DP_FTRL_TREE("dp-ftrl-tree", "DP-FTRL, tree", "step"),
    DP_FTRL_BLT("dp-ftrl-blt", "DP-FTRL, BLT", "step");

    private final String name;
    private final String label;

    /** The parameter that is chosen by hand, beside the clip of all. */
    private final String parameter;

    LearnerKind(String name, String label, String parameter) {
      this.name = name;
      this.label = label;
      this.parameter = parameter;
    }

    private boolean hasStep() {
      return this == LDP_SGD || isCentral();
    }

    private boolean mayHaveNumber() {
      return mayFindClip() || hasStep();
    }

    private boolean mayFindClip() {
      return this == COMBINED || this == BLACK_BOX;
    }

    private boolean isCentral() {
      return this == DP_FTRL_TREE || this == DP_FTRL_BLT;
    }
  }

  /** Parses names from the command line: {@code banco}, {@code ldp-sgd:0.1}. */
  static List<ComparedLearner> parse(List<String> names) {
    if (names.isEmpty()) {
      throw new InputException("--learners: at least one name is required, of " + known());
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new InputException("--learners: '%s' occurs twice".formatted(name));
      }
    }
    return names.stream().map(ComparedLearner::parse).toList();
  }

  private static ComparedLearner parse(String name) {
    for (LearnerKind kind : LearnerKind.values()) {
      if (kind.mayHaveNumber() && name.startsWith(kind.name + ":")) {
        return withNumber(kind, name, name.substring(name.indexOf(':') + 1));
      }
      if (!kind.hasStep() && name.equals(kind.name)) {
        return new ComparedLearner(kind.name, kind.label, kind, 0, Double.POSITIVE_INFINITY);
      }
    }
    String former =
        name.equals(FORMER) || name.startsWith(FORMER + ":") ? ": black-box replaces it" : "";
    throw new InputException(
        "--learners: '%s' is not one of %s%s".formatted(name, known(), former));
  }

  private static ComparedLearner withNumber(LearnerKind kind, String name, String text) {
    double number;
    try {
      number = NumberText.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new InputException("--learners: '%s': '%s' is not a number".formatted(name, text), e);
    }
    if (!(number > 0) || Double.isInfinite(number)) {
      throw new InputException(
          "--learners: '%s': the %s must be positive and finite".formatted(name, kind.parameter));
    }
    String plain = NumberFormats.plain(number);
    return new ComparedLearner(
        kind.name + "-" + plain,
        kind.label + ", " + kind.parameter + " " + plain,
        kind,
        number,
        Double.POSITIVE_INFINITY);
  }

  /** Whether it can have a memory. */
  boolean mayForget() {
    return !kind.hasStep();
  }

  /** The same learner with a memory. */
  ComparedLearner withMemory(int reports) {
    return new ComparedLearner(
        modelId + "-memory",
        label + ", memory " + NumberFormats.count(reports),
        kind,
        number,
        reports);
  }

  private static String known() {
    return LOCAL_FORMS + ", dp-ftrl-tree:STEP, dp-ftrl-blt:STEP";
  }

  /** What was chosen by hand, beyond the parameters of {@link DemoParameters} besides the clip. */
  String byHand(DemoParameters parameters) {
    if (findsClip()) {
      return "nothing";
    }
    String clip = "clip " + NumberFormats.rounded(clip(parameters));
    if (kind.hasStep()) {
      return clip + ", " + kind.parameter + " " + NumberFormats.plain(number);
    }
    if (halfLife < Double.POSITIVE_INFINITY) {
      clip += ", memory";
    }
    return kind == LearnerKind.BANCO ? clip + ", " + kind.parameter : clip;
  }

  /** Whether the job finds its clip. */
  boolean findsClip() {
    return kind.mayFindClip() && number == 0;
  }

  /** Its fixed clip. */
  private double clip(DemoParameters parameters) {
    return kind.mayFindClip() ? number : parameters.clip();
  }

  /** Whether the last iterate is reported, too. */
  boolean reportsLastIterate() {
    return kind.hasStep();
  }

  /** Whether it receives raw reports, to which the job adds the noise. */
  boolean isCentral() {
    return kind.isCentral();
  }

  /** The number of reports that it receives. */
  int reports(DemoParameters parameters) {
    return isCentral() ? parameters.rounds().reports() : parameters.people();
  }

  /**
   * The spec of its model.
   *
   * @param clip where the job finds it
   */
  ModelSpec spec(int dimension, AdaptiveClip clip, DemoParameters parameters) {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId(modelId)
            .setDimension(dimension)
            .setReportsPerRound(parameters.roundSize());
    if (findsClip()) {
      spec.setAdaptiveClip(clip);
    } else {
      spec.setGradientBound(clip(parameters));
    }
    if (halfLife < Double.POSITIVE_INFINITY) {
      spec.setMemory(Memory.newBuilder().setHalfLife(halfLife));
    }
    if (kind.hasStep()) {
      // The default of the other learners.
      spec.setAveraging(
          Averaging.newBuilder()
              .setPolynomial(
                  Averaging.Polynomial.newBuilder().setDegree(ModelSpecs.AVERAGING_DEGREE)));
    }
    return switch (kind) {
      case BANCO ->
          spec.setBanco(Banco.newBuilder().setStrongestNoise(parameters.strongest(spec))).build();
      case COMBINED -> spec.setCombined(Combined.getDefaultInstance()).build();
      case BLACK_BOX -> spec.setBlackBox(BlackBox.getDefaultInstance()).build();
      // The bound on the gradient's norm bounds each coordinate, too.
      case COORDINATE_WISE -> spec.setCoordinateWise(CoordinateWise.getDefaultInstance()).build();
      case LDP_SGD ->
          spec.setLdpSgd(LdpSgd.newBuilder().setStepSize(number).setDecay(DECAY)).build();
      case DP_FTRL_TREE -> TrustedModel.tree(spec, number, parameters);
      case DP_FTRL_BLT -> TrustedModel.blt(spec, number, parameters);
    };
  }
}
