package io.croupier.client;

import static io.croupier.client.GatewayReports.PATIENCE;
import static io.croupier.client.GatewayReports.TOKEN;
import static io.croupier.client.GatewayReports.answering;
import static io.croupier.client.GatewayReports.failure;
import static io.croupier.client.GatewayReports.report;
import static io.croupier.client.GatewayReports.transport;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.client.StubGateway.Answer;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bearer token of a report: where it comes from, and where it is sent. */
@Timeout(600)
class GatewayTokensTest {
  @TempDir private Path directory;

  private final LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreNotFollowed(int status) throws Exception {
    try (StubGateway other = answering();
        StubGateway gateway =
            answering(Answer.of(status).with("Location", other.uri() + "/v1/reports"));
        HttpReportTransport transport = transport(gateway)) {
      assertThat(failure(report(transport, ledger)))
          .hasMessageContaining("answered " + status + ": redirects are not followed");

      assertThat(other.received()).isEmpty();
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  private static StubGateway.Answers requiring(String token) {
    return request ->
        request.header("Authorization").equals(Optional.of("Bearer " + token))
            ? StubGateway.ACCEPTED
            : Answer.problem(401);
  }

  @Test
  void anExpiredTokenIsReadAgainOnce() throws Exception {
    Path file = Files.writeString(directory.resolve("token"), "old\n");
    try (StubGateway gateway = new StubGateway(requiring("new"));
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), new TokenFile(file), PATIENCE)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);

      assertThat(failure(report(reporter)))
          .isInstanceOf(GatewayException.class)
          .hasMessageContaining("answered 401");
      // The file contained the same token as before.
      assertThat(gateway.received()).hasSize(1);
      assertThat(ledger.pending()).hasSize(1);

      Files.writeString(file, " new ");
      report(reporter).get();
      assertThat(gateway.received()).hasSize(3);
      assertThat(gateway.received().get(1).body()).isEqualTo(gateway.received().get(0).body());
      assertThat(ledger.pending()).isEmpty();
    }
  }

  @Test
  void aTokenThatExpiresMeanwhileIsReplacedByTheNextOne() throws Exception {
    Deque<String> tokens = new ArrayDeque<>(List.of("first", "second", "third"));
    try (StubGateway gateway =
            new StubGateway(
                request -> requiring(request.place() == 0 ? "first" : "second").to(request));
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), tokens::removeFirst, PATIENCE)) {
      GradientReporter reporter = new GradientReporter(transport, ledger);
      for (int i = 0; i < 3; i++) {
        report(reporter).get();
      }

      assertThat(gateway.received()).hasSize(4);
      assertThat(tokens).containsExactly("third");
    }
  }

  /** The message of the JDK's exception would contain the token. */
  @ParameterizedTest
  @ValueSource(strings = {"", "two words", "line\nbreak", "Bearer x", "zoë"})
  void aTokenOfAnotherFormIsNotSentAndNotQuoted(String token) throws Exception {
    try (StubGateway gateway = answering();
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), () -> token, PATIENCE)) {
      assertThat(failure(report(transport, ledger)))
          .hasMessage("the token has a wrong form; it must be a bearer token, without 'Bearer'")
          .hasNoCause();
      assertThat(gateway.received()).isEmpty();
      assertThat(ledger.pending()).hasSize(1);
    }
  }

  @Test
  void aMissingTokenFileIsNamed() throws Exception {
    Path file = directory.resolve("absent");
    try (StubGateway gateway = answering();
        HttpReportTransport transport =
            new HttpReportTransport(gateway.uri(), new TokenFile(file), PATIENCE)) {
      assertThat(failure(report(transport, ledger))).hasMessageContaining("can't be read: " + file);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://gateway.example",
        "http://10.0.0.1:8080",
        "http://127.0.0.1.example",
        "http://localhost.example",
        "http://[::2]",
        "http://[2001:db8::1]",
        "ftp://localhost",
        "localhost:8080",
        "/v1",
        "https://user:secret@gateway.example",
        "https://gateway.example?token=x",
        "https://gateway.example#x",
        "https:///v1"
      })
  void aTokenLeavesOnlyOverTlsOrOnThisMachine(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpReportTransport(URI.create(url), () -> TOKEN))
        .withMessageStartingWith("the gateway's URL ")
        .withMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://gateway.example/base/",
        "HTTPS://gateway.example",
        "http://localhost:1",
        "http://127.0.0.1",
        "http://127.9.9.9:80",
        "http://[::1]:8080",
        "http://[0:0:0:0:0:0:0:1]"
      })
  void theseUrlsAreFine(String url) {
    new HttpReportTransport(URI.create(url), () -> TOKEN).close();
  }
}
