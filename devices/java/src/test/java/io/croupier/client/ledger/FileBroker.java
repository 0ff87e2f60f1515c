package io.croupier.client.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A substitute for Kafka: a file with all reports that ever left the device, including resends. It
 * survives a kill of the process, since the kernel has received the written bytes.
 *
 * <p>It acknowledges late, so that some records are always in flight, and reports a timeout for
 * some records that did arrive.
 */
final class FileBroker extends MockProducer<byte[], byte[]> {
  private static final RecordMetadata STORED =
      new RecordMetadata(new TopicPartition("gradients", 0), 0, 0, 0, 0, 0);

  private static final int UNDER_WAY = 2;
  private static final int SILENT_EVERY = 5;

  private final FileChannel log;
  private final Deque<Callback> underWay = new ArrayDeque<>();
  private int received;

  FileBroker(Path file) throws IOException {
    super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    // A record that a kill truncated counts as not arrived.
    long whole = 0;
    for (byte[] record : Files.exists(file) ? received(file) : List.<byte[]>of()) {
      whole += Integer.BYTES + record.length;
    }
    log = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    log.truncate(whole).position(whole);
  }

  /** All records that arrived completely. */
  static List<byte[]> received(Path file) throws IOException {
    List<byte[]> records = new ArrayList<>();
    ByteBuffer log = ByteBuffer.wrap(Files.readAllBytes(file));
    while (log.remaining() >= Integer.BYTES) {
      int length = log.getInt();
      if (length > log.remaining()) {
        break;
      }
      byte[] record = new byte[length];
      log.get(record);
      records.add(record);
    }
    return records;
  }

  @Override
  public synchronized Future<RecordMetadata> send(
      ProducerRecord<byte[], byte[]> record, Callback callback) {
    byte[] value = record.value();
    ByteBuffer line = ByteBuffer.allocate(Integer.BYTES + value.length);
    line.putInt(value.length).put(value).flip();
    try {
      log.write(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (++received % SILENT_EVERY == 0) {
      callback.onCompletion(null, new TimeoutException("no acknowledgement"));
    } else {
      underWay.add(callback);
    }
    if (underWay.size() > UNDER_WAY) {
      underWay.remove().onCompletion(STORED, null);
    }
    return new CompletableFuture<>();
  }

  /** Acknowledges the records in flight. */
  @Override
  public synchronized void flush() {
    while (!underWay.isEmpty()) {
      underWay.remove().onCompletion(STORED, null);
    }
  }
}
