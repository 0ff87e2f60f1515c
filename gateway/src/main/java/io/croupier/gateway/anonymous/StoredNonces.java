package io.croupier.gateway.anonymous;

import com.google.protobuf.ByteString;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The nonces of the reports that this gateway stored last. A token admits one report, so a further
 * one with its nonce isn't stored, and is answered as the first one was. Without this, the owner of
 * one token could fill the topic. Safe for use by several threads.
 */
public final class StoredNonces {
  private final Map<ByteString, CompletableFuture<Void>> stored;

  /**
   * Knows no nonce yet.
   *
   * @param most how many nonces are kept; those that were sent least recently are forgotten
   */
  public StoredNonces(int most) {
    stored =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(
              Map.Entry<ByteString, CompletableFuture<Void>> eldest) {
            return size() > most;
          }
        };
  }

  /**
   * Stores a report unless one with its nonce is stored or being stored.
   *
   * @param nonce of a token that is signed
   * @param store stores the report; fails if it isn't known to be stored
   * @return completes once a report with the nonce is stored; if storing it fails, the nonce is
   *     forgotten, so that it may be sent again
   */
  public CompletableFuture<Void> storeOnce(
      ByteString nonce, Supplier<? extends CompletableFuture<?>> store) {
    CompletableFuture<Void> mine = new CompletableFuture<>();
    synchronized (stored) {
      CompletableFuture<Void> present = stored.get(nonce);
      if (present != null) {
        return present;
      }
      stored.put(nonce, mine);
    }
    CompletableFuture<?> unused =
        store
            .get()
            .whenComplete(
                (position, failure) -> {
                  if (failure == null) {
                    mine.complete(null);
                  } else {
                    synchronized (stored) {
                      stored.remove(nonce, mine);
                    }
                    mine.completeExceptionally(failure);
                  }
                });
    return mine;
  }
}
