package io.croupier.operators.flink.restart;

import io.croupier.schemas.AccountingEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.streaming.api.operators.StreamingRuntimeContext;

/** Visible outputs with the records of a test; time stamps are ignored. */
public final class VisibleRecords implements VisibleOutputs {
  private static final long serialVersionUID = 1;

  public final List<AccountingEvent> events = new ArrayList<>();
  public final List<PublishedRound> rounds = new ArrayList<>();

  @Override
  public Visible<AccountingEvent> accounting(StreamingRuntimeContext subtask) {
    return new Shown<>(events);
  }

  /** Each subtask compares all events, since the harnesses start one after the other. */
  @Override
  public Visible<AccountedReport> accountedReports(
      TopicEnd since, long sinceMs, StreamingRuntimeContext subtask) {
    return new Shown<>(
        events.stream()
            .map(
                event ->
                    new AccountedReport(
                        event.getUserId(),
                        event.getSource().getTopic(),
                        event.getSource().getPartition(),
                        event.getSource().getOffset()))
            .toList());
  }

  @Override
  public Map<String, Long> highest(Map<String, Long> found, StreamingRuntimeContext subtask) {
    return found;
  }

  @Override
  public TopicEnd.Follower followAccounting(TaskInfo subtask) {
    TopicEnd end = new TopicEnd(1, 2, List.of((long) events.size()));
    return new TopicEnd.Follower() {
      @Override
      public void lookUp() {}

      @Override
      public TopicEnd last() {
        return end;
      }

      @Override
      public long readersHeldMs() {
        return 0;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public Map<String, PublishedRound> rounds(long sinceMs, StreamingRuntimeContext subtask) {
    Map<String, PublishedRound> newest = new HashMap<>();
    for (PublishedRound round : rounds) {
      newest.merge(round.modelId(), round, (a, b) -> b.round() >= a.round() ? b : a);
    }
    return newest;
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
