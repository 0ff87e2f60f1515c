package io.croupier.client;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The body of another machine's answer, up to a number of bytes. A longer one fails with an {@link
 * IOException}, before its first byte if the header contains the length, and cancels the rest.
 */
public final class BoundedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();
  private final long most;
  private final long announced;
  private Flow.Subscription subscription;
  private long received;

  private static final class ExceededException extends IOException {
    private static final long serialVersionUID = 1;

    private ExceededException(long most) {
      super("the body has more than %d bytes".formatted(most));
    }
  }

  /**
   * Prepares to receive a body.
   *
   * @param answer its status and header
   * @param most largest number of bytes
   */
  public BoundedBody(ResponseInfo answer, long most) {
    this.most = most;
    announced = answer.headers().firstValueAsLong("Content-Length").orElse(0);
  }

  /** Whether a request failed because its answer is too long. */
  static boolean isExceeded(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ExceededException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return bytes.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    bytes.onSubscribe(begun);
    if (announced > most) {
      exceed();
    }
  }

  private void exceed() {
    received = Long.MAX_VALUE;
    subscription.cancel();
    bytes.onError(new ExceededException(most));
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    if (received == Long.MAX_VALUE) {
      return;
    }
    for (ByteBuffer buffer : buffers) {
      received += buffer.remaining();
    }
    if (received > most) {
      exceed();
    } else {
      bytes.onNext(buffers);
    }
  }

  @Override
  public void onError(Throwable failure) {
    bytes.onError(failure);
  }

  @Override
  public void onComplete() {
    if (received <= most) {
      bytes.onComplete();
    }
  }
}
