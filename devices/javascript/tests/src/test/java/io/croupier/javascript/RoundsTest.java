package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.croupier.client.Decisions;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a device reads in an update, and does in its round: the same as the Java client. */
class RoundsTest extends BrowserFixture {
  private static Value read(ModelUpdate update) throws InvalidProtocolBufferException {
    return browser.readUpdate(JsonFormat.printer().print(update));
  }

  @Tag("ci")
  @Test
  void hashesAreThoseOfJava() throws GeneralSecurityException {
    SplittableRandom random = new SplittableRandom(1);
    for (int n = 0; n < 150; n += n < 50 || n > 70 ? 5 : 1) {
      byte[] message = new byte[n];
      random.nextBytes(message);
      assertThat(Browser.bytes(browser.internal("sha256").execute(browser.array(message))))
          .isEqualTo(MessageDigest.getInstance("SHA-256").digest(message));
      byte[] key = new byte[32];
      random.nextBytes(key);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      assertThat(
              Browser.bytes(
                  browser.internal("hmac").execute(browser.array(key), browser.array(message))))
          .isEqualTo(mac.doFinal(message));
    }
  }

  private static ModelUpdate update(SplittableRandom random, int n) {
    double bound = Math.exp(8 * random.nextDouble() - 4);
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId("model-" + n % 3)
            .setRound(n % 5 == 0 ? random.nextLong(1L << 53) : n)
            .addWeights(random.nextDouble())
            .addWeights(-1.5e-300)
            .addAverage(0)
            .addAverage(1e300)
            .setGradientBound(bound)
            .setGridExponent(ModelSpecs.gridExponent(bound));
    if (n % 4 != 0) {
      update.setAnswerProbability(random.nextInt(4) == 0 ? 1 : random.nextDouble());
    }
    for (int q = random.nextInt(3); q > 0; q--) {
      update
          .addEstimatesBuilder()
          .getQuestionBuilder()
          .setName("q" + q)
          .getLossAboveBuilder()
          .setThreshold(q);
    }
    for (int s = random.nextInt(3); s > 0; s--) {
      update
          .addStatisticsBuilder()
          .getStatisticBuilder()
          .setName("s" + s)
          .getChoiceBuilder()
          .addCategories("a")
          .addCategories("b");
    }
    switch (random.nextInt(3)) {
      case 0 -> update.setSize(AdaptiveClip.Size.FEATURES).setSlopeBound(0.75);
      case 1 -> update.setSize(AdaptiveClip.Size.GRADIENT);
      default -> {}
    }
    update.setQuestionProbability(random.nextInt(4) == 0 ? 1 : random.nextDouble());
    return n % 3 == 0 && update.getStatisticsCount() > 0 ? alone(update) : update.build();
  }

  /** The same of a model without a learner. */
  private static ModelUpdate alone(ModelUpdate.Builder update) {
    return update
        .clearWeights()
        .clearAverage()
        .clearGradientBound()
        .clearGridExponent()
        .clearEstimates()
        .clearSize()
        .clearSlopeBound()
        .setQuestionProbability(1)
        .build();
  }

  /** Of a ledger of the Java client, whose file lab/proofs/device.md describes. */
  private static byte[] secret(Path file) throws IOException {
    ByteBuffer header = ByteBuffer.wrap(Files.readAllBytes(file));
    header.position("CROUPIER".length() + Integer.BYTES);
    header.position(header.getInt() + header.position());
    header.position(header.getInt() + header.position());
    byte[] secret = new byte[32];
    header.get(secret);
    return secret;
  }

  /** With the secret of its ledger, a device does in every round what the Java client does. */
  @Tag("thorough")
  @Test
  void decidesAsTheJavaClient(@TempDir Path folder) throws IOException {
    SplittableRandom random = new SplittableRandom(2);
    Map<String, Integer> seen = new HashMap<>();
    Path file = folder.resolve("ada.ledger");
    try (LocalLedger ledger = LocalLedger.open(file, "ada", Limit.NONE)) {
      Value secret = browser.array(secret(file));
      for (int n = 0; n < 240; n++) {
        ModelUpdate update = update(random, n);
        RoundTerms terms = ModelSnapshot.parse(update.toByteArray()).terms();
        Value own = browser.internal("decide").execute(secret, read(update).getMember("terms"));
        String kind = own.getMember("kind").asString();
        if (kind.equals("statistic") || kind.equals("question")) {
          kind += " " + own.getMember(kind).getMember("name").asString();
        }
        assertThat(kind).as("%s", update).isEqualTo(Decisions.of(ledger, terms));
        seen.merge(kind, 1, Integer::sum);
      }
    }
    assertThat(seen.keySet())
        .contains("none", "gradient", "size", "question q1", "question q2", "statistic s1");
  }

