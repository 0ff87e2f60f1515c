package io.croupier.bench.speed;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * An application of Kafka Streams, exactly once, that reads reports by the user and writes one
 * event for each. Closing stops it.
 *
 * <p>Its stores are in memory, with changelogs: the RocksDB of Kafka Streams has the class names of
 * Flink's.
 */
final class StreamsLedger implements AutoCloseable {
  private static final String REPORTS = "reports";
  private static final String LEDGER = "ledger";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** What an application does with a report. */
  enum Program {
    /** It counts each user's reports. It neither reads the reports nor judges them. */
    COUNTING {
      @Override
      List<String> stores() {
        return List.of(CountingProcessor.COUNTS);
      }

      @Override
      Processor<byte[], byte[], byte[], byte[]> processor() {
        return new CountingProcessor();
      }
    },
    /**
     * It does the work of this job's ledger. Its stores have caches, so that their changelogs
     * receive a value once a commit.
     */
    JUDGING {
      @Override
      List<String> stores() {
        return List.of(JudgingProcessor.ACCOUNTS, JudgingProcessor.SUMS);
      }

      @Override
      Processor<byte[], byte[], byte[], byte[]> processor() {
        return new JudgingProcessor();
      }
    };

    abstract List<String> stores();

    abstract Processor<byte[], byte[], byte[], byte[]> processor();

    /** The topics of the stores of the application that writes to a topic. */
    List<String> changelogs(String to) {
      return stores().stream().map(store -> to + "-" + store + "-changelog").toList();
    }
  }

  private final KafkaStreams application;

  private StreamsLedger(KafkaStreams application) {
    this.application = application;
  }

  /**
   * Starts the application, with consumer and producer set as {@code CroupierJob} sets its own, and
   * a thread for each partition.
   */
  static StreamsLedger start(
      Program program,
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
    settings.put(StreamsConfig.producerPrefix(ProducerConfig.COMPRESSION_ZSTD_LEVEL_CONFIG), 1);
    KafkaStreams application = new KafkaStreams(topology(program, from, to), settings);
    application.start();
    return new StreamsLedger(application);
  }

  private static Topology topology(Program program, String from, String to) {
    Topology topology =
        new Topology()
            .addSource(REPORTS, new ByteArrayDeserializer(), new ByteArrayDeserializer(), from)
            .addProcessor(LEDGER, program::processor, REPORTS);
    for (String name : program.stores()) {
      StoreBuilder<KeyValueStore<Bytes, byte[]>> store =
          Stores.keyValueStoreBuilder(
                  Stores.inMemoryKeyValueStore(name), Serdes.Bytes(), Serdes.ByteArray())
              .withLoggingEnabled(Map.of());
      topology.addStateStore(
          program == Program.JUDGING ? store.withCachingEnabled() : store, LEDGER);
    }
    return topology.addSink(
        "events", to, new ByteArraySerializer(), new ByteArraySerializer(), LEDGER);
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
}
