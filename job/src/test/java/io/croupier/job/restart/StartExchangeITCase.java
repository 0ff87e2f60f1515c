package io.croupier.job.restart;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.JobFixture;
import io.croupier.operators.flink.LedgerMark;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.restart.LedgerProgress;
import io.croupier.operators.flink.restart.LedgerStartCheck;
import io.croupier.operators.flink.restart.TopicEnd;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What all ledger subtasks of a large job read at a start, on a real broker, and how long it takes;
 * and the marks that each of them restores. {@code -Dsubtasks=P} sets their number (64), {@code
 * -Dpartitions=N} that of the source's partitions (256), {@code -Dcheckpoints=N} the checkpoints
 * that are not compacted yet (80: one segment of the topic).
 */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StartExchangeITCase extends JobFixture {
  private static final int THREADS = 8;

  private final int subtasks = Integer.getInteger("subtasks", 64);
  private final int partitions = Integer.getInteger("partitions", 256);
  private final int checkpoints = Integer.getInteger("checkpoints", 80);
  private long bytes;

  @Test
  void everySubtaskReadsTheRecordsOfAll() throws Exception {
    List<LedgerMark> marks = write();
    System.out.printf(
        "%d subtasks, %d partitions: %,d bytes of a checkpoint's records, %,d on the topic%n",
        subtasks, partitions, bytes / checkpoints, stored());
    measure(marks);
    KafkaVisibleOutputs outputs = testTopics.outputs("exchange");
    long begin = System.nanoTime();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Callable<Integer>> starts = new ArrayList<>();
    for (int i = 0; i < subtasks; i++) {
      LedgerStartCheck check =
          new LedgerStartCheck(outputs, new TaskInfoImpl("ledger", 1024, i, subtasks, 0));
      starts.add(() -> check.withState(marks, check.committed(marks)));
    }
    for (Future<Integer> lost : threads.invokeAll(starts)) {
      assertThat(lost.get()).isZero();
    }
    threads.shutdown();
    System.out.printf(
        "all subtasks have read and compared them after %d ms%n",
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
  }

  /** Writes the records of all checkpoints, and returns the marks of the last one. */
  private List<LedgerMark> write() throws Exception {
    TopicEnd end;
    try (Admin admin = testTopics.admin()) {
      end = new TopicOffsets(admin, testTopics.topics.progress()).end();
    }
    List<LedgerProgress> running = new ArrayList<>();
    for (int i = 0; i < subtasks; i++) {
      running.add(new LedgerProgress(List.of(), 0, 1 + i, end));
    }
    Map<String, Object> properties = new HashMap<>(testTopics.kafka());
    properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "zstd");
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "exchange-0");
    ByteArraySerializer serializer = new ByteArraySerializer();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(properties, serializer, serializer)) {
      producer.initTransactions();
      for (int checkpoint = 1; checkpoint <= checkpoints; checkpoint++) {
        producer.beginTransaction();
        for (int i = 0; i < subtasks; i++) {
          for (int partition = 0; partition < partitions; partition++) {
            running
                .get(i)
                .judged(
                    testTopics.topics.gradients(),
                    partition,
                    1_000L * checkpoint + 31L * partition + i);
          }
          running.get(i).wrote();
          OutboundRecord record = running.get(i).record(i).orElseThrow();
          bytes += record.key.length + record.value.length;
          Future<RecordMetadata> unused =
              producer.send(
                  new ProducerRecord<>(testTopics.topics.progress(), 0, record.key, record.value));
        }
        producer.commitTransaction();
      }
    }
    List<LedgerMark> marks = new ArrayList<>();
    for (int i = 0; i < subtasks; i++) {
      marks.add(running.get(i).mark(1, i, subtasks));
    }
    return marks;
  }

  /**
   * What each subtask restores: Flink sends or stores the state of every subtask to all of them.
   */
  private void measure(List<LedgerMark> marks) throws Exception {
    TypeSerializer<LedgerMark> serializer =
        TypeInformation.of(LedgerMark.class).createSerializer(new SerializerConfigImpl());
    DataOutputSerializer out = new DataOutputSerializer(1 << 20);
    for (LedgerMark mark : marks) {
      serializer.serialize(mark, out);
    }
    ThreadMXBean thread = ManagementFactory.getThreadMXBean();
    long begin = thread.getCurrentThreadCpuTime();
    for (int i = 0; i < subtasks; i++) {
      DataInputDeserializer in = new DataInputDeserializer(out.getSharedBuffer(), 0, out.length());
      List<LedgerMark> read = new ArrayList<>();
      while (in.available() > 0) {
        read.add(serializer.deserialize(in));
      }
      assertThat(new LedgerProgress(read, 0, 1, TopicEnd.UNKNOWN).mark(0, i, subtasks).judged)
          .hasSize(partitions);
    }
    System.out.printf(
        "marks: %,d bytes each, %,d restored by each subtask; all %d read them in %,d ms of processor"
            + " time%n",
        out.length() / subtasks,
        out.length(),
        subtasks,
        TimeUnit.NANOSECONDS.toMillis(thread.getCurrentThreadCpuTime() - begin));
  }

  private long stored() throws Exception {
    try (Admin admin = testTopics.admin()) {
      return admin
          .describeLogDirs(
              admin.describeCluster().nodes().get().stream().map(node -> node.id()).toList())
          .allDescriptions()
          .get()
          .values()
          .stream()
          .flatMap(logs -> logs.values().stream())
          .flatMap(log -> log.replicaInfos().entrySet().stream())
          .filter(replica -> replica.getKey().topic().equals(testTopics.topics.progress()))
          .mapToLong(replica -> replica.getValue().size())
          .sum();
    }
  }
}
