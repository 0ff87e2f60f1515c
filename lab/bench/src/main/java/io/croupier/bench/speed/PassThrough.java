package io.croupier.bench.speed;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
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
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The cost of any exactly-once job: it copies records unchanged from one topic to another, with
 * source and sink in one thread.
 */
final class PassThrough {
  private PassThrough() {}

  /** Starts the job, with the source and the sink set as {@code CroupierJob} sets its own. */
  static JobClient submit(
      StreamExecutionEnvironment env,
      String bootstrapServers,
      String from,
      String to,
      int parallelism,
      Duration interval)
      throws Exception {
    env.setParallelism(parallelism);
    env.getConfig().enableObjectReuse();
    env.enableCheckpointing(interval.toMillis(), CheckpointingMode.EXACTLY_ONCE);
    Properties consumer = new Properties();
    consumer.putAll(KafkaClients.consumer());
    Properties producer = new Properties();
    producer.putAll(KafkaClients.producer());
    KafkaSource<byte[]> source =
        KafkaSource.<byte[]>builder()
            .setBootstrapServers(bootstrapServers)
            .setTopics(from)
            .setGroupId(to)
            .setProperties(consumer)
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDeserializer(new Bytes())
            .build();
    KafkaSink<byte[]> sink =
        KafkaSink.<byte[]>builder()
            .setBootstrapServers(bootstrapServers)
            .setKafkaProducerConfig(producer)
            .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
            .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
            .setTransactionalIdPrefix(to)
            .setRecordSerializer(new Copies(to))
            .build();
    env.fromSource(source, WatermarkStrategy.noWatermarks(), "records").sinkTo(sink);
    return env.executeAsync("pass-through");
  }

  private static final class Bytes implements KafkaRecordDeserializationSchema<byte[]> {
    private static final long serialVersionUID = 1;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<byte[]> out) {
      out.collect(record.value());
    }

    @Override
    public TypeInformation<byte[]> getProducedType() {
      return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    }
  }

  private static final class Copies
      implements KafkaRecordSerializationSchema<byte[]>, KafkaDatasetFacetProvider {
    private static final long serialVersionUID = 1;

    private final String topic;

    Copies(String topic) {
      this.topic = topic;
    }

    /** The topics on which pooled transactions may be open. */
    @Override
    public Optional<KafkaDatasetFacet> getKafkaDatasetFacet() {
      return Optional.of(
          new DefaultKafkaDatasetFacet(DefaultKafkaDatasetIdentifier.ofTopics(List.of(topic))));
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(
        byte[] record, KafkaSinkContext context, Long timestamp) {
      return new ProducerRecord<>(topic, record);
    }
  }
}
