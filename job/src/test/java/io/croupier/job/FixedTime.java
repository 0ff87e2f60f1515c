package io.croupier.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;

/** Lets a job read reports as if the broker had appended all of them at one time. */
public final class FixedTime extends ReadInterceptor {
  private static final String GRADIENTS = ".gradients";
  private static final String TIME = "appended.at";

  private long timeMs;

  /** Settings of a job that reads reports of this time. */
  static Map<String, String> settings(Instant time) {
    return Map.of(
        "kafka." + TIME,
        Long.toString(time.toEpochMilli()),
        "kafka.interceptor.classes",
        FixedTime.class.getName());
  }

  @Override
  public void configure(Map<String, ?> settings) {
    timeMs = Long.parseLong((String) settings.get(TIME));
  }

  @Override
  public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
    Map<TopicPartition, List<ConsumerRecord<Object, Object>>> timed = new HashMap<>();
    for (TopicPartition partition : records.partitions()) {
      List<ConsumerRecord<Object, Object>> of = new ArrayList<>(records.records(partition));
      if (partition.topic().endsWith(GRADIENTS)) {
        of.replaceAll(this::timed);
      }
      timed.put(partition, of);
    }
    return new ConsumerRecords<>(timed, records.nextOffsets());
  }

  private ConsumerRecord<Object, Object> timed(ConsumerRecord<Object, Object> record) {
    return new ConsumerRecord<>(
        record.topic(),
        record.partition(),
        record.offset(),
        timeMs,
        TimestampType.LOG_APPEND_TIME,
        record.serializedKeySize(),
        record.serializedValueSize(),
        record.key(),
        record.value(),
        record.headers(),
        Optional.empty());
  }
}
