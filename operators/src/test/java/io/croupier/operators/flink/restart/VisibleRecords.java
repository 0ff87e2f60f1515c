package io.croupier.operators.flink.restart;

import io.croupier.schemas.AccountingEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/** Visible outputs with the records of a test; time stamps are ignored. */
public final class VisibleRecords implements VisibleOutputs {
  private static final long serialVersionUID = 1;

  public final List<AccountingEvent> events = new ArrayList<>();
  public final List<PublishedRound> rounds = new ArrayList<>();
  public final Map<Integer, Long> forgottenBefore = new HashMap<>();

  @Override
  public Visible<AccountingEvent> accounting(long sinceMs, StreamingRuntimeContext subtask) {
    return new Shown<>(events, Map.copyOf(forgottenBefore));
  }

  @Override
  public Visible<PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask) {
    return new Shown<>(rounds, Map.of());
  }

  @Override
  public String accountingTopic() {
    return "accounts";
  }

  @Override
  public String updatesTopic() {
    return "models-updated";
  }

  private record Shown<T>(List<T> records, Map<Integer, Long> forgottenBefore)
      implements Visible<T> {
    @Override
    public void forEach(Predicate<T> more) {
      for (T record : records) {
        if (!more.test(record)) {
          return;
        }
      }
    }

    @Override
    public void close() {}
  }
}
