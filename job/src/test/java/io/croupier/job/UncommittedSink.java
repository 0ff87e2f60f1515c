package io.croupier.job;

import io.croupier.operators.flink.OutboundRecord;
import java.io.IOException;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.util.IOUtils;

/**
 * A sink with another sink's state, whose first commit ends the job: the transactions of the first
 * checkpoint with records stay pre-committed.
 */
@SuppressWarnings({"rawtypes", "unchecked"}) // the classes of the state aren't public
final class UncommittedSink
    implements Sink<OutboundRecord>,
        SupportsWriterState<OutboundRecord, Object>,
        SupportsCommitter {
  private static final long serialVersionUID = 1;

  private final KafkaSink sink;

  UncommittedSink(KafkaSink<OutboundRecord> sink) {
    this.sink = sink;
  }

  @Override
  public StatefulSinkWriter<OutboundRecord, Object> createWriter(WriterInitContext context)
      throws IOException {
    return (StatefulSinkWriter<OutboundRecord, Object>) sink.createWriter(context);
  }

  @Override
  public StatefulSinkWriter<OutboundRecord, Object> restoreWriter(
      WriterInitContext context, Collection<Object> state) {
    throw new UnsupportedOperationException("The job begins without state");
  }

  @Override
  public SimpleVersionedSerializer<Object> getWriterStateSerializer() {
    return sink.getWriterStateSerializer();
  }

  @Override
  public Committer createCommitter(CommitterInitContext context) throws IOException {
    Committer committer = sink.createCommitter(context);
    return new Committer() {
      @Override
      public void commit(Collection requests) throws IOException {
        throw new IOException("An intentional failure");
      }

      @Override
      public void close() {
        IOUtils.closeQuietly(committer);
      }
    };
  }

  @Override
  public SimpleVersionedSerializer getCommittableSerializer() {
    return sink.getCommittableSerializer();
  }
}
