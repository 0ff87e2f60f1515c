package io.croupier.gateway.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import com.google.protobuf.util.JsonFormat;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.anonymous.AnonymousCheck.CheckedSpend;
import io.croupier.gateway.anonymous.TokenCheck.CheckedRequest;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.PrivUnit;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a gateway does with tokens of others, and with changed reports and requests for tokens:
 * refuses them by a problem with a reason, or takes them for exactly what the token is signed for.
 */
@Tag("ci")
class ForeignTokensTest {
  private static final double EPSILON = 2;
  private static final PrivUnitMechanism LEVEL = TestWindows.level(EPSILON);
  private static final long ROUND = 24;
  private static final int ROUNDS_OF_A_WINDOW = 10;
  private static final String USER = "user-of-the-request";
  private static final int CHANGES = Integer.getInteger("inputs", 100_000);

  /** Values of other types, or at the ends of ranges. */
  private static final List<String> ODD =
      List.of(
          "null",
          "true",
          "[]",
          "{}",
          "\"\"",
          "\"x\"",
          "-1",
          "0",
          "1",
          "7",
          "1e3",
          "2.5",
          "1e400",
          "9223372036854775807",
          "9223372036854775808",
          "\"9223372036854775807\"",
          "\"3\"",
          "\"m\"",
          "\"n\"",
          "\"a/b\"",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "[2]",
          "{\"a\": 1}");

  private final TestWindows windows = new TestWindows();
  private final AnonymousCheck reports =
      new AnonymousCheck(windows.specs, windows.updates, windows.issuers);
  private final TokenCheck requests =
      new TokenCheck(Pepper.inMemory(), windows.specs, windows.updates, windows.issuers);

  /** Models m and n are in window 2 of ten rounds. */
  @BeforeEach
  void publish() throws Exception {
    for (String model : List.of("m", "n")) {
      windows.publish(model, EPSILON);
      windows.update(model, ROUND);
    }
    for (int i = 0; i < 4; i++) {
      assertThat(windows.next()).matches("[mn]/[23]/.*");
    }
  }

  @AfterEach
  void close() {
    windows.close();
  }

  private static TokenChallenge challenge(String model, long window) {
    return new TokenChallenge(model, window, AnonymousWindows.bytes(LEVEL));
  }

  private static Token signed(byte secret, String model, long window) throws Exception {
    byte[] all = new byte[32];
    Arrays.fill(all, secret);
    TokenIssuer issuer = TokenIssuer.derive(all, challenge(model, window));
    TokenRequest request = TokenRequest.draw(issuer.key(), challenge(model, window));
    return request.finish(issuer.sign(request.blinded()));
  }

  private static AnonymousReport report(Token token, long round) {
    return AnonymousReport.newBuilder()
        .setModelId("m")
        .setRound(round)
        .setToken(token.encoded())
        .setCandidate(Candidate.newBuilder().setDimension(2).setSeed(17).setIndex(3))
        .setPrivUnit(
            PrivUnit.newBuilder()
                .setEpsilon(LEVEL.epsilon())
                .setCandidates(LEVEL.candidates())
                .setTop(LEVEL.top()))
        .build();
  }

  private static byte[] padded(AnonymousReport report) {
    int missing = AnonymousCheck.PROTOBUF_BYTES - 3 - report.getSerializedSize();
    return report.toBuilder()
        .setPadding(ByteString.copyFrom(new byte[missing]))
        .build()
        .toByteArray();
  }

  private void assertRefused(ProblemType type, String reason, Token token, long round) {
    ProblemException refused =
        catchThrowableOfType(
            ProblemException.class, () -> reports.protobuf(padded(report(token, round))));
    assertThat(refused).isNotNull();
    assertThat(refused.problem().type()).isEqualTo(type);
    assertThat(refused.problem().detail()).contains(reason);
  }

