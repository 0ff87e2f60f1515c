package io.croupier.operators.flink.restart;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Visible outputs with the records of a test; time stamps are ignored. */
public class VisibleRecords implements VisibleOutputs {
  private static final long serialVersionUID = 1;

  /** How often subtasks have aborted what was left open, in all tests of this JVM. */
  public static final AtomicInteger ABORTS = new AtomicInteger();

  public final List<AccountingEvent> events = new ArrayList<>();

  /** Rounds on the progress topic, if there is any, and on the updates topic otherwise. */
  public final List<PublishedRound> rounds = new ArrayList<>();

  /** The newest update of each model; most tests need none. */
  public final Map<String, ModelUpdate> updates = new HashMap<>();

  /** Whether {@link #rounds} are on the updates topic only. */
  public boolean onlyUpdates;

  /** The id of the progress topic. */
  public long progressId = 5;

  /** Which transactions the last reader of the progress topic knows. */
  transient Predicate<ProgressRecord> listed;

  private final List<byte[][]> progress = new ArrayList<>();

  /** Commits those of the records that belong on the progress topic. */
  public void commit(List<OutboundRecord> records) {
    for (OutboundRecord record : records) {
      if (record.destination == Destination.PROGRESS) {
        progress.add(new byte[][] {record.key, record.value});
      }
    }
  }

  /** Deletes the progress topic, and creates it again. */
  public void createProgressAgain() {
    progressId++;
    progress.clear();
  }

  @Override
  public CommittedProgress progress(Predicate<ProgressRecord> inState) throws IOException {
    listed = inState;
    CommittedProgress committed =
        new CommittedProgress(new TopicEnd(progressId, 6, List.of((long) progress.size())));
    for (int offset = 0; offset < progress.size(); offset++) {
      byte[][] record = progress.get(offset);
      committed.add(ProgressRecord.read(record[0], record[1]), 0, offset);
    }
    if (!onlyUpdates) {
      newest().values().forEach(round -> committed.add(round, 0, 0));
    }
    return committed;
  }

  @Override
  public void accounting(TopicEnd since, long sinceMs, Predicate<AccountingEvent> more) {
    for (AccountingEvent event : events) {
      if (!more.test(event)) {
        return;
      }
    }
  }

  @Override
  public Map<String, PublishedRound> rounds(long sinceMs) {
    return newest();
  }

  private Map<String, PublishedRound> newest() {
    Map<String, PublishedRound> newest = new HashMap<>();
    for (PublishedRound round : rounds) {
      newest.merge(round.modelId(), round, (a, b) -> b.round() >= a.round() ? b : a);
    }
    return newest;
  }

  @Override
  public Map<String, ModelUpdate> updates(Predicate<String> models) {
    Map<String, ModelUpdate> newest = new HashMap<>(updates);
    newest.keySet().removeIf(models.negate());
    return newest;
  }

  @Override
  public LeftOpen leftOpen() {
    return ABORTS::incrementAndGet;
  }

  @Override
  public List<SourceRange> sources() {
    return List.of();
  }

  @Override
  public Readers readers(int share, int shares) {
    return new Readers() {
      @Override
      public void lookUp() {}

      @Override
      public long heldMs() {
        return 0;
      }

      @Override
      public long unreadPartitions() {
        return 0;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public String accountingTopic() {
    return "accounts";
  }

  @Override
  public String updatesTopic() {
    return "models-updated";
  }

  @Override
  public String progressTopic() {
    return "progress";
  }
}
