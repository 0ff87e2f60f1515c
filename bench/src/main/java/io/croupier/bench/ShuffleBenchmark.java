package io.croupier.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.shuffle.RecordType;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Writing and reading the records that cross the network once for each report of 10 coordinates, in
 * their own format and in that of Flink's POJO serializer.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ShuffleBenchmark {
  private static final int RECORDS = 256;
  private static final int DIMENSION = 10;
  private static final int EVENT_BYTES = 190;

  /** The kind of record. */
  @Param({"report", "sum", "event"})
  public String record;

  /** The format. */
  @Param({"own", "pojo"})
  public String format;

  private final Random random = new Random(1);
  private final DataOutputSerializer out = new DataOutputSerializer(1 << 20);
  private final DataInputDeserializer in = new DataInputDeserializer();
  private Records<?> records;
  private byte[] bytes;

  /** Some records and their serializer. */
  private record Records<T>(TypeSerializer<T> serializer, List<T> all) {
    void write(DataOutputSerializer out) throws IOException {
      for (T next : all) {
        serializer.serialize(next, out);
      }
    }

    void read(DataInputDeserializer in, Blackhole sink) throws IOException {
      for (int i = 0; i < all.size(); i++) {
        sink.consume(serializer.deserialize(in));
      }
    }
  }

  /** Creates and writes the records. */
  @Setup
  public void prepare() throws IOException {
    records =
        switch (record) {
          case "report" -> of(RecordType.REPORT, reports());
          case "sum" -> of(RecordType.ROUND_SUM, sums());
          case "event" -> of(RecordType.OUTBOUND, events());
          default -> throw new IllegalArgumentException("record is " + record);
        };
    records.write(out);
    bytes = out.getCopyOfBuffer();
  }

  private <T> Records<T> of(TypeInformation<T> own, T[] all) {
    TypeInformation<T> type = format.equals("own") ? own : TypeInformation.of(own.getTypeClass());
    return new Records<>(type.createSerializer(new SerializerConfigImpl()), List.of(all));
  }

  private Report[] reports() {
    Report[] reports = new Report[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
      Report report = new Report();
      report.modelId = "model-0";
      report.userId = "user-" + random.nextInt(10_000);
      report.deviceId = "8d2ad0f2b6f04e4c";
      report.sequence = i;
      report.appendedAtMs = 1_700_000_000_000L + i;
      report.dimension = DIMENSION;
      report.values = values();
      report.declaration = Declaration.GAUSSIAN;
      report.level = 1;
      report.digest = random.nextLong();
      report.offset = 1_000_000L + i;
      reports[i] = report;
    }
    return reports;
  }

  private byte[] values() {
    return PackedVectors.encode(random.ints(DIMENSION).toArray());
  }

  private RoundSum[] sums() {
    RoundSum[] sums = new RoundSum[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
      RoundSum sum = new RoundSum();
      sum.modelId = "model-0";
      sum.count = 1;
      sum.directionalVariance = 1;
      sum.dimension = DIMENSION;
      sum.values = values();
      sum.appendedAtMs = 1_700_000_000_000L + i;
      sums[i] = sum;
    }
    return sums;
  }

  private OutboundRecord[] events() {
    OutboundRecord[] events = new OutboundRecord[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
      byte[] key = ("user-" + random.nextInt(10_000)).getBytes(UTF_8);
      byte[] value = new byte[EVENT_BYTES];
      random.nextBytes(value);
      events[i] = new OutboundRecord(Destination.ACCOUNTING, key, value);
    }
    return events;
  }

  /** Returns how many bytes all records take. */
  int bytes() {
    return bytes.length;
  }

  /** Writes all records. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public int write() throws IOException {
    out.clear();
    records.write(out);
    return out.length();
  }

  /** Reads all records. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public void read(Blackhole sink) throws IOException {
    in.setBuffer(bytes);
    records.read(in, sink);
  }
}
