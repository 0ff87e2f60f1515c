package io.croupier.gateway.identity;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** The body of a response; fails if it is longer than expected. */
final class LimitedBody implements BodySubscriber<byte[]> {
  private final BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();
  private final int most;
  private Flow.Subscription subscription;
  private long received;

  LimitedBody(int most) {
    this.most = most;
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return bytes.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    bytes.onSubscribe(begun);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      received += buffer.remaining();
    }
    if (received > most) {
      subscription.cancel();
      bytes.onError(new IOException("the body has more than %d bytes".formatted(most)));
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