  /** A stop that arrives during a request ends the device's tokens, as one before it does. */
  @Test
  void aRequestThatTheJobRefusesAsStoppedIsThatOfAStoppedPerson() {
    assertThat(TokenCheck.refused(Outcome.REFUSED_STOPPED, "stopped").problem().type())
        .isEqualTo(ProblemType.STOPPED);
    assertThat(TokenCheck.refused(Outcome.REFUSED_BUDGET, "spent").problem().type())
        .isEqualTo(ProblemType.REFUSED);
  }

  @Test
  void theTokenOfTheReportIsTaken() throws Exception {
    Token token = signed((byte) 0, "m", 2);
    assertThat(reports.protobuf(padded(report(token, ROUND))).nonce()).isEqualTo(token.nonce());
  }

  @Test
  void aForgedTokenIsRefused() throws Exception {
    assertRefused(ProblemType.FORBIDDEN, "must be signed", signed((byte) 1, "m", 2), ROUND);
  }

  @Test
  void aTokenOfAnotherModelIsRefused() throws Exception {
    assertRefused(ProblemType.FORBIDDEN, "must be signed", signed((byte) 0, "n", 2), ROUND);
  }

  @Test
  void aTokenOfAnotherWindowIsRefused() throws Exception {
    assertRefused(ProblemType.FORBIDDEN, "must be signed", signed((byte) 0, "m", 3), ROUND);
    assertRefused(ProblemType.FORBIDDEN, "must be signed", signed((byte) 0, "m", 1), ROUND);
  }

  /** Its window was over when this gateway started, or its rounds are too old for the model. */
  @Test
  void anExpiredTokenIsRefused() throws Exception {
    assertRefused(ProblemType.CONFLICT, "no key", signed((byte) 0, "m", 1), 15);
    windows.update("m", ROUND + 20);
    // The keys of windows that are over are forgotten before a further one is published.
    assertThat(windows.next()).startsWith("m/4/");
    assertRefused(ProblemType.CONFLICT, "no key", signed((byte) 0, "m", 2), ROUND);
  }

