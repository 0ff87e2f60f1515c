package io.croupier.schemas;

import com.google.protobuf.Descriptors.FieldDescriptor;

/** The rules for the parameters of each learner. */
final class LearnerRules {
  static final String LEARNERS =
      "one of banco, black_box, combined, coordinate_wise, ldp_sgd, dp_ftrl, dp_ftrl_least_squares"
          + " and dp_ftrl_parameter_free";

  /** Five buffers are within 1 % of the optimum at any horizon, so more are not useful. */
  private static final int MAX_BUFFERS = 5;

  /** The number of leaves in a tree: one round each second for 34 years. */
  private static final long MAX_HORIZON = 1L << 30;

  /** 31,700 years at 1,000 reports a second: in effect, nothing is forgotten. */
  private static final double MAX_HALF_LIFE = 1e15;

  private static final int MAX_BLT_PARTICIPATIONS = 1 << 20;

  private final ModelSpec spec;
  private final Violations violations;

  private LearnerRules(ModelSpec spec, Violations violations) {
    this.spec = spec;
    this.violations = violations;
  }

  static void check(ModelSpec spec, Violations violations) {
    LearnerRules rules = new LearnerRules(spec, violations);
    switch (spec.getLearnerCase()) {
      case BANCO -> rules.banco(spec.getBanco());
      case BLACK_BOX -> rules.blackBox(spec.getBlackBox());
      case COORDINATE_WISE -> rules.coordinateWise(spec.getCoordinateWise());
      // combined has no settings; adaptive_radius is a deprecated name of black_box without any.
      case COMBINED, ADAPTIVE_RADIUS -> {}
      case LDP_SGD -> rules.ldpSgd(spec.getLdpSgd());
      case DP_FTRL -> rules.dpFtrl(spec.getDpFtrl());
      case DP_FTRL_LEAST_SQUARES -> rules.leastSquares(spec.getDpFtrlLeastSquares());
      case DP_FTRL_PARAMETER_FREE -> rules.parameterFree(spec.getDpFtrlParameterFree());
      case LEARNER_NOT_SET -> {
        if (spec.getStatisticsCount() == 0) {
          violations.add(
              "learner",
              "is missing: it must be " + LEARNERS + ", unless the model has statistics");
        }
      }
    }
    if (ModelSpecs.isCentral(spec)) {
      rules.central();
    }
    if (spec.hasMemory()) {
      rules.memory(spec.getMemory());
    }
  }

  private void memory(Memory memory) {
    String path = memory.hasAutomatic() ? "memory.automatic" : "memory.half_life";
    double halfLife = memory.getHalfLife();
    switch (memory.getMemoryCase()) {
      case HALF_LIFE ->
          violations.require(
              halfLife >= 1 && halfLife <= MAX_HALF_LIFE,
              path,
              halfLife,
              "from 1 to " + MAX_HALF_LIFE + " reports");
      case AUTOMATIC -> {}
      case MEMORY_NOT_SET ->
          violations.add("memory", "is empty: it must be half_life or automatic, or left out");
    }
    switch (spec.getLearnerCase()) {
      case BANCO, BLACK_BOX, COMBINED, COORDINATE_WISE, LEARNER_NOT_SET -> {}
      default ->
          violations.require(
              false,
              path,
              memory.hasAutomatic() ? "set" : halfLife,
              "left out with "
                  + ModelSpecs.learner(spec)
                  + ": only combined, black_box, banco and coordinate_wise have a memory");
    }
  }

  private void central() {
    violations.require(
        !spec.hasRoundTimeoutMs(),
        "round_timeout_ms",
        spec.getRoundTimeoutMs(),
        "left out: a central round never closes by time");
    violations.require(
        !spec.hasHistory(),
        "history",
        "set",
        "left out: a central model publishes each update once, byte for byte");
    Limits limits = spec.getLimits();
    String why = ", since the guarantee of a central model follows from it";
    violations.required("limits.delta", limits.hasDelta(), "above 0 and below 1" + why);
    violations.required(
        "limits.max_participations", limits.hasMaxParticipations(), "at least 1" + why);
    violations.required("limits.min_separation", limits.hasMinSeparation(), "at least 0" + why);
  }

