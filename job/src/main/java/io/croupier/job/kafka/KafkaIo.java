package io.croupier.job.kafka;

import io.croupier.job.config.JobConfig;
import io.croupier.job.restart.AccountedOffsets;
import io.croupier.job.restart.JobInputs;
import io.croupier.job.restart.KafkaVisibleOutputs;
import io.croupier.job.restart.OutputEnds;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Topics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.DefaultKafkaDatasetIdentifier;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacet;
import org.apache.flink.connector.kafka.lineage.KafkaDatasetFacetProvider;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Utils;

/** Builds the job's sources and sinks. */
public final class KafkaIo {
  /** Of a poll of short records, for which Kafka's 500 make the rounds of a reader the cost. */
  private static final String MOST_RECORDS = "5000";

  /**
   * Holds some 1,300 accounting events of 200 bytes, keys included, and more once the producer has
   * learnt how well they compress.
   */
  private static final int BATCH_BYTES = 256 << 10;

  /** Flink's default would leave the reports on new partitions unread for five minutes. */
  private static final String DISCOVERY_MS = "10000";

  private final JobConfig config;
  private final BrokerLimits limits;

  /** Creates the sources and sinks of a configuration. */
  public KafkaIo(JobConfig config, BrokerLimits limits) {
    this.config = config;
    this.limits = limits;
  }