  private static byte[] changed(Random random, byte[] bytes) {
    byte[] value = bytes.clone();
    int at = random.nextInt(value.length);
    switch (random.nextInt(5)) {
      case 0 -> value[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> value[at] = (byte) random.nextInt();
      case 2 -> {
        // A part is moved; the length stays.
        int from = random.nextInt(value.length);
        int length = random.nextInt(value.length - Math.max(at, from));
        System.arraycopy(bytes, from, value, at, length);
      }
      case 3 -> value = Arrays.copyOf(value, random.nextInt(2 * value.length));
      default -> random.nextBytes(value);
    }
    return value;
  }

  /** In the other half, one value is replaced. */
  private static byte[] changedJson(Random random, JsonObject object) {
    if (random.nextBoolean()) {
      return changed(random, object.toString().getBytes(UTF_8));
    }
    JsonObject changed = object.deepCopy();
    List<String> names = List.copyOf(changed.keySet());
    String name = names.get(random.nextInt(names.size()));
    switch (random.nextInt(3)) {
      case 0 -> changed.remove(name);
      case 1 -> changed.add(name, JsonParser.parseString(ODD.get(random.nextInt(ODD.size()))));
      default -> changed.addProperty(name, random.nextInt(8));
    }
    return changed.toString().getBytes(UTF_8);
  }

  private static byte[] spaced(byte[] json) {
    byte[] all = new byte[AnonymousCheck.JSON_BYTES];
    Arrays.fill(all, (byte) ' ');
    System.arraycopy(json, 0, all, 0, Math.min(json.length, all.length));
    return all;
  }

  /** Half of them are in Protobuf, half in JSON. */
  @Tag("thorough")
  @Test
  void noChangedReportIsTakenForAnotherWindow() throws Exception {
    Token token = signed((byte) 0, "m", 2);
    byte[] protobuf = padded(report(token, ROUND));
    JsonObject json =
        JsonParser.parseString(JsonFormat.printer().print(report(token, ROUND))).getAsJsonObject();
    Random random = new Random(5);
    Map<ProblemType, Integer> refused = new EnumMap<>(ProblemType.class);
    int taken = 0;
    for (int i = 0; i < CHANGES; i++) {
      CheckedSpend checked;
      try {
        checked =
            i % 2 == 0
                ? reports.protobuf(changed(random, protobuf))
                : reports.json(spaced(changedJson(random, json)));
      } catch (ProblemException e) {
        assertReasonable(e, refused);
        continue;
      }
      taken++;
      AnonymousReport report = AnonymousReport.parseFrom(checked.value());
      assertThat(checked.nonce()).isEqualTo(token.nonce());
      assertThat(report.getToken()).isEqualTo(token.encoded());
      assertThat(report.getModelId()).isEqualTo("m");
      assertThat(report.getRound() / ROUNDS_OF_A_WINDOW).isEqualTo(2);
      assertThat(report.getPrivUnit()).isEqualTo(report(token, ROUND).getPrivUnit());
      assertThat(report.getCandidate().getDimension()).isEqualTo(2);
    }
    assertThat(taken).isBetween(CHANGES / 100, CHANGES / 2);
    assertThat(refused)
        .containsOnlyKeys(
            EnumSet.of(
                ProblemType.MALFORMED,
                ProblemType.NOT_FOUND,
                ProblemType.REFUSED,
                ProblemType.CONFLICT,
                ProblemType.FORBIDDEN));
  }

  private static void assertReasonable(
      ProblemException problem, Map<ProblemType, Integer> refused) {
    assertThat(problem.problem().detail()).isNotBlank().doesNotContain(USER);
    refused.merge(problem.problem().type(), 1, Integer::sum);
  }

  /** Requests with different contents have different tags, so no change is taken for a copy. */
  @Tag("thorough")
  @Test
  void noChangedRequestGainsATokenOfAnother() throws Exception {
    TokenIssuer issuer = windows.issuers.issuer("m", 2, LEVEL).orElseThrow();
    ByteString blinded = TokenRequest.draw(issuer.key(), challenge("m", 2)).blinded();
    JsonObject request = new JsonObject();
    request.addProperty("modelId", "m");
    request.addProperty("window", 2);
    request.addProperty("level", 0);
    request.addProperty("deviceId", "phone");
    request.addProperty("sequence", 5);
    request.add(
        "blinded", new JsonPrimitive(Base64.getEncoder().encodeToString(blinded.toByteArray())));
    Random random = new Random(6);
    Map<ProblemType, Integer> refused = new EnumMap<>(ProblemType.class);
    Map<ByteString, ByteString> contents = new HashMap<>();
    Set<Long> seen = new TreeSet<>();
    int taken = 0;
    for (int i = 0; i < CHANGES; i++) {
      CheckedRequest checked;
      try {
        checked = requests.check(changedJson(random, request), USER);
      } catch (ProblemException e) {
        assertReasonable(e, refused);
        continue;
      }
      taken++;
      GradientReport record = GradientReport.parseFrom(checked.record());
      assertThat(record.getUserId()).isEqualTo(USER);
      assertThat(record.getModelId()).isIn("m", "n");
      assertThat(record.getRound()).isIn(20L, 30L);
      assertThat(record.getPrivUnit().getEpsilon()).isEqualTo(EPSILON);
      assertThat(record.getToken().getTag()).isEqualTo(checked.tag());
      assertThat(checked.issuer().key())
          .isEqualTo(
              windows
                  .issuers
                  .issuer(record.getModelId(), record.getRound() / ROUNDS_OF_A_WINDOW, LEVEL)
                  .orElseThrow()
                  .key());
      ByteString content =
          record.toBuilder().clearToken().build().toByteString().concat(checked.blinded());
      assertThat(contents.computeIfAbsent(checked.tag(), tag -> content)).isEqualTo(content);
      seen.add(record.getSequence());
    }
    assertThat(taken).isBetween(CHANGES / 100, CHANGES / 2);
    assertThat(seen).contains(0L, 5L, 7L);
    assertThat(refused)
        .containsOnlyKeys(
            EnumSet.of(
                ProblemType.MALFORMED,
                ProblemType.NOT_FOUND,
                ProblemType.REFUSED,
                ProblemType.CONFLICT));
  }
}
