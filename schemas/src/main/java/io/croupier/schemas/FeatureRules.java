package io.croupier.schemas;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** What makes the features of a spec well-formed, and how many values they make. */
public final class FeatureRules {
  private static final int MOST = 1024;
  private static final int MOST_CATEGORIES = 1024;
  private static final int MOST_VALUES = 1 << 16;
  private static final double LARGEST = 1e100;
  private static final double LEAST_DEVIATION = 1e-100;
  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

  private FeatureRules() {}

  /**
   * The number of values that features make.
   *
   * @throws IllegalArgumentException if one is of no kind, or of one that this version doesn't know
   */
  public static long values(List<Feature> features) {
    return features.stream().mapToLong(FeatureRules::values).sum();
  }

  private static long values(Feature feature) {
    return switch (feature.getKindCase()) {
      case INTERCEPT, RANGE, MOMENTS, YES_NO -> 1;
      case ONE_HOT ->
          feature.getOneHot().getCategoriesCount() + (feature.getOneHot().getOther() ? 1 : 0);
      case ENCODER -> feature.getEncoder().getLength();
      case KIND_NOT_SET ->
          throw new IllegalArgumentException(
              String.format(
                  "feature '%s' is of no kind that this version knows", feature.getName()));
    };
  }

  /**
   * Whether a model has as many weights as its features make values, or as many for each of at
   * least two classes.
   */
  public static boolean fit(long values, int dimension) {
    return values > 0 && dimension % values == 0;
  }

  static void check(ModelSpec spec, Violations violations) {
    List<Feature> features = spec.getFeaturesList();
    if (features.isEmpty()) {
      return;
    }
    Violations ofFeatures = new Violations();
    ofFeatures.require(
        features.size() <= MOST, "features", "of length " + features.size(), "at most " + MOST);
    Set<String> names = new HashSet<>();
    for (int i = 0; i < features.size(); i++) {
      check("features[" + i + "]", features.get(i), names, ofFeatures);
    }
    ofFeatures.list().forEach(violations::add);
    if (ofFeatures.list().isEmpty() && spec.getDimension() >= 1 && !spec.hasPredicts()) {
      long values = values(features);
      violations.require(
          fit(values, spec.getDimension()),
          "dimension",
          spec.getDimension(),
          String.format(
              "%d, the number of values that the features make, or for k classes k times as much",
              values));
    }
  }

  private static void check(
      String path, Feature feature, Set<String> names, Violations violations) {
    String name = feature.getName();
    violations.text(path + ".name", name);
    violations.require(
        names.add(name), path + ".name", '"' + name + '"', "another than those before it");
    switch (feature.getKindCase()) {
      case INTERCEPT, YES_NO -> {}
      case RANGE -> checkRange(path + ".range", feature.getRange(), violations);
      case MOMENTS -> checkMoments(path + ".moments", feature.getMoments(), violations);
      case ONE_HOT ->
          checkNames(
              path + ".one_hot.categories", feature.getOneHot().getCategoriesList(), violations);
      case ENCODER -> checkEncoder(path + ".encoder", feature.getEncoder(), violations);
      case KIND_NOT_SET ->
          violations.add(
              path,
              "has no kind: it must be intercept, range, moments, yes_no, one_hot or encoder");
    }
  }

  static void checkRange(String path, Range range, Violations violations) {
    boolean isWhole = checkNumber(path + ".from", range.hasFrom(), range.getFrom(), violations);
    isWhole &= checkNumber(path + ".to", range.hasTo(), range.getTo(), violations);
    if (isWhole) {
      violations.require(
          range.getTo() > range.getFrom(), path + ".to", range.getTo(), "above " + range.getFrom());
    }
  }

  private static void checkMoments(String path, Moments moments, Violations violations) {
    checkNumber(path + ".mean", moments.hasMean(), moments.getMean(), violations);
    String right = "from " + LEAST_DEVIATION + " to " + LARGEST;
    if (violations.required(path + ".deviation", moments.hasDeviation(), right)) {
      double deviation = moments.getDeviation();
      violations.require(
          deviation >= LEAST_DEVIATION && deviation <= LARGEST,
          path + ".deviation",
          deviation,
          right);
    }
  }

  /** Whether the number is present and in range. */
  private static boolean checkNumber(
      String path, boolean present, double value, Violations violations) {
    String right = "from -" + LARGEST + " to " + LARGEST;
    boolean isIn = Math.abs(value) <= LARGEST;
    if (violations.required(path, present, right)) {
      violations.require(isIn, path, value, right);
    }
    return present && isIn;
  }

  /** Checks the names of categories or classes. */
  static void checkNames(String path, List<String> names, Violations violations) {
    violations.require(
        names.size() >= 2 && names.size() <= MOST_CATEGORIES,
        path,
        "of length " + names.size(),
        "of length 2 to " + MOST_CATEGORIES);
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < names.size(); i++) {
      String at = path + "[" + i + "]";
      violations.text(at, names.get(i));
      violations.require(
          seen.add(names.get(i)), at, '"' + names.get(i) + '"', "another than those before it");
    }
  }

  private static void checkEncoder(String path, Encoder encoder, Violations violations) {
    String digest = encoder.getDigest();
    violations.require(
        DIGEST.matcher(digest).matches(),
        path + ".digest",
        '"' + digest + '"',
        "a SHA-256 of 64 digits from 0 to 9 and a to f");
    String right = "from 1 to " + MOST_VALUES;
    if (violations.required(path + ".length", encoder.hasLength(), right)) {
      int length = encoder.getLength();
      violations.require(length >= 1 && length <= MOST_VALUES, path + ".length", length, right);
    }
  }
}
