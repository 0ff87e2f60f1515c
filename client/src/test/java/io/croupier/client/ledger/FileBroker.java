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
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * In the place of Kafka, which is not what is tested: a file that holds all that ever left the
 * device, resends included. It outlives a kill of the process, since the kernel has it then.
 *
 * <p>Acknowledges late, so that some records are always under way, and for some says that it heard
 * nothing, though they arrived.
 */
final class FileBroker extends MockProducer<byte[], byte[]> {
  private static final int UNDER_WAY = 2;
  private static final int SILENT_EVERY = 5;

  private final FileChannel log;
  private final Deque<Callback> underWay = new ArrayDeque<>();
  private int received;

  FileBroker(Path file) throws IOException {
    super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    // What a kill cut short didn't arrive.
    long whole = 0;
    for (byte[] record : Files.exists(file) ? received(file) : List.<byte[]>of()) {
      whole += Integer.BYTES + record.length;
    }
    log = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    log.truncate(whole).position(whole);
  }

  /** All records that arrived whole. */
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
      callback.onCompletion(null, new TimeoutException("nothing heard"));
    } else {
      underWay.add(callback);
    }
    if (underWay.size() > UNDER_WAY) {
      underWay.remove().onCompletion(null, null);
    }
    return new CompletableFuture<>();
  }

  /** Acknowledges what is under way. */
  @Override
  public synchronized void flush() {
    while (!underWay.isEmpty()) {
      underWay.remove().onCompletion(null, null);
    }
  }
}