  @Test
  void readsUpdatesAsTheJavaClient() throws InvalidProtocolBufferException {
    SplittableRandom random = new SplittableRandom(3);
    int alone = 0;
    for (int n = 0; n < 60; n++) {
      ModelUpdate update = update(random, n);
      alone += update.getWeightsCount() == 0 ? 1 : 0;
      ModelSnapshot snapshot = ModelSnapshot.parse(update.toByteArray());
      Value own = read(update);
      assertThat(own.getMember("modelId").asString()).isEqualTo(snapshot.modelId());
      assertThat(own.getMember("round").asLong()).isEqualTo(snapshot.round());
      assertThat(Browser.doubles(own.getMember("weights"))).containsExactly(snapshot.weights());
      assertThat(Browser.doubles(own.getMember("average"))).containsExactly(snapshot.average());
      Value terms = own.getMember("terms");
      assertThat(terms.getMember("dimension").asInt()).isEqualTo(snapshot.dimension());
      assertThat(terms.getMember("gradientBound").asDouble()).isEqualTo(snapshot.gradientBound());
      assertThat(terms.getMember("gridExponent").asInt()).isEqualTo(snapshot.gridExponent());
      assertThat(terms.getMember("answerProbability").asDouble())
          .isEqualTo(snapshot.answerProbability());
      assertThat(terms.getMember("questionProbability").asDouble())
          .isEqualTo(snapshot.questionProbability());
      assertThat(terms.getMember("isScouting").asBoolean()).isEqualTo(snapshot.isScouting());
      assertThat(terms.getMember("slopeBound").asDouble()).isEqualTo(snapshot.slopeBound());
      String size = snapshot.size().map(AdaptiveClip.Size::name).orElse(null);
      assertThat(terms.getMember("size").isNull() ? null : terms.getMember("size").asString())
          .isEqualTo(size);
    }
    assertThat(alone).isGreaterThan(5);
  }

  @Test
  void refusesUpdatesWithoutWeightsThatAskForGradients() throws Exception {
    String alone =
        "model_id: 'm' round: 3 question_probability: 0.5 statistics { statistic { name: 's' choice {"
            + " categories: ['a', 'b'] } } }";
    ModelUpdate update = TextFormat.parse(alone, ModelUpdate.class);
    assertThatThrownBy(() -> ModelSnapshot.parse(update.toByteArray()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> read(update)).hasMessageContaining("questionProbability is not 1");
  }

  private static final String GOOD =
      "model_id: 'm' round: 3 weights: [1, 2] average: [3, 4] gradient_bound: 2 grid_exponent: -15"
          + " size: FEATURES slope_bound: 1 question_probability: 0.5 answer_probability: 1 ";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model_id: 'm' | | modelId is missing",
        "round: 3 | | round is missing",
        "round: 3 | round: -1 | round is missing, negative",
        "weights: [1, 2] | | weights is missing",
        "weights: [1, 2] | weights: [1] | differ in length",
        "weights: [1, 2] | weights: [nan, 2] | not finite",
        "average: [3, 4] | average: [3, inf] | not finite",
        "gradient_bound: 2 | | gradientBound is missing",
        "gradient_bound: 2 | gradient_bound: inf | gradientBound is missing, or not positive",
        "grid_exponent: -15 | | gridExponent is missing",
        "grid_exponent: -15 | grid_exponent: -16 | gridExponent isn't that of gradientBound",
        "slope_bound: 1 | | slopeBound is missing",
        "question_probability: 0.5 | question_probability: 1.5 | questionProbability is not",
        "answer_probability: 1 | answer_probability: nan | answerProbability is not",
      })
  void refusesWhatTheJavaClientRefuses(String good, String bad, String reason) throws Exception {
    assertThat(read(TextFormat.parse(GOOD, ModelUpdate.class)).getMember("round").asInt())
        .isEqualTo(3);
    ModelUpdate update =
        TextFormat.parse(GOOD.replace(good, bad == null ? "" : bad), ModelUpdate.class);
    assertThatThrownBy(() -> ModelSnapshot.parse(update.toByteArray()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> read(update)).hasMessageContaining(reason);
  }

  /** A newer job may announce a size that this version doesn't know: nothing is reported then. */
  @Test
  void keepsASizeThatItDoesNotKnow() {
    String json =
        "{\"modelId\": \"m\", \"round\": 1, \"weights\": [1], \"average\": [1], \"gradientBound\": 1,"
            + " \"gridExponent\": -16, \"size\": 7, \"questionProbability\": 0.5}";
    Value terms = browser.readUpdate(json).getMember("terms");
    assertThat(terms.getMember("size").asString()).isEqualTo("UNKNOWN");
  }
}
