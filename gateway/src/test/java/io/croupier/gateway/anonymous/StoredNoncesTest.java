package io.croupier.gateway.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A report with a nonce is stored once, unless storing it fails. */
class StoredNoncesTest {
  private static final int MOST = 3;

  private final StoredNonces nonces = new StoredNonces(MOST);
  private final List<CompletableFuture<String>> writes = new ArrayList<>();

  private CompletableFuture<Void> send(String nonce) {
    return nonces.storeOnce(
        ByteString.copyFromUtf8(nonce),
        () -> {
          CompletableFuture<String> write = new CompletableFuture<>();
          writes.add(write);
          return write;
        });
  }

  @Test
  void aNonceIsStoredOnce() {
    CompletableFuture<Void> first = send("a");
    CompletableFuture<Void> meanwhile = send("a");
    assertThat(writes).hasSize(1);
    assertThat(meanwhile).isNotDone();
    writes.get(0).complete("position");
    assertThat(first).isCompleted();
    assertThat(meanwhile).isCompleted();
    assertThat(send("a")).isCompleted();
    assertThat(writes).hasSize(1);
    assertThat(send("b")).isNotDone();
    assertThat(writes).hasSize(2);
  }

  @Test
  void whatFailedMayBeSentAgain() {
    CompletableFuture<Void> first = send("a");
    CompletableFuture<Void> meanwhile = send("a");
    writes.get(0).completeExceptionally(new IllegalStateException("no broker"));
    assertThat(first).isCompletedExceptionally();
    assertThat(meanwhile).isCompletedExceptionally();
    CompletableFuture<Void> again = send("a");
    assertThat(writes).hasSize(2);
    writes.get(1).complete("position");
    assertThat(again).isCompleted();
  }

  @Test
  void theLeastRecentNoncesAreForgotten() {
    for (String nonce : List.of("a", "b", "c", "a", "d")) {
      CompletableFuture<Void> unused = send(nonce);
    }
    assertThat(writes).hasSize(4);
    CompletableFuture<Void> kept = send("a");
    assertThat(kept).isNotDone();
    assertThat(writes).hasSize(4);
    CompletableFuture<Void> forgotten = send("b");
    assertThat(forgotten).isNotDone();
    assertThat(writes).hasSize(5);
  }
}
