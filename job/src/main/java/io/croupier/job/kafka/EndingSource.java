package io.croupier.job.kafka;

import io.croupier.operators.flink.RawRecord;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A bounded {@link KafkaSource} that also ends after a restore. The connector's enumerator sends
 * its readers the end of their splits only if it finds new partitions, and a restored one finds
 * none: its readers would wait for splits forever.
 */
final class EndingSource
    implements Source<RawRecord, KafkaPartitionSplit, KafkaSourceEnumState>,
        ResultTypeQueryable<RawRecord> {
  private static final long serialVersionUID = 1;

  private final KafkaSource<RawRecord> source;

  /** Creates the source from a bounded one. */
  EndingSource(KafkaSource<RawRecord> source) {
    this.source = source;
  }

  @Override
  public Boundedness getBoundedness() {
    return source.getBoundedness();
  }

  @Override
  public SourceReader<RawRecord, KafkaPartitionSplit> createReader(SourceReaderContext context)
      throws Exception {
    return source.createReader(context);
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context) {
    return source.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState state)
      throws IOException {
    SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restored =
        source.restoreEnumerator(context, state);
    // Before its first discovery, an enumerator has no split yet, and finds new partitions.
    return state.initialDiscoveryFinished() ? new RestoredEnumerator(restored, context) : restored;
  }

  @Override
  public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
    return source.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
    return source.getEnumeratorCheckpointSerializer();
  }

  @Override
  public TypeInformation<RawRecord> getProducedType() {
    return source.getProducedType();
  }

  /** Assigns what was not assigned yet to each reader, and then the end of its splits. */
  private record RestoredEnumerator(
      SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restored,
      SplitEnumeratorContext<KafkaPartitionSplit> context)
      implements SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> {

    @Override
    public void start() {
      restored.start();
    }

    @Override
    public void handleSplitRequest(int subtask, String requesterHostname) {
      restored.handleSplitRequest(subtask, requesterHostname);
    }

    @Override
    public void addSplitsBack(List<KafkaPartitionSplit> splits, int subtask) {
      restored.addSplitsBack(splits, subtask);
    }

    @Override
    public void addReader(int subtask) {
      restored.addReader(subtask);
      context.signalNoMoreSplits(subtask);
    }

    @Override
    public KafkaSourceEnumState snapshotState(long checkpointId) throws Exception {
      return restored.snapshotState(checkpointId);
    }

    @Override
    public void close() throws IOException {
      restored.close();
    }
  }
}
