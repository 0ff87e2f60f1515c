package io.croupier.bench.speed;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * A ledger as Kafka Streams applications keep one, exactly once: it counts each user's reports in a
 * store with a changelog, and writes one event for each report, with its position and the count. It
 * neither reads the reports nor judges them. Closing stops it.
 *
 * <p>The store is in memory: the RocksDB of Kafka Streams has the class names of Flink's.
 */
final class StreamsLedger implements AutoCloseable {
  private static final String REPORTS = "reports";
  private static final String LEDGER = "ledger";
  private static final String COUNTS = "counts";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final KafkaStreams application;

  private StreamsLedger(KafkaStreams application) {
    this.application = application;
  }

  /**
   * Starts the application, with consumer and producer set as {@code CroupierJob} sets its own, and
   * a thread for each partition.
   */
  static StreamsLedger start(
      String bootstrapServers,
      String from,
      String to,
      int parallelism,
      Duration interval,
      Path directory) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, to);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, parallelism);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, interval.toMillis());
    KafkaClients.consumer()
        .forEach((name, value) -> settings.put(StreamsConfig.consumerPrefix(name), value));
    settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    KafkaClients.producer()
        .forEach((name, value) -> settings.put(StreamsConfig.producerPrefix(name), value));
    settings.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "zstd");
    KafkaStreams application = new KafkaStreams(topology(from, to), settings);
    application.start();
    return new StreamsLedger(application);
  }

  private static Topology topology(String from, String to) {
    return new Topology()
        .addSource(REPORTS, new ByteArrayDeserializer(), new ByteArrayDeserializer(), from)
        .addProcessor(LEDGER, CountingProcessor::new, REPORTS)
        .addStateStore(
            Stores.keyValueStoreBuilder(
                    Stores.inMemoryKeyValueStore(COUNTS), Serdes.Bytes(), Serdes.Long())
                .withLoggingEnabled(Map.of()),
            LEDGER)
        .addSink("events", to, new ByteArraySerializer(), new ByteArraySerializer(), LEDGER);
  }

  /** The topic of the store of the application that writes to a topic. */
  static String changelog(String to) {
    return to + "-" + COUNTS + "-changelog";
  }

  boolean isAlive() {
    return application.state() == KafkaStreams.State.CREATED
        || application.state().isRunningOrRebalancing();
  }

  @Override
  public void close() {
    if (!application.close(PATIENCE)) {
      throw new IllegalStateException("The Kafka Streams application doesn't stop");
    }
  }

  private static final class CountingProcessor
      implements Processor<byte[], byte[], byte[], byte[]> {
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<Bytes, Long> counts;

    @Override
    public void init(ProcessorContext<byte[], byte[]> initial) {
      context = initial;
      counts = initial.getStateStore(COUNTS);
    }

    @Override
    public void process(Record<byte[], byte[]> report) {
      Bytes user = Bytes.wrap(report.key());
      Long before = counts.get(user);
      long count = before == null ? 1 : before + 1;
      counts.put(user, count);
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
}
