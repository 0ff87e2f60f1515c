package io.croupier.job;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Saves committed records to a file, and restores them to topics of the same names, in the same
 * order and partitions and with the same timestamps. Offsets are preserved only on topics without
 * transactions, whose records are all saved.
 */
final class KeptRecords {
  /**
   * Restored records keep their timestamps, even if those are ahead of this machine's clock, and
   * must neither be deleted nor compacted.
   */
  static final Map<String, String> BROKER_SETTINGS =
      Map.of(
          // Some topics have a retention of their own, which the broker checks after this time.
          "log.initial.task.delay.ms",
          String.valueOf(Long.MAX_VALUE),
          "log.cleaner.min.compaction.lag.ms",
          String.valueOf(Long.MAX_VALUE),
          "log.message.timestamp.after.max.ms",
          String.valueOf(Long.MAX_VALUE));

  private static final int NULL = -1;

  private KeptRecords() {}

  /** A record's position. */
  record RecordLocation(String topic, int partition, long offset) {}

  /** All committed records on {@code topics}, each of which has at least one. */
  static Map<RecordLocation, ConsumerRecord<byte[], byte[]>> committed(
      TestTopics testTopics, List<String> topics) throws Exception {
    Map<RecordLocation, ConsumerRecord<byte[], byte[]>> records = new LinkedHashMap<>();
    for (String topic : topics) {
      for (ConsumerRecord<byte[], byte[]> record : testTopics.awaitRecords(topic, 1)) {
        records.put(new RecordLocation(topic, record.partition(), record.offset()), record);
      }
    }
    return records;
  }

  /** Whether a warning is about topics other than those in the state, as restored records have. */
  static boolean isOfLaidTopics(String warning) {
    return warning.contains(" was created again");
  }

  static void write(Path file, Collection<ConsumerRecord<byte[], byte[]>> records)
      throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new GZIPOutputStream(Files.newOutputStream(file)))) {
      out.writeInt(records.size());
      for (ConsumerRecord<byte[], byte[]> record : records) {
        out.writeUTF(record.topic());
        out.writeInt(record.partition());
        out.writeLong(record.timestamp());
        writeBytes(out, record.key());
        writeBytes(out, record.value());
      }
    }
  }

  private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes == null ? NULL : bytes.length);
    if (bytes != null) {
      out.write(bytes);
    }
  }

  /** The records of a file; headers, for example, are not saved. */
  static List<ProducerRecord<byte[], byte[]>> read(Path file) throws IOException {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    try (DataInputStream in =
        new DataInputStream(new GZIPInputStream(Files.newInputStream(file)))) {
      for (int left = in.readInt(); left > 0; left--) {
        String topic = in.readUTF();
        int partition = in.readInt();
        long timestamp = in.readLong();
        records.add(
            new ProducerRecord<>(topic, partition, timestamp, readBytes(in), readBytes(in)));
      }
    }
    return records;
  }

  private static byte[] readBytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length == NULL ? null : in.readNBytes(length);
  }

  /** Writes records to their topics, which must be empty. */
  static void lay(TestTopics testTopics, List<ProducerRecord<byte[], byte[]>> records)
      throws Exception {
    List<Future<RecordMetadata>> sends = new ArrayList<>();
    Map<String, Object> properties = new HashMap<>(testTopics.kafka());
    properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, TestTopics.IN_FLIGHT);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (ProducerRecord<byte[], byte[]> record : records) {
        sends.add(producer.send(record));
      }
      producer.flush();
      for (Future<RecordMetadata> send : sends) {
        send.get();
      }
    }
  }
}