  /**
   * Reports of both gradient topics, erasures, and requests for accounts.
   *
   * @param first where they begin without state
   */
  public KafkaSource<RawRecord> reports(AccountedOffsets first) {
    Properties properties = consumerProperties();
    properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_RECORDS);
    return KafkaSource.<RawRecord>builder()
        .setTopics(
            config.topics().gradients(),
            config.topics().rawGradients(),
            config.topics().erasures(),
            config.topics().accountRequests())
        .setProperties(properties)
        .setStartingOffsets(first)
        .setDeserializer(new RawDeserializer())
        .build();
  }

  /** All accounting events up to an end of their topic, where the source ends. */
  public KafkaSource<RawRecord> accounting(TopicEnd end) {
    Map<TopicPartition, Long> first = offsets(end);
    first.replaceAll((partition, offset) -> 0L);
    return accounting(first).setBounded(OffsetsInitializer.offsets(offsets(end))).build();
  }

  /** The accounting events after an end of their topic; the source doesn't end. */
  public KafkaSource<RawRecord> laterAccounting(TopicEnd end) {
    return accounting(offsets(end)).build();
  }

  /** The source fails if an offset is missing: elsewhere, it would miss events or repeat them. */
  @SuppressWarnings("deprecation") // the connector's interface still uses this class
  private KafkaSourceBuilder<RawRecord> accounting(Map<TopicPartition, Long> first) {
    Properties properties = properties(config.kafka());
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_RECORDS);
    return KafkaSource.<RawRecord>builder()
        .setTopics(config.topics().accounting())
        .setProperties(properties)
        .setStartingOffsets(OffsetsInitializer.offsets(first, OffsetResetStrategy.NONE))
        .setDeserializer(new RawDeserializer());
  }

  private Map<TopicPartition, Long> offsets(TopicEnd end) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    for (int partition = 0; partition < end.offsets().size(); partition++) {
      offsets.put(
          new TopicPartition(config.topics().accounting(), partition),
          end.offsets().get(partition));
    }
    return offsets;
  }

  /** Specs and retirements, from the beginning of their topic. */
  public KafkaSource<SpecRecord> models() {
    return specs(config.topics().models());
  }

  /** Stopped and resumed users, from the beginning of their topic. */
  public KafkaSource<SpecRecord> stops() {
    return specs(config.topics().stops());
  }

  /** Anonymous reports, from the beginning of their topic. */
  public KafkaSource<RawRecord> anonymous() {
    Properties properties = consumerProperties();
    properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MOST_RECORDS);
    return KafkaSource.<RawRecord>builder()
        .setTopics(config.topics().anonymous())
        .setProperties(properties)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setDeserializer(new RawDeserializer())
        .build();
  }

  /** The public keys of tokens, from the beginning of their topic. */
  public KafkaSource<SpecRecord> tokenKeys() {
    return specs(config.topics().tokenKeys());
  }

  private KafkaSource<SpecRecord> specs(String topic) {
    return KafkaSource.<SpecRecord>builder()
        .setTopics(topic)
        .setProperties(consumerProperties())
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setDeserializer(new SpecDeserializer())
        .build();
  }

  /** One of the sinks, which writes in one transaction per subtask and checkpoint. */
  public KafkaSink<OutboundRecord> sink(OutputSink sink) {
    return KafkaSink.<OutboundRecord>builder()
        .setBootstrapServers(config.kafka().get("bootstrap.servers"))
        .setKafkaProducerConfig(producerProperties())
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
        .setTransactionalIdPrefix(sink.transactions(config.topics().updates()))
        .setRecordSerializer(new OutboundSerializer(config))
        .build();
  }

  /**
   * Properties of the sinks' producers. Settings of the user replace compression, batches and the
   * memory for them.
   *
   * @throws IllegalArgumentException if the user's {@code buffer.memory} doesn't hold the largest
   *     record
   */
  public Properties producerProperties() {
    Properties properties = properties(config.kafka());
    properties.putIfAbsent(ProducerConfig.COMPRESSION_TYPE_CONFIG, KafkaTopics.COMPRESSION);
    properties.putIfAbsent(ProducerConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, KafkaTopics.ZSTD_LEVEL);
    // A commit flushes waiting records, so lingering delays no visible record: it only makes
    // batches larger, and a batch is compressed as a whole.
    properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, "1000");
    properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, String.valueOf(BATCH_BYTES));
    int largest = limits.largestRecord();
    properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, String.valueOf(largest));
    properties.putIfAbsent(
        ProducerConfig.BUFFER_MEMORY_CONFIG, String.valueOf(Math.max(32L << 20, 4L * largest)));
    requireRoom(properties.getProperty(ProducerConfig.BUFFER_MEMORY_CONFIG), largest);
    properties.put(
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
        String.valueOf(limits.transactionTimeout().toMillis()));
    return properties;
  }

  /** The producer itself refuses such a record only when it comes, and would then end the job. */
  private static void requireRoom(String memory, int largestRecord) {
    try {
      if (Long.parseLong(memory.strip()) >= largestRecord) {
        return;
      }
    } catch (NumberFormatException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException(
        "kafka.%s is '%s'; it must be a number of bytes of at least %d, the largest record of the output topics"
            .formatted(ProducerConfig.BUFFER_MEMORY_CONFIG, memory, largestRecord));
  }

  private Properties consumerProperties() {
    Properties properties = properties(config.kafka());
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, group(config));
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.putIfAbsent(KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(), DISCOVERY_MS);
    // The metric unread-partitions looks for the group's positions.
    properties.put(KafkaSourceOptions.COMMIT_OFFSETS_ON_CHECKPOINT.key(), "true");
    return properties;
  }

  /**
   * The outputs, with which a start compares its state.
   *
   * @param ends where they ended when the job was submitted
   */
  public KafkaVisibleOutputs visible(OutputEnds ends) {
    return new KafkaVisibleOutputs(
        config.kafka(),
        config.topics(),
        ends,
        outputs(config),
        OutputSink.allTransactions(config.topics().updates()),
        inputs(config));
  }

  /** The topics that the sinks write to. */
  public static Set<String> outputs(JobConfig config) {
    Topics topics = config.topics();
    Set<String> written =
        new HashSet<>(
            Set.of(
                topics.accountAnswers(),
                topics.updates(),
                topics.accounting(),
                topics.guarantees(),
                topics.deadLetters(),
                topics.rawDeadLetters(),
                topics.progress()));
    // Without a journal the topic may be missing, or the job may lack rights on it.
    if (config.journal()) {
      written.add(topics.journal());
    }
    if (config.anonymous()) {
      written.add(topics.grants());
    }
    return written;
  }

  /** The topics that the sources read, and the group to which they commit their positions. */
  public static JobInputs inputs(JobConfig config) {
    Set<String> topics =
        new HashSet<>(
            Set.of(
                config.topics().gradients(),
                config.topics().rawGradients(),
                config.topics().erasures(),
                config.topics().stops(),
                config.topics().accountRequests(),
                config.topics().models()));
    if (config.anonymous()) {
      topics.add(config.topics().anonymous());
      topics.add(config.topics().tokenKeys());
    }
    return new JobInputs(topics, group(config));
  }

  /**
   * Consumer group to which the sources commit their offsets; unless it is set, a function of the
   * updates topic.
   */
  public static String group(JobConfig config) {
    return config
        .kafka()
        .getOrDefault(ConsumerConfig.GROUP_ID_CONFIG, "croupier-" + config.topics().updates());
  }

  private static Properties properties(Map<String, String> settings) {
    Properties properties = new Properties();
    properties.putAll(settings);
    return properties;
  }

  private static final class RawDeserializer
      implements KafkaRecordDeserializationSchema<RawRecord> {
    private static final long serialVersionUID = 1;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> in, Collector<RawRecord> out) {
      RawRecord record = new RawRecord();
      record.topic = in.topic();
      record.partition = in.partition();
      record.offset = in.offset();
      record.appendedAtMs =
          in.timestampType() == TimestampType.LOG_APPEND_TIME
              ? in.timestamp()
              : System.currentTimeMillis();
      record.key = in.key();
      record.value = in.value();
      out.collect(record);
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
      return RecordType.RAW;
    }
  }

  private static final class SpecDeserializer
      implements KafkaRecordDeserializationSchema<SpecRecord> {
    private static final long serialVersionUID = 1;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> in, Collector<SpecRecord> out) {
      out.collect(spec(in));
    }

    @Override
    public TypeInformation<SpecRecord> getProducedType() {
      return TypeInformation.of(SpecRecord.class);
    }
  }

  static SpecRecord spec(ConsumerRecord<byte[], byte[]> in) {
    SpecRecord record = new SpecRecord();
    record.topic = in.topic();
    record.modelId = in.key() == null ? "" : new String(in.key(), StandardCharsets.UTF_8);
    record.partition = in.partition();
    record.offset = in.offset();
    record.value = in.value();
    return record;
  }

  private static final class OutboundSerializer
      implements KafkaRecordSerializationSchema<OutboundRecord>, KafkaDatasetFacetProvider {
    private static final long serialVersionUID = 1;

    private final Topics topics;
    private final ArrayList<String> written;

    OutboundSerializer(JobConfig config) {
      topics = config.topics();
      written = new ArrayList<>(outputs(config));
    }

    /** The topics on which an earlier run may have left pooled transactions open. */
    @Override
    public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
      return Optional.of(
          new DefaultKafkaDatasetFacet(DefaultKafkaDatasetIdentifier.ofTopics(written)));
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
        OutboundRecord record, KafkaSinkContext context, Long timestamp) {
      String topic =
          switch (record.destination) {
            case UPDATES -> topics.updates();
            case ACCOUNTING -> topics.accounting();
            case GUARANTEES -> topics.guarantees();
            case JOURNAL -> topics.journal();
            case DEAD_LETTERS -> topics.deadLetters();
            case RAW_DEAD_LETTERS -> topics.rawDeadLetters();
            case PROGRESS -> topics.progress();
            case GRANTS -> topics.grants();
            case ACCOUNT_ANSWERS -> topics.accountAnswers();
          };
      Integer partition =
          switch (record.destination) {
            // A start finds a transaction by its first record of progress, so all of them are in
            // one partition.
            case PROGRESS -> 0;
            // All events of a user are in one partition, as Kafka chooses it by the user.
            case ACCOUNTING ->
                Utils.toPositive(Utils.murmur2(AccountingKey.user(record.key)))
                    % context.getPartitionsForTopic(topic).length;
            default -> null;
          };
      ProducerRecord<byte[], byte[]> out =
          new ProducerRecord<>(topic, partition, record.key, record.value);
      for (int i = 0; i < record.headerNames.length; i++) {
        out.headers().add(record.headerNames[i], record.headerValues[i]);
      }
      return out;
    }
  }
}