  /**
   * The cost of buffered noise is computed participation by participation, so their number is
   * bounded.
   */
  private void participationsOfBlt(long horizon) {
    Limits limits = spec.getLimits();
    long room = (horizon - 1) / (Math.max(0, Math.min(horizon, limits.getMinSeparation())) + 1) + 1;
    violations.require(
        Math.min(room, limits.getMaxParticipations()) <= MAX_BLT_PARTICIPATIONS,
        "limits.max_participations",
        limits.getMaxParticipations(),
        "at most "
            + MAX_BLT_PARTICIPATIONS
            + " where the noise is blt, or limits.min_separation so large that no more have room");
  }

  private void banco(Banco banco) {
    String path = "banco.strongest_noise";
    violations.positiveIfPresent("banco.radius", banco.hasRadius(), banco.getRadius());
    StrongestNoise noise = banco.getStrongestNoise();
    switch (noise.getNoiseCase()) {
      case NOISE_NOT_SET ->
          violations.add(
              path,
              "is missing: it must be one of "
                  + Declarations.names(StrongestNoise.getDescriptor()));
      case SUB_EXPONENTIAL -> subExponential(noise.getSubExponential());
      default -> {
        if (noise.hasCoordinateLaplace()) {
          strongestTaus(noise.getCoordinateLaplace());
        }
        Declarations.violations(noise, FieldDescriptor::getName)
            .forEach(
                wrong ->
                    violations.add(
                        new Violation(path + "." + wrong.field(), path + "." + wrong.sentence())));
      }
    }
  }

  /** Only the strongest noise on a coordinate counts, so one tau is equivalent to one for each. */
  private void strongestTaus(CoordinateLaplace laplace) {
    int count = laplace.getTausCount();
    violations.require(
        count == 1 || count == spec.getDimension(),
        "banco.strongest_noise.coordinate_laplace.taus",
        "of " + count + " values",
        "of 1 value, or of as many as the dimension, " + spec.getDimension());
    violations.require(
        laplace.getClip() != CoordinateLaplace.Clip.COORDINATES,
        "banco.strongest_noise.coordinate_laplace.clip",
        laplace.getClip(),
        "L2 or left out: BANCO needs gradients whose L2 norm is at most gradient_bound");
  }

  private void subExponential(SubExponential noise) {
    String path = "banco.strongest_noise.sub_exponential";
    String rightVariance = "a finite number of at least 0";
    String rightBeta = "above 0; Infinity is allowed";
    if (violations.required(path + ".variance", noise.hasVariance(), rightVariance)) {
      double variance = noise.getVariance();
      violations.require(
          variance >= 0 && Double.isFinite(variance), path + ".variance", variance, rightVariance);
    }
    if (violations.required(path + ".beta_max", noise.hasBetaMax(), rightBeta)) {
      violations.require(noise.getBetaMax() > 0, path + ".beta_max", noise.getBetaMax(), rightBeta);
    }
  }

  private void blackBox(BlackBox blackBox) {
    if (blackBox.hasPrior()) {
      prior("black_box.prior", blackBox.getPrior(), spec.getGradientBound(), "gradient_bound");
    }
    violations.positiveIfPresent("black_box.radius", blackBox.hasRadius(), blackBox.getRadius());
  }

  private void coordinateWise(CoordinateWise learner) {
    if (learner.hasPrior()) {
      prior("coordinate_wise.prior", learner.getPrior(), spec.getGradientBound(), "gradient_bound");
    }
    violations.positiveIfPresent(
        "coordinate_wise.radius", learner.hasRadius(), learner.getRadius());
  }

  private void prior(String path, Prior prior, double bound, String boundField) {
    switch (prior.getPriorCase()) {
      case IMPROPER, UNIFORM -> {}
      case CONJUGATE ->
          violations.positiveIfPresent(
              path + ".conjugate.b", prior.getConjugate().hasB(), prior.getConjugate().getB());
      case CV -> {
        // The density needs betting fractions below 1: C = 1/(5G) < 1.
        if (bound > 0 && !(1 / (5 * bound) < 1)) {
          violations.add(
              path, "is cv: it needs a " + boundField + " above 0.2, and that is " + bound);
        }
      }
      case PRIOR_NOT_SET ->
          violations.add(
              path, "is empty: it must be improper, conjugate, uniform or cv, or left out");
    }
  }

  private void ldpSgd(LdpSgd sgd) {
    violations.positive("ldp_sgd.step_size", sgd.hasStepSize(), sgd.getStepSize());
    String right = "from 0 (constant steps) to 1";
    if (violations.required("ldp_sgd.decay", sgd.hasDecay(), right)) {
      double decay = sgd.getDecay();
      violations.require(decay >= 0 && decay <= 1, "ldp_sgd.decay", decay, right);
    }
    violations.positiveIfPresent("ldp_sgd.radius", sgd.hasRadius(), sgd.getRadius());
  }

