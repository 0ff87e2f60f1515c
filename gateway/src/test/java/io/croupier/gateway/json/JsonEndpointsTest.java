package io.croupier.gateway.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.schemas.Topics;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * All endpoints that read JSON refuse the same texts. There are no models, so the text of a valid
 * request leads to another problem than a malformed one.
 */
class JsonEndpointsTest {
  private static final Specs SPECS = new Specs();
  private static final Updates UPDATES = new Updates();
  private static final String TOKEN = Base64.getEncoder().encodeToString(token());

  private static final String REPORT =
      "{\"modelId\":\"m\",\"round\":\"0\",\"sequence\":\"1\",\"dense\":{\"values\":[0.5]},"
          + "\"l2Laplace\":{\"epsilon\":8}}";

  private static final String ANONYMOUS =
      "{\"modelId\":\"m\",\"round\":\"0\",\"token\":\""
          + TOKEN
          + "\",\"answer\":{\"question\":\"q\",\"bit\":true},\"randomisedResponse\":{\"epsilon\":1}}";

  private static final String REQUEST =
      "{\"modelId\":\"m\",\"window\":\"0\",\"level\":0,\"deviceId\":\"d\",\"sequence\":\"1\","
          + "\"blinded\":\""
          + Base64.getEncoder().encodeToString(new byte[256])
          + "\"}";

  private static byte[] token() {
    byte[] token = new byte[386];
    token[1] = 2;
    return token;
  }

  /** A reader of a request's body. */
  private record Endpoint(String path, String text, int length, Consumer<byte[]> read) {
    @Override
    public String toString() {
      return path;
    }

    /** Whether a body is read as a request. */
    boolean reads(byte[] body) {
      ProblemException problem =
          catchThrowableOfType(ProblemException.class, () -> read.accept(body));
      assertThat(problem.problem().type()).isIn(ProblemType.MALFORMED, ProblemType.NOT_FOUND);
      return problem.problem().type() == ProblemType.NOT_FOUND;
    }
  }

  static final List<Endpoint> ENDPOINTS =
      List.of(
          new Endpoint("/v1/reports", REPORT, 0, body -> reports().json(body, "user")),
          // An encapsulated request has the same reader.
          new Endpoint(
              "/v1/anonymous-reports",
              ANONYMOUS,
              2048,
              body -> new AnonymousCheck(SPECS, UPDATES, null).json(body)),
          new Endpoint(
              "/v1/tokens",
              REQUEST,
              0,
              body -> new TokenCheck(Pepper.inMemory(), SPECS, UPDATES, null).check(body, "user")));

  private static ReportCheck reports() {
    return new ReportCheck(Topics.withPrefix("croupier"), false, SPECS, UPDATES);
  }

  @ParameterizedTest
  @FieldSource("ENDPOINTS")
  void allEndpointsAgree(Endpoint endpoint) {
    List<JsonCase> cases = new ArrayList<>(JsonCase.of("modelId"));
    if (!endpoint.text.equals(REQUEST)) {
      cases.addAll(JsonCase.ofMapping());
    }
    for (JsonCase each : cases) {
      byte[] body = each.bytes(endpoint.text, endpoint.length);
      if (endpoint.length == 0 || body.length == endpoint.length) {
        assertThat(endpoint.reads(body)).as("%s", each).isEqualTo(each.isValid());
      }
    }
    assertThat(endpoint.reads(new byte[endpoint.length])).isFalse();
  }

  private static boolean isRead(String report) {
    return ENDPOINTS.get(0).reads(report.getBytes(UTF_8));
  }

  /** The sender would be charged for the last one. */
  @Test
  void anInnerNameMayNotOccurTwice() {
    for (String second : List.of("epsilon", "\\u0065psilon")) {
      String twice = REPORT.replace("8}", "8,\"%s\":0.001}".formatted(second));
      ProblemException problem =
          catchThrowableOfType(
              ProblemException.class, () -> reports().json(twice.getBytes(UTF_8), "user"));
      assertThat(problem).hasMessage("l2Laplace.epsilon occurs twice");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "8 | true",
        "8e0 | true",
        "\"8\" | true",
        "1e999 | false",
        "\"1e999\" | false",
        "\"NaN\" | false",
        "\"Infinity\" | false",
        "-0 | false",
        "-0.0 | false",
        "0 | false",
        "-8 | false",
        "1e-999 | false",
        "null | false",
        "true | false",
        "[8] | false",
        "\"\" | false",
        "\"8 \" | false",
        "\"0x8\" | false",
        "\"8d\" | false"
      })
  void anEpsilonIsANumber(String epsilon, boolean isValid) {
    String report = REPORT.replace("\"epsilon\":8", "\"epsilon\":" + epsilon);
    assertThat(isRead(report)).isEqualTo(isValid);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "9223372036854775807 | true",
        "\"9223372036854775807\" | true",
        "1e3 | true",
        "0 | true",
        "9223372036854775808 | false",
        "\"9223372036854775808\" | false",
        "1e1000000000 | false",
        "1e-1000000000 | false",
        "-1 | false",
        "1.5 | false",
        "null | false",
        "\"\" | false"
      })
  void aSequenceIsAWholeNumber(String sequence, boolean isValid) {
    assertThat(isRead(REPORT.replace("\"sequence\":\"1\"", "\"sequence\":" + sequence)))
        .isEqualTo(isValid);
  }
}
