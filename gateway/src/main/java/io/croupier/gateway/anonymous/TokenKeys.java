package io.croupier.gateway.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.SkippedRecords;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.schemas.TokenKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The public keys that gateways have published, of the windows that are open. Safe for use by
 * several threads, one of which follows.
 */
public final class TokenKeys {
  private final SkippedRecords skipped = new SkippedRecords();

  /** Guarded by this. */
  private final WindowKeys keys = new WindowKeys();

  private volatile Consumer<String> watcher = modelId -> {};

  /** Sets what receives the model of each further key. */
  public void watch(Consumer<String> keysOfModel) {
    watcher = keysOfModel;
  }

  /** Takes a record of the topic of keys. */
  public void apply(ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null || record.value() == null) {
      return;
    }
    String name = new String(record.key(), UTF_8);
    try {
      byte[] modulus = TokenKey.parseFrom(record.value()).getModulus().toByteArray();
      synchronized (this) {
        keys.add(name, modulus);
      }
      watcher.accept(name.substring(0, Math.max(0, name.indexOf('/'))));
    } catch (InvalidProtocolBufferException e) {
      skipped.add(record.topic(), record.partition(), record.offset(), "it is not a TokenKey");
    }
  }

  /** The modulus of a key; empty if it isn't published yet, or its window is closed. */
  public synchronized Optional<ByteString> modulus(String modelId, long window, Mechanism level) {
    return Optional.ofNullable(keys.modulus(modelId, window, level)).map(ByteString::copyFrom);
  }

  /** Whether a window takes no further keys. */
  public synchronized boolean isClosed(String modelId, long window) {
    return keys.isClosed(modelId, window);
  }

  /** The moduli of all levels of a window; empty unless all are published. */
  public synchronized Optional<List<ByteString>> moduli(
      String modelId, long window, List<Mechanism> levels) {
    List<ByteString> moduli = new ArrayList<>();
    for (Mechanism level : levels) {
      Optional<ByteString> modulus = modulus(modelId, window, level);
      if (modulus.isEmpty()) {
        return Optional.empty();
      }
      moduli.add(modulus.get());
    }
    return Optional.of(moduli);
  }
}