  private void dpFtrl(DpFtrl ftrl) {
    String path = "dp_ftrl.";
    violations.positive(path + "clip_norm", ftrl.hasClipNorm(), ftrl.getClipNorm());
    violations.positive(
        path + "noise_multiplier", ftrl.hasNoiseMultiplier(), ftrl.getNoiseMultiplier());
    noise(path, ftrl.getNoise());
    violations.positive(path + "learning_rate", ftrl.hasLearningRate(), ftrl.getLearningRate());
    double momentum = ftrl.getMomentum();
    violations.require(
        momentum >= 0 && momentum < 1, path + "momentum", momentum, "at least 0 and below 1");
    violations.positiveIfPresent(path + "radius", ftrl.hasRadius(), ftrl.getRadius());
    violations.require(
        ftrl.getL1() >= 0 && Double.isFinite(ftrl.getL1()),
        path + "l1",
        ftrl.getL1(),
        "a finite number of at least 0");
    restarts(
        path,
        ftrl.getNoise(),
        ftrl.hasRestartEvery(),
        ftrl.getRestartEvery(),
        ftrl.getCompletion());
  }

  private void leastSquares(DpFtrlLeastSquares ftrl) {
    String path = "dp_ftrl_least_squares.";
    violations.positive(path + "x_norm", ftrl.hasXNorm(), ftrl.getXNorm());
    violations.positiveIfPresent(path + "y_bound", ftrl.hasYBound(), ftrl.getYBound());
    violations.positive(
        path + "noise_multiplier", ftrl.hasNoiseMultiplier(), ftrl.getNoiseMultiplier());
    noise(path, ftrl.getNoise());
    violations.positive(path + "lambda", ftrl.hasLambda(), ftrl.getLambda());
    violations.positive(path + "radius", ftrl.hasRadius(), ftrl.getRadius());
  }

  private void parameterFree(DpFtrlParameterFree ftrl) {
    String path = "dp_ftrl_parameter_free.";
    violations.positive(path + "clip_norm", ftrl.hasClipNorm(), ftrl.getClipNorm());
    violations.positive(
        path + "noise_multiplier", ftrl.hasNoiseMultiplier(), ftrl.getNoiseMultiplier());
    noise(path, ftrl.getNoise());
    if (ftrl.hasPrior()) {
      prior(path + "prior", ftrl.getPrior(), ftrl.getClipNorm(), path + "clip_norm");
    }
    restarts(
        path,
        ftrl.getNoise(),
        ftrl.hasRestartEvery(),
        ftrl.getRestartEvery(),
        ftrl.getCompletion());
  }

  private void noise(String path, PrefixSumNoise noise) {
    switch (noise.getNoiseCase()) {
      case TREE -> {}
      case BLT -> {
        PrefixSumNoise.Blt blt = noise.getBlt();
        String right = "from 1 to " + MAX_BUFFERS;
        if (violations.required(path + "noise.blt.buffers", blt.hasBuffers(), right)) {
          int buffers = blt.getBuffers();
          violations.require(
              buffers >= 1 && buffers <= MAX_BUFFERS, path + "noise.blt.buffers", buffers, right);
        }
        String rightHorizon = "from 1 to " + MAX_HORIZON;
        if (violations.required(path + "noise.blt.horizon", blt.hasHorizon(), rightHorizon)) {
          long horizon = blt.getHorizon();
          violations.require(
              horizon >= 1 && horizon <= MAX_HORIZON,
              path + "noise.blt.horizon",
              horizon,
              rightHorizon);
          participationsOfBlt(horizon);
        }
      }
      case NOISE_NOT_SET -> violations.add(path + "noise", "is missing: it must be tree or blt");
    }
  }

  private void restarts(
      String path, PrefixSumNoise noise, boolean restarts, long every, boolean completion) {
    violations.atLeastOneIfPresent(path + "restart_every", restarts, every);
    violations.require(
        !restarts || !noise.hasBlt(),
        path + "restart_every",
        every,
        "left out unless the noise is a tree: a model with blt ends at its horizon");
    violations.require(
        !completion || (restarts && noise.hasTree()),
        path + "completion",
        completion,
        "left out unless the noise is a tree and restart_every is set: it completes the tree"
            + " before a restart");
  }
}
