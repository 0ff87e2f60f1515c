package io.croupier.studies;

import io.croupier.schemas.Averaging;
import io.croupier.schemas.Banco;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.CoordinateWise;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Prior;
import io.croupier.schemas.StrongestNoise;
import io.croupier.schemas.SubExponential;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The compared learners of one dimension, for gradients of norm at most 1 and with an initial
 * wealth of 1.
 */
record CandidateLearners(int dimension) {

  /** eta of the LDP-SGD oracle: 1e-3 to 1e2, two a decade. */
  static final List<Double> STEP_SIZES =
      IntStream.rangeClosed(-6, 4).mapToObj(i -> Math.pow(10, i / 2.0)).toList();

  static final String COMBINED = "combined";
  static final String BANCO = "BANCO";
  static final String CONJUGATE = "black box, conjugate";
  static final String IMPROPER = "black box, improper";
  static final String COORDINATE_WISE = "coordinate-wise";
  static final String ADA_GRAD = "AdaGrad-norm";
  static final String TUNED = "SGD, tuned";

  /** The rounds of a bettor weigh as their number to the third power. */
  static final Averaging AVERAGING =
      Averaging.newBuilder().setPolynomial(Averaging.Polynomial.newBuilder().setDegree(3)).build();

  static final Prior IMPROPER_PRIOR =
      Prior.newBuilder().setImproper(Prior.Improper.getDefaultInstance()).build();

  /** exp(-b v^2). */
  static Prior conjugate(double b) {
    return Prior.newBuilder().setConjugate(Prior.Conjugate.newBuilder().setB(b)).build();
  }

  /** Label of LDP-SGD with this step size; its average is LDP-ASGD. */
  static String sgdLabel(double stepSize) {
    return "LDP-ASGD, eta = " + NumberLabels.short3(stepSize);
  }

  /** BANCO for l2_laplace noise of this epsilon. */
  LabelledLearner banco(double epsilon) {
    L2Laplace laplace = L2Laplace.newBuilder().setEpsilon(epsilon).build();
    return banco(BANCO, StrongestNoise.newBuilder().setL2Laplace(laplace).build());
  }

  /** BANCO with constants that its operator chooses. */
  LabelledLearner banco(String label, double variance, double betaMax) {
    SubExponential noise =
        SubExponential.newBuilder().setVariance(variance).setBetaMax(betaMax).build();
    return banco(label, StrongestNoise.newBuilder().setSubExponential(noise).build());
  }

  /** BANCO whose operator accepts this noise, which every report declares. */
  private LabelledLearner banco(String label, StrongestNoise noise) {
    Banco banco = Banco.newBuilder().setStrongestNoise(noise).build();
    return LabelledLearner.of(label, spec().setAveraging(AVERAGING).setBanco(banco).build());
  }

  LabelledLearner blackBox(String label, Prior prior) {
    BlackBox blackBox = BlackBox.newBuilder().setPrior(prior).build();
    return LabelledLearner.of(label, spec().setAveraging(AVERAGING).setBlackBox(blackBox).build());
  }

  /** The coordinate-wise learner with the conjugate prior, which suits rounds of one report. */
  LabelledLearner coordinateWise() {
    CoordinateWise coordinateWise = CoordinateWise.newBuilder().setPrior(conjugate(1)).build();
    return LabelledLearner.of(
        COORDINATE_WISE, spec().setAveraging(AVERAGING).setCoordinateWise(coordinateWise).build());
  }

  /** The recommended learner: the black box with the improper prior. */
  LabelledLearner recommended() {
    return blackBox(IMPROPER, IMPROPER_PRIOR);
  }

  /** Step size eta t^-1/2. */
  private LabelledLearner sgd(double stepSize) {
    LdpSgd sgd = LdpSgd.newBuilder().setStepSize(stepSize).setDecay(0.5).build();
    return LabelledLearner.of(sgdLabel(stepSize), spec().setLdpSgd(sgd).build());
  }

  /** All step sizes from which the oracle chooses. */
  List<LabelledLearner> sgdGrid() {
    return STEP_SIZES.stream().map(this::sgd).toList();
  }

  /** AdaGrad-Norm of unit step size. */
  LabelledLearner adaGradNorm() {
    return LabelledLearner.of(ADA_GRAD, new AdaGradNorm(dimension, 1));
  }

  private ModelSpec.Builder spec() {
    return ModelSpec.newBuilder()
        .setModelId("study")
        .setDimension(dimension)
        .setGradientBound(1)
        .setInitialWealth(1);
  }
}
