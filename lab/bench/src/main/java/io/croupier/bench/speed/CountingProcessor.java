package io.croupier.bench.speed;

import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;

/** Counts each user's reports, and writes their positions and the count. */
final class CountingProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  static final String COUNTS = "counts";

  private ProcessorContext<byte[], byte[]> context;
  private KeyValueStore<Bytes, byte[]> counts;

  @Override
  public void init(ProcessorContext<byte[], byte[]> initial) {
    context = initial;
    counts = initial.getStateStore(COUNTS);
  }

  @Override
  public void process(Record<byte[], byte[]> report) {
    Bytes user = Bytes.wrap(report.key());
    byte[] before = counts.get(user);
    long count = before == null ? 1 : ByteBuffer.wrap(before).getLong() + 1;
    counts.put(user, ByteBuffer.allocate(Long.BYTES).putLong(count).array());
    RecordMetadata position = context.recordMetadata().orElseThrow();
    context.forward(
        report.withValue(
            ByteBuffer.allocate(Integer.BYTES + 2 * Long.BYTES)
                .putInt(position.partition())
                .putLong(position.offset())
                .putLong(count)
                .array()));
  }
}
