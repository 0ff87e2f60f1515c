package io.croupier.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

class BoundedBodyTest {
  private static final int MOST = 4;

  /** Whether the body no longer wants to receive. */
  private boolean cancelled;

  private record Answer(Map<String, List<String>> header) implements ResponseInfo {
    @Override
    public int statusCode() {
      return 200;
    }

    @Override
    public HttpHeaders headers() {
      return HttpHeaders.of(header, (name, value) -> true);
    }

    @Override
    public HttpClient.Version version() {
      return HttpClient.Version.HTTP_1_1;
    }
  }

  private BoundedBody body(Map<String, List<String>> header) {
    BoundedBody body = new BoundedBody(new Answer(header), MOST);
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {
            cancelled = true;
          }
        });
    return body;
  }

  private static List<ByteBuffer> bytes(String text) {
    return List.of(ByteBuffer.wrap(text.getBytes(US_ASCII)));
  }

  private void assertExceeded(BoundedBody body) {
    assertThat(cancelled).isTrue();
    CompletableFuture<byte[]> read = body.getBody().toCompletableFuture();
    assertThat(read).isCompletedExceptionally();
    assertThatThrownBy(read::join)
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("the body has more than 4 bytes")
        .satisfies(failure -> assertThat(BoundedBody.isExceeded(failure)).isTrue());
  }

  @Test
  void aBodyOfTheLargestLengthIsRead() {
    for (Map<String, List<String>> header :
        List.of(Map.<String, List<String>>of(), Map.of("Content-Length", List.of("4")))) {
      BoundedBody body = body(header);
      body.onNext(bytes("abc"));
      body.onNext(bytes("d"));
      body.onComplete();
      assertThat(body.getBody().toCompletableFuture().join()).asString(US_ASCII).isEqualTo("abcd");
    }
    assertThat(cancelled).isFalse();
  }

  @Test
  void aLongerBodyFailsWithItsFirstByteTooMany() {
    BoundedBody body = body(Map.of());
    body.onNext(bytes("abcd"));
    assertThat(cancelled).isFalse();
    body.onNext(bytes("e"));
    assertExceeded(body);
  }

  @Test
  void aLongerBodyThatIsAnnouncedFailsBeforeItsFirstByte() {
    assertExceeded(body(Map.of("Content-Length", List.of("5"))));
  }

  /** A publisher may still send for some time after it was cancelled. */
  @Test
  void whatComesAfterTheFailureChangesNothing() {
    BoundedBody body = body(Map.of("Content-Length", List.of("5")));
    body.onNext(bytes("abc"));
    body.onComplete();
    assertExceeded(body);
  }

  @Test
  void aConnectionThatBreaksIsNoBodyThatIsTooLong() {
    BoundedBody body = body(Map.of());
    body.onNext(bytes("abc"));
    body.onError(new IOException("reset"));
    assertThatThrownBy(() -> body.getBody().toCompletableFuture().join())
        .hasMessageContaining("reset")
        .satisfies(failure -> assertThat(BoundedBody.isExceeded(failure)).isFalse());
  }
}
