package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Averaging;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A learner of the comparison.
 *
 * @param modelId id of its model
 * @param label printed name
 * @param kind of learner
 * @param stepSize initial step size of LDP-SGD or constant learning rate of DP-FTRL; 0 for others
 */
record ComparedLearner(String modelId, String label, LearnerKind kind, double stepSize) {

  /** The learners of noised reports: four without a step size, and LDP-SGD with three. */
  static final String LOCAL =
      "adaptive-radius,banco,black-box,coordinate-wise,ldp-sgd:0.1,ldp-sgd:10,ldp-sgd:1000";

  /** The default comparison: these learners, and DP-FTRL with either noise. */
  static final String USUAL = LOCAL + ",dp-ftrl-tree:100,dp-ftrl-blt:100";

  /** Degree of the polynomial weights of the iterates in averages. */
  static final int AVERAGING_DEGREE = 3;

  /** The step size of round n is {@code stepSize n^-DECAY}. */
  private static final double DECAY = 0.5;

  enum LearnerKind {
    ADAPTIVE_RADIUS("adaptive-radius", "adaptive radius", "nothing"),
    BANCO("banco", "BANCO", "strongest noise"),
    BLACK_BOX("black-box", "black box", "nothing"),
    COORDINATE_WISE("coordinate-wise", "coordinate-wise", "nothing"),
    LDP_SGD("ldp-sgd", "LDP-SGD", "step size"),
    DP_FTRL_TREE("dp-ftrl-tree", "DP-FTRL, tree", "learning rate"),
    DP_FTRL_BLT("dp-ftrl-blt", "DP-FTRL, BLT", "learning rate");

    private final String name;
    private final String label;
    private final String byHand;

    LearnerKind(String name, String label, String byHand) {
      this.name = name;
      this.label = label;
      this.byHand = byHand;
    }

    private boolean hasStep() {
      return this == LDP_SGD || isCentral();
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
      if (kind.hasStep() ? name.startsWith(kind.name + ":") : name.equals(kind.name)) {
        return kind.hasStep()
            ? withStep(kind, name, name.substring(name.indexOf(':') + 1))
            : new ComparedLearner(kind.name, kind.label, kind, 0);
      }
    }
    throw new InputException("--learners: '%s' is not one of %s".formatted(name, known()));
  }

  private static ComparedLearner withStep(LearnerKind kind, String name, String step) {
    double stepSize;
    try {
      stepSize = Double.parseDouble(step);
    } catch (NumberFormatException e) {
      throw new InputException("--learners: '%s': '%s' is not a number".formatted(name, step), e);
    }
    if (!(stepSize > 0) || Double.isInfinite(stepSize)) {
      throw new InputException(
          "--learners: '%s': the %s must be positive and finite".formatted(name, kind.byHand));
    }
    String number = NumberFormats.plain(stepSize);
    return new ComparedLearner(
        kind.name + "-" + number, kind.label + ", step " + number, kind, stepSize);
  }

  private static String known() {
    return "adaptive-radius, banco, black-box, coordinate-wise, ldp-sgd:STEP,"
        + " dp-ftrl-tree:STEP, dp-ftrl-blt:STEP";
  }

  /** The parameter that was chosen by hand, beyond those that are the same for all learners. */
  String byHand() {
    return kind.hasStep() ? kind.byHand + " " + NumberFormats.plain(stepSize) : kind.byHand;
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

  /** The spec of its model. */
  ModelSpec spec(int dimension, DemoParameters parameters) {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId(modelId)
            .setDimension(dimension)
            .setGradientBound(parameters.clip())
            .setReportsPerRound(parameters.roundSize());
    if (kind != LearnerKind.ADAPTIVE_RADIUS) {
      spec.setAveraging(
          Averaging.newBuilder()
              .setPolynomial(Averaging.Polynomial.newBuilder().setDegree(AVERAGING_DEGREE)));
    }
    return switch (kind) {
      case ADAPTIVE_RADIUS -> spec.setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()).build();
      case BANCO ->
          spec.setBanco(
                  Banco.newBuilder()
                      .setStrongestNoise(
                          parameters.strongest(
                              dimension, ModelSpecs.gridExponent(spec.buildPartial()))))
              .build();
      case BLACK_BOX -> spec.setBlackBox(BlackBox.getDefaultInstance()).build();
      // The bound on the gradient's norm bounds each coordinate, too.
      case COORDINATE_WISE -> spec.setCoordinateWise(CoordinateWise.getDefaultInstance()).build();
      case LDP_SGD ->
          spec.setLdpSgd(LdpSgd.newBuilder().setStepSize(stepSize).setDecay(DECAY)).build();
      case DP_FTRL_TREE -> TrustedModel.tree(spec, stepSize, parameters);
      case DP_FTRL_BLT -> TrustedModel.blt(spec, stepSize, parameters);
    };
  }
}
