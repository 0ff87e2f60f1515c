package io.croupier.schemas;

import java.util.Locale;

/**
 * The semantics of {@link AdaptiveClip}: its defaults, the clips that a model may announce, and its
 * validation rules.
 */
public final class AdaptiveClips {
  /** Name of the question whether the size of a person is above the clip. */
  public static final String QUESTION = "clip";

  /** The largest factor between the initial clip and any later one. */
  public static final double SPAN = 1e4;

  /** All clips are valid gradient bounds: from 1e-100 to 1e100. */
  private static final double MIN_INITIAL = 1e-96;

  private static final double MAX_INITIAL = 1e96;

  private static final String PATH = "adaptive_clip.";

  private AdaptiveClips() {}

  /** The first clip: as set, else 1. */
  public static double initial(AdaptiveClip clip) {
    return clip.hasInitial() ? clip.getInitial() : 1;
  }

  /** The least clip that a model may announce. */
  public static double least(AdaptiveClip clip) {
    return initial(clip) / SPAN;
  }

  /** The largest clip that a model may announce. */
  public static double largest(AdaptiveClip clip) {
    return initial(clip) * SPAN;
  }

  /** The bound on the slope of the loss, with size FEATURES: as set, else 1. */
  public static double slopeBound(AdaptiveClip clip) {
    return clip.hasSlopeBound() ? clip.getSlopeBound() : 1;
  }

  static void check(ModelSpec spec, Violations violations) {
    violations.require(
        ModelSpecs.current(spec).hasBlackBox() || spec.hasCombined(),
        "adaptive_clip",
        "set",
        "left out unless the learner is combined or black_box: the others rely on a bound that never"
            + " changes");
    checkPrior(spec.getBlackBox().getPrior(), violations);
    String right = "left out: with adaptive_clip, each round has its own";
    violations.require(!spec.hasGradientBound(), "gradient_bound", spec.getGradientBound(), right);
    violations.require(!spec.hasGridExponent(), "grid_exponent", spec.getGridExponent(), right);
    violations.require(
        !spec.hasReportBound(),
        "report_bound",
        spec.getReportBound(),
        "left out: with adaptive_clip, the length of reports isn't known beforehand");
    AdaptiveClip clip = spec.getAdaptiveClip();
    double initial = initial(clip);
    violations.require(
        initial >= MIN_INITIAL && initial <= MAX_INITIAL,
        PATH + "initial",
        initial,
        "a finite number above 0, from " + MIN_INITIAL + " to " + MAX_INITIAL);
    checkSize(clip, violations);
  }

  /** The improper prior is the only one whose scale doesn't depend on the bound. */
  private static void checkPrior(Prior prior, Violations violations) {
    switch (prior.getPriorCase()) {
      case CONJUGATE, UNIFORM, CV ->
          violations.require(
              false,
              "black_box.prior",
              prior.getPriorCase().name().toLowerCase(Locale.ROOT),
              "improper or left out: the scale of the others is in units of gradient_bound, which"
                  + " changes with adaptive_clip");
      case IMPROPER, PRIOR_NOT_SET -> {}
    }
  }

  private static void checkSize(AdaptiveClip clip, Violations violations) {
    switch (clip.getSize()) {
      case FEATURES ->
          violations.positiveIfPresent(
              PATH + "slope_bound", clip.hasSlopeBound(), clip.getSlopeBound());
      case GRADIENT -> {
        String right = "left out unless size is FEATURES";
        violations.require(
            !clip.hasSlopeBound(), PATH + "slope_bound", clip.getSlopeBound(), right);
        violations.require(!clip.hasSlopeRule(), PATH + "slope_rule", clip.getSlopeRule(), right);
      }
      case SIZE_UNSPECIFIED, UNRECOGNIZED ->
          violations.required(PATH + "size", false, "FEATURES or GRADIENT");
    }
  }

  /** Writes the defaults into a clip, so that two can be compared. */
  static AdaptiveClip resolve(AdaptiveClip clip) {
    AdaptiveClip.Builder resolved = clip.toBuilder().setInitial(initial(clip));
    if (clip.getSize() == AdaptiveClip.Size.FEATURES) {
      resolved.setSlopeBound(slopeBound(clip)).setSlopeRule(clip.getSlopeRule());
    }
    return resolved.build();
  }
}
