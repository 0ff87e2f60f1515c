package io.croupier.client;

import static io.croupier.noise.Refusals.assertRefused;
import static io.croupier.noise.Refusals.assertRefusedWith;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.TextFormat;
import io.croupier.schemas.Feature;
import io.croupier.schemas.ModelUpdate;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeaturesTest {
  /** With this file the tests of croupier.js and of the Python package compare their vectors. */
  private static final Path GOLDEN = Path.of("../../devices/python/tests/golden/features.json");

  private static final int CASES = 60;
  private static final int ROWS = 5;
  private static final byte[] ENCODER = "abc".getBytes(UTF_8);
  private static final String DIGEST =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  private static Features features(String... texts) {
    return new Features(Arrays.stream(texts).map(FeaturesTest::feature).toList());
  }

  private static Feature feature(String text) {
    try {
      return TextFormat.parse(text, Feature.class);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static Features four() {
    return features(
        "name: 'one' intercept {}",
        "name: 'walked' range { from: 0 to: 180 }",
        "name: 'slept' moments { mean: 7 deviation: 1.5 }",
        "name: 'well' yes_no {}",
        "name: 'shift' one_hot { categories: 'day' categories: 'night' other: true }");
  }

  private static Map<String, Object> row() {
    return new HashMap<>(Map.of("walked", 45, "slept", 8.5, "well", true, "shift", "night"));
  }

  @Test
  void eachKindMakesItsValues() {
    assertThat(four().size()).isEqualTo(7);
    assertThat(four().vector(row())).containsExactly(1, -0.5, 1 / 3.0, 1, 0, 1, 0);
    Map<String, Object> beyond = Map.of("walked", 1e300, "slept", -3L, "well", false, "shift", "");
    assertThat(four().vector(beyond)).containsExactly(1, 1, -1, 0, 0, 0, 1);
  }

  @Test
  void anUnknownCategoryIsZeroWithoutOther() {
    Features features = features("name: 'a' one_hot { categories: 'x' categories: 'y' }");
    assertThat(features.vector(Map.of("a", "X"))).containsExactly(0, 0);
    assertThat(features.vector(Map.of("a", "x"))).containsExactly(1, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "walked | | feature 'walked' is missing; it must be a number",
        "walked | text | feature 'walked' is of another type; it must be a number",
        "walked | true | feature 'walked' is of another type; it must be a number",
        "slept | NaN | feature 'slept' is not finite; it must be a number",
        "slept | -Infinity | feature 'slept' is not finite; it must be a number",
        "well | 17.5 | feature 'well' is of another type; it must be true or false",
        "well | | feature 'well' is missing; it must be true or false",
        "shift | 17.5 | feature 'shift' is of another type; it must be a text",
      })
  void whatIsWrongIsNamedWithoutTheValue(String name, String value, String message) {
    Map<String, Object> row = row();
    row.put(name, value == null ? null : value(value));
    assertRefused(() -> four().vector(row), message);
  }

  @Test
  void namesThatAreNoFeaturesAreCounted() {
    Map<String, Object> row = row();
    row.remove("walked");
    row.put("wlaked", 17.5);
    row.put("age", 17.5);
    assertRefused(
        () -> four().vector(row),
        "feature 'walked' is missing; it must be a number; names in the row that are no"
            + " feature's: 2");
  }

  private static Object value(String text) {
    if (text.equals("true")) {
      return true;
    }
    return text.equals("text") ? text : Double.valueOf(text);
  }

  @Test
  void anEncoderIsUsedOnlyWithItsDigest() {
    Features plain = features("name: 'note' encoder { digest: '%s' length: 2 }".formatted(DIGEST));
    Map<String, String> row = Map.of("note", "private");
    assertThatThrownBy(() -> plain.vector(row))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("'note'", DIGEST)
        .hasMessageNotContaining("private");
    assertRefusedWith(
        () -> plain.withEncoder("note", "abd".getBytes(UTF_8), x -> new double[] {1, 2}),
        "'note'",
        "a52d159f262b2c6ddb724a61840befc3",
        DIGEST);
    assertThatThrownBy(() -> plain.withEncoder("text", ENCODER, x -> new double[2]))
        .hasMessage("there is no encoder feature 'text'");

    assertThat(plain.withEncoder("note", ENCODER, x -> new double[] {3, 4}).vector(row))
        .containsExactly(new double[] {0.6, 0.8}, within(1e-15));
    assertThat(plain.withEncoder("note", ENCODER, x -> new double[] {0.3, -0.4}).vector(row))
        .containsExactly(0.3, -0.4);
    assertThat(plain.withEncoder("note", ENCODER, x -> new double[] {1e308, -1e308}).vector(row))
        .containsExactly(new double[] {Math.sqrt(0.5), -Math.sqrt(0.5)}, within(1e-15));
    assertThat(plain.withEncoder("note", ENCODER, x -> new double[] {0, -0.0}).vector(row))
        .containsExactly(0, -0.0);
    assertThatThrownBy(() -> plain.withEncoder("note", ENCODER, x -> new double[3]).vector(row))
        .hasMessage("the encoder of feature 'note' returned 3 values; the model requires 2");
    assertThatThrownBy(
            () -> plain.withEncoder("note", ENCODER, x -> new double[] {0, Double.NaN}).vector(row))
        .hasMessage("the encoder of feature 'note' returned a value that is not finite");
  }

  @Test
  void anUnknownKindIsRefusedOnlyByDevicesThatUseIt() {
    ModelUpdate.Builder update = update(2);
    update.addFeaturesBuilder().setName("sound");
    ModelSnapshot snapshot = Updates.parse(update);
    assertThatThrownBy(snapshot::features).hasMessageContaining("feature 'sound' is of no kind");
  }

  @Test
  void anUpdateHasItsFeatures() {
    ModelUpdate.Builder update = update(14).addAllFeatures(four().list());
    assertThat(Updates.parse(update).features().list()).isEqualTo(four().list());
    assertThat(Updates.parse(update(3)).features().list()).isEmpty();
    update.addWeights(0).addAverage(0);
    assertThatThrownBy(Updates.parse(update)::features)
        .hasMessageContaining("the features make 7 values; there are 15 weights");
  }

  private static ModelUpdate.Builder update(int dimension) {
    return ModelUpdate.newBuilder()
        .setModelId("m")
        .setRound(0)
        .addAllWeights(Collections.nCopies(dimension, 0.0))
        .addAllAverage(Collections.nCopies(dimension, 0.0))
        .setGradientBound(1)
        .setGridExponent(-16);
  }

  /**
   * The bound of a gradient: the slope of the logistic loss is at most 1, and that of a softmax of
   * k scores sqrt(2), so a gradient_bound of as often the largest norm clips no gradient.
   */
  @Test
  void noVectorIsLongerThanTheLargestNormAndNoGradientThanTheSlopeTimesIt() {
    SplittableRandom random = new SplittableRandom(3);
    for (int n = 0; n < 2000; n++) {
      Case one = new Case(random);
      double[] x = one.features().vector(one.row(random));
      double most = one.features().largestNorm() * (1 + 1e-14);
      assertThat(Sizes.norm(x)).isLessThanOrEqualTo(most);
      for (double value : x) {
        assertThat(Math.abs(value)).isLessThanOrEqualTo(1);
      }
      double[] weights = random.doubles(2L * x.length, -100, 100).toArray();
      double[] gradient = Softmax.gradient(weights, x, random.nextInt(2));
      assertThat(Sizes.norm(gradient)).isLessThanOrEqualTo(Math.sqrt(2) * most);
    }
    // It is reached, so no smaller bound is true.
    Features two = features("name: 'a' intercept {}", "name: 'b' range { from: 1 to: 2 }");
    assertThat(Sizes.norm(two.vector(Map.of("b", 9)))).isCloseTo(two.largestNorm(), within(1e-15));
  }

  /** {@code -Dwrite.docs=true} writes the file. */
  @Test
  void vectorsAreTheGoldenOnes() throws Exception {
    SplittableRandom random = new SplittableRandom(20);
    JsonArray cases = new JsonArray();
    for (int n = 0; n < CASES; n++) {
      Case one = new Case(random);
      JsonObject json = new JsonObject();
      json.addProperty("update", HexFormat.of().formatHex(one.update().toByteArray()));
      JsonArray rows = new JsonArray();
      for (int r = 0; r < ROWS; r++) {
        Map<String, Object> row = one.row(random);
        JsonObject golden = new JsonObject();
        golden.add("row", new Gson().toJsonTree(row));
        golden.add("vector", new Gson().toJsonTree(one.features().vector(row)));
        rows.add(golden);
      }
      json.add("rows", rows);
      cases.add(json);
    }
    String text = lines(cases);
    if (Boolean.getBoolean("write.docs")) {
      Files.writeString(GOLDEN, text);
    }
    assertThat(Files.readString(GOLDEN)).isEqualTo(text);
  }

  private static String lines(JsonArray cases) {
    List<String> lines = new ArrayList<>();
    for (JsonElement one : cases) {
      lines.add(one.toString());
    }
    return "[\n" + String.join(",\n", lines) + "\n]\n";
  }

  /** Random features of every kind; the encoder of a feature returns what it is given. */
  private static final class Case {
    private final List<Feature> list = new ArrayList<>();

    Case(SplittableRandom random) {
      int count = 1 + random.nextInt(6);
      for (int i = 0; i < count; i++) {
        list.add(feature(random).setName("f " + i).build());
      }
    }

    private static Feature.Builder feature(SplittableRandom random) {
      Feature.Builder feature = Feature.newBuilder();
      switch (random.nextInt(6)) {
        case 0 -> feature.getInterceptBuilder();
        case 1 -> {
          double from = number(random);
          double to = from + Math.abs(number(random)) + Math.ulp(from);
          feature.getRangeBuilder().setFrom(from).setTo(to);
        }
        case 2 ->
            feature
                .getMomentsBuilder()
                .setMean(number(random))
                .setDeviation(Math.abs(number(random)) + 1e-9);
        case 3 -> feature.getYesNoBuilder();
        case 4 -> {
          int count = 2 + random.nextInt(4);
          for (int c = 0; c < count; c++) {
            feature.getOneHotBuilder().addCategories("größe " + c);
          }
          if (random.nextBoolean()) {
            feature.getOneHotBuilder().setOther(random.nextBoolean());
          }
        }
        default -> feature.getEncoderBuilder().setDigest(digest()).setLength(1 + random.nextInt(5));
      }
      return feature;
    }

    private static String digest() {
      try {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(ENCODER);
        return "%064x".formatted(new BigInteger(1, digest));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Of any sign and many magnitudes. */
    private static double number(SplittableRandom random) {
      return random.nextDouble(-1, 1) * Math.scalb(1.0, random.nextInt(-20, 20));
    }

    Features features() {
      Features features = new Features(list);
      for (Feature feature : list) {
        if (feature.hasEncoder()) {
          features = features.withEncoder(feature.getName(), ENCODER, value -> (double[]) value);
        }
      }
      return features;
    }

    ModelUpdate update() {
      return FeaturesTest.update(features().size()).addAllFeatures(list).build();
    }

    Map<String, Object> row(SplittableRandom random) {
      Map<String, Object> row = new HashMap<>();
      for (Feature feature : list) {
        switch (feature.getKindCase()) {
          case INTERCEPT, KIND_NOT_SET -> {}
          case RANGE -> {
            double from = feature.getRange().getFrom();
            double width = feature.getRange().getTo() - from;
            row.put(feature.getName(), from + width * random.nextDouble(-0.2, 1.2));
          }
          case MOMENTS -> {
            double deviation = feature.getMoments().getDeviation();
            row.put(
                feature.getName(),
                feature.getMoments().getMean() + deviation * random.nextDouble(-4, 4));
          }
          case YES_NO -> row.put(feature.getName(), random.nextBoolean());
          case ONE_HOT -> row.put(feature.getName(), "größe " + random.nextInt(6));
          case ENCODER -> {
            double scale = number(random);
            int length = feature.getEncoder().getLength();
            row.put(
                feature.getName(),
                random.doubles(length, -1, 1).map(value -> scale * value).toArray());
          }
        }
      }
      return row;
    }
  }
}
