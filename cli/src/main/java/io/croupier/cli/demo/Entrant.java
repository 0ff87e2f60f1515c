package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Averaging;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A learner that takes part in the comparison.
 *
 * @param modelId its model; also what the user writes to have it take part
 * @param label for people
 * @param kind the learner
 * @param stepSize of LDP-SGD; 0 for the others
 */
record Entrant(String modelId, String label, Kind kind, double stepSize) {

  /** The usual comparison: four learners without a step size, and LDP-SGD at three. */
  static final String USUAL =
      "adaptive-radius,banco,black-box,coordinate-wise,ldp-sgd:0.1,ldp-sgd:10,ldp-sgd:1000";

  /** Degree of the polynomial that weighs the iterates in every average. */
  static final int AVERAGING_DEGREE = 3;

  /** The step size of round n is {@code stepSize n^-DECAY}. */
  private static final double DECAY = 0.5;

  enum Kind {
    ADAPTIVE_RADIUS("adaptive-radius", "adaptive radius", "nothing"),
    BANCO("banco", "BANCO", "strongest noise"),
    BLACK_BOX("black-box", "black box", "nothing"),
    COORDINATE_WISE("coordinate-wise", "coordinate-wise", "nothing"),
    LDP_SGD("ldp-sgd", "LDP-SGD", "step size");

    private final String name;
    private final String label;
    private final String byHand;

    Kind(String name, String label, String byHand) {
      this.name = name;
      this.label = label;
      this.byHand = byHand;
    }
  }

  /** Reads names as the user writes them: {@code banco}, {@code ldp-sgd:0.1}. */
  static List<Entrant> parse(List<String> names) {
    if (names.isEmpty()) {
      throw new InputException("--learners: at least one is needed, of " + known());
    }
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw new InputException("--learners: '%s' is named twice".formatted(name));
      }
    }
    return names.stream().map(Entrant::parse).toList();
  }

  private static Entrant parse(String name) {
    for (Kind kind : Kind.values()) {
      if (kind == Kind.LDP_SGD ? name.startsWith(kind.name + ":") : name.equals(kind.name)) {
        return kind == Kind.LDP_SGD
            ? ldpSgd(name, name.substring(name.indexOf(':') + 1))
            : new Entrant(kind.name, kind.label, kind, 0);
      }
    }
    throw new InputException("--learners: '%s' is not one of %s".formatted(name, known()));
  }

  private static Entrant ldpSgd(String name, String step) {
    double stepSize;
    try {
      stepSize = Double.parseDouble(step);
    } catch (NumberFormatException e) {
      throw new InputException("--learners: '%s': '%s' is not a number".formatted(name, step), e);
    }
    if (!(stepSize > 0) || Double.isInfinite(stepSize)) {
      throw new InputException(
          "--learners: '%s': a step size is positive and finite".formatted(name));
    }
    String number = Numbers.plain(stepSize);
    return new Entrant(
        "ldp-sgd-" + number, Kind.LDP_SGD.label + ", step " + number, Kind.LDP_SGD, stepSize);
  }

  private static String known() {
    return "adaptive-radius, banco, black-box, coordinate-wise, ldp-sgd:STEP";
  }

  /** What somebody had to choose, beyond what is the same for all. */
  String byHand() {
    return kind == Kind.LDP_SGD ? kind.byHand + " " + Numbers.plain(stepSize) : kind.byHand;
  }

  /** Whether its last iterate is a result of its own. */
  boolean reportsLastIterate() {
    return kind == Kind.LDP_SGD;
  }

  /** The model that it is to learn. */
  ModelSpec spec(int dimension, Terms terms) {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId(modelId)
            .setDimension(dimension)
            .setGradientBound(terms.clip())
            .setReportsPerRound(terms.roundSize());
    if (kind != Kind.ADAPTIVE_RADIUS) {
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
                          StrongestNoise.newBuilder()
                              .setL2Laplace(L2Laplace.newBuilder().setEpsilon(terms.epsilon()))))
              .build();
      case BLACK_BOX -> spec.setBlackBox(BlackBox.getDefaultInstance()).build();
      // No coordinate of a gradient is longer than the gradient: its bound holds for each of them.
      case COORDINATE_WISE -> spec.setCoordinateWise(CoordinateWise.getDefaultInstance()).build();
      case LDP_SGD ->
          spec.setLdpSgd(LdpSgd.newBuilder().setStepSize(stepSize).setDecay(DECAY)).build();
    };
  }
}
