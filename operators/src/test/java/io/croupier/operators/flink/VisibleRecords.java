package io.croupier.operators.flink;

import io.croupier.schemas.AccountingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/** Visible outputs that a test makes up; time stamps play no role. */
final class VisibleRecords implements VisibleOutputs {
  private static final long serialVersionUID = 1;

  final List<AccountingEvent> events = new ArrayList<>();
  final List<PublishedRound> rounds = new ArrayList<>();

  @Override
  public Visible<AccountingEvent> accounting(long sinceMs, StreamingRuntimeContext subtask) {
    return new Shown<>(events);
  }

  @Override
  public Visible<PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask) {
    return new Shown<>(rounds);
  }

  @Override
  public String accountingTopic() {
    return "accounts";
  }

  @Override
  public String updatesTopic() {
    return "models-updated";
  }

  private record Shown<T>(List<T> records) implements Visible<T> {
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
