package io.croupier.client;

import io.croupier.client.token.Digests;
import io.croupier.schemas.Feature;
import io.croupier.schemas.FeatureRules;
import io.croupier.schemas.Moments;
import io.croupier.schemas.OneHot;
import io.croupier.schemas.Range;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * How a model's features are computed from one person's values, as its updates describe it. It
 * needs no other person's data, and every device makes the same vector of the same row, bit for
 * bit: this class, {@code croupier.js} and the Python package compute alike.
 *
 * <p>All values are from -1 to 1, and the L2 norm of the vector is at most {@link #largestNorm}, up
 * to rounding. So the gradient of a loss of one prediction {@code <x, w>}, whose slope is at most
 * s, is no longer than s times this norm.
 *
 * <p>Immutable. No message contains a value of a person.
 */
public final class Features {
  /** Where standardised numbers are clipped: the normal law has 0.3 % beyond. */
  private static final double MOST_DEVIATIONS = 3;

  private final List<Feature> features;

  private final int size;
  private final Map<String, Function<Object, double[]>> encoders;

  /** The name of the last one, if that is the label; otherwise null. */
  private final String label;

  /**
   * Reads the features of an update.
   *
   * @param features of a valid spec
   * @throws IllegalArgumentException if one is of a kind that this version doesn't know
   */
  public Features(List<Feature> features) {
    this(List.copyOf(features), Map.of(), null);
  }

  private Features(
      List<Feature> features, Map<String, Function<Object, double[]>> encoders, String label) {
    this.features = features;
    this.encoders = encoders;
    this.label = label;
    size = Math.toIntExact(FeatureRules.values(features));
  }

  /**
   * The same features with an encoder that the device contains.
   *
   * @param name of the feature
   * @param bytes of the encoder, from which it is loaded
   * @param encode returns as many finite numbers as the feature has values; the same for the same
   *     argument
   * @throws IllegalArgumentException if there is no such feature, or the bytes are not those of the
   *     spec's digest
   */
  public Features withEncoder(String name, byte[] bytes, Function<Object, double[]> encode) {
    Feature feature =
        features.stream()
            .filter(candidate -> candidate.getName().equals(name) && candidate.hasEncoder())
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        String.format("there is no encoder feature '%s'", name)));
    String digest = String.format("%064x", new BigInteger(1, Digests.sha256().digest(bytes)));
    if (!digest.equals(feature.getEncoder().getDigest())) {
      throw new IllegalArgumentException(
          String.format(
              "the encoder of feature '%s' has the digest %s; the model requires %s",
              name, digest, feature.getEncoder().getDigest()));
    }
    Map<String, Function<Object, double[]>> extended = new HashMap<>(encoders);
    extended.put(name, encode);
    return new Features(features, Collections.unmodifiableMap(extended), null);
  }

  /** The same features, and then the values of a label. */
  Features withLabel(Feature last) {
    List<Feature> all = new ArrayList<>(features);
    all.add(last);
    return new Features(List.copyOf(all), encoders, last.getName());
  }

  /** The features as the spec describes them; unmodifiable, empty if it has none. */
  public List<Feature> list() {
    return features;
  }

  /** The number of values in the vector of one row. */
  public int size() {
    return size;
  }

  /** The square root of the number of features, which bounds the L2 norm of every vector. */
  public double largestNorm() {
    return Math.sqrt(features.size());
  }

  /**
   * Computes the vector of one row.
   *
   * @param row by name of the feature: a {@link Number} for a range and for moments, a {@link
   *     Boolean} for yes or no, a {@link String} for a category, and for an encoder what it takes.
   *     Other entries are ignored, but counted in the error if a feature is missing
   * @return shape [size]
   * @throws IllegalArgumentException if a value is missing, of another type or not finite
   * @throws IllegalStateException if a feature has no encoder here, or its encoder returns
   *     something else than the right number of finite values
   */
  public double[] vector(Map<String, ?> row) {
    double[] vector = new double[size];
    int next = 0;
    for (Feature feature : features) {
      next = write(feature, row, vector, next);
    }
    return vector;
  }

  /** Writes the values of a feature from a place on, and returns the place behind them. */
  private int write(Feature feature, Map<String, ?> row, double[] to, int next) {
    switch (feature.getKindCase()) {
      case INTERCEPT -> to[next] = 1;
      case RANGE -> to[next] = scaled(feature.getRange(), number(feature, row));
      case MOMENTS -> to[next] = scaled(feature.getMoments(), number(feature, row));
      case YES_NO -> to[next] = required(Boolean.class, "true or false", feature, row) ? 1 : 0;
      case ONE_HOT -> {
        String category = required(String.class, "a text", feature, row);
        return writeOneHot(feature.getOneHot(), category, to, next);
      }
      case ENCODER -> {
        double[] encoded = encoded(feature, row);
        System.arraycopy(encoded, 0, to, next, encoded.length);
        return next + encoded.length;
      }
      case KIND_NOT_SET -> throw new AssertionError("the constructor refuses it");
    }
    return next + 1;
  }

  private static double scaled(Range range, double x) {
    double within = Math.max(range.getFrom(), Math.min(range.getTo(), x));
    return 2 * (within - range.getFrom()) / (range.getTo() - range.getFrom()) - 1;
  }

  private static double scaled(Moments moments, double x) {
    double deviations = (x - moments.getMean()) / moments.getDeviation();
    return Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, deviations)) / MOST_DEVIATIONS;
  }

  private static int writeOneHot(OneHot oneHot, String category, double[] to, int next) {
    int count = oneHot.getCategoriesCount();
    int place = oneHot.getCategoriesList().indexOf(category);
    if (place >= 0) {
      to[next + place] = 1;
    } else if (oneHot.getOther()) {
      to[next + count] = 1;
    }
    return next + count + (oneHot.getOther() ? 1 : 0);
  }

  private double[] encoded(Feature feature, Map<String, ?> row) {
    Function<Object, double[]> encode = encoders.get(feature.getName());
    if (encode == null) {
      throw new IllegalStateException(
          String.format(
              "feature '%s' needs the encoder with the digest %s, which this device doesn't have",
              feature.getName(), feature.getEncoder().getDigest()));
    }
    double[] encoded = encode.apply(required(Object.class, "what its encoder takes", feature, row));
    if (encoded.length != feature.getEncoder().getLength()) {
      throw new IllegalStateException(
          String.format(
              "the encoder of feature '%s' returned %d values; the model requires %d",
              feature.getName(), encoded.length, feature.getEncoder().getLength()));
    }
    return shortened(feature, encoded);
  }

  /** Divides by the norm where that is above 1; without overflow of squares. */
  private static double[] shortened(Feature feature, double[] encoded) {
    double largest = 0;
    for (double value : encoded) {
      if (!Double.isFinite(value)) {
        throw new IllegalStateException(
            String.format(
                "the encoder of feature '%s' returned a value that is not finite",
                feature.getName()));
      }
      largest = Math.max(largest, Math.abs(value));
    }
    double[] values = encoded.clone();
    if (largest == 0) {
      return values;
    }
    double sum = 0;
    for (double value : encoded) {
      sum += (value / largest) * (value / largest);
    }
    double root = Math.sqrt(sum);
    for (int j = 0; largest * root > 1 && j < values.length; j++) {
      values[j] = encoded[j] / largest / root;
    }
    return values;
  }

  private double number(Feature feature, Map<String, ?> row) {
    double number = required(Number.class, "a number", feature, row).doubleValue();
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException(
          String.format(
              "%s '%s' is not finite; it must be a number", noun(feature), feature.getName()));
    }
    return number;
  }

  private <T> T required(Class<T> type, String right, Feature feature, Map<String, ?> row) {
    Object value = row.get(feature.getName());
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException(
          String.format(
              "%s '%s' is %s; it must be %s%s",
              noun(feature),
              feature.getName(),
              value == null ? "missing" : "of another type",
              right,
              value == null ? others(row) : ""));
    }
    return type.cast(value);
  }

  private String noun(Feature feature) {
    return feature.getName().equals(label) ? "label" : "feature";
  }

  /** How many names of a row are no feature's: a misspelt one may be data, so none is quoted. */
  private String others(Map<String, ?> row) {
    Set<String> others = new HashSet<>(row.keySet());
    features.forEach(feature -> others.remove(feature.getName()));
    return others.isEmpty() ? "" : "; names in the row that are no feature's: " + others.size();
  }

  @Override
  public String toString() {
    return "Features[" + features.stream().map(Feature::getName).collect(Collectors.toList()) + "]";
  }
}
