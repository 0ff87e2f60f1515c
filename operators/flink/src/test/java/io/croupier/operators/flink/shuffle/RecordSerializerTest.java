package io.croupier.operators.flink.shuffle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.ledger.ModelAccountSerializer;
import io.croupier.operators.flink.ledger.StoredAccountSerializer;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.model.RoundSum;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The format of the records that cross the network, and of accounts in state. */
class RecordSerializerTest {
  private static final int RECORDS = Integer.getInteger("inputs", 2000);

  static Stream<RecordSerializer<?>> serializers() {
    return Stream.concat(transit(), state());
  }

  static Stream<RecordSerializer<?>> state() {
    return Stream.of(new StoredAccountSerializer(), new ModelAccountSerializer());
  }

  static Stream<RecordSerializer<?>> transit() {
    return Stream.of(RecordType.RAW, RecordType.ROUND_SUM, RecordType.OUTBOUND)
        .map(type -> (RecordSerializer<?>) type.createSerializer(new SerializerConfigImpl()));
  }

  private static <T> byte[] bytes(TypeSerializer<T> serializer, T record) {
    DataOutputSerializer out = new DataOutputSerializer(16);
    try {
      serializer.serialize(record, out);
    } catch (IOException e) {
      throw new AssertionError("A record that can't be written", e);
    }
    return out.getCopyOfBuffer();
  }

  /** Reads a record, and requires that it consists of all bytes. */
  private static <T> T read(TypeSerializer<T> serializer, byte[] bytes) throws IOException {
    DataInputDeserializer in = new DataInputDeserializer(bytes);
    T record = serializer.deserialize(in);
    assertThat(in.available()).isZero();
    return record;
  }

  private static void assertEqual(Object record, Object expected) {
    for (Field field : RandomRecords.fields(expected.getClass())) {
      assertThat(RandomRecords.comparable(RandomRecords.get(field, record)))
          .as(field.getName())
          .isEqualTo(RandomRecords.comparable(RandomRecords.get(field, expected)));
    }
  }

  @ParameterizedTest
  @MethodSource("serializers")
  <T> void randomRecordsAreReadAsTheyWereWritten(RecordSerializer<T> serializer) throws Exception {
    Random random = new Random(1);
    T reused = RandomRecords.record(serializer::createInstance, random);
    for (int i = 0; i < RECORDS; i++) {
      T record = RandomRecords.record(serializer::createInstance, random);
      byte[] bytes = bytes(serializer, record);
      assertEqual(read(serializer, bytes), record);
      assertEqual(serializer.deserialize(reused, new DataInputDeserializer(bytes)), record);
      assertEqual(serializer.copy(record), record);
      assertEqual(serializer.copy(record, reused), record);
    }
  }

  /** A checkpoint of the heap writes to a stream, where each write takes as long as a record. */
  @ParameterizedTest
  @MethodSource("serializers")
  <T> void aStreamReceivesARecordInFewPieces(RecordSerializer<T> serializer) throws Exception {
    Random random = new Random(5);
    List<Integer> pieces = new ArrayList<>();
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    DataOutputViewStreamWrapper stream =
        new DataOutputViewStreamWrapper(
            new OutputStream() {
              @Override
              public void write(int b) {
                pieces.add(1);
                received.write(b);
              }

              @Override
              public void write(byte[] bytes, int from, int length) {
                pieces.add(length);
                received.write(bytes, from, length);
              }
            });
    for (int i = 0; i < RECORDS; i++) {
      T record = RandomRecords.record(serializer::createInstance, random);
      pieces.clear();
      received.reset();

      serializer.serialize(record, stream);

      byte[] bytes = received.toByteArray();
      assertThat(bytes).isEqualTo(bytes(serializer, record));
      assertThat(pieces).hasSizeLessThanOrEqualTo(1 + bytes.length / 250);
    }
  }

  /** Alone, each field is carried: a serialiser without it would read its initial value. */
  @ParameterizedTest
  @MethodSource("serializers")
  <T> void everyFieldIsCarried(RecordSerializer<T> serializer) throws Exception {
    Random random = new Random(2);
    for (Field field : RandomRecords.fields(serializer.createInstance().getClass())) {
      T record = serializer.createInstance();
      Object initial = RandomRecords.get(field, record);
      Object value = initial;
      while (value == null || Objects.deepEquals(value, initial)) {
        value = RandomRecords.value(field.getType(), random);
      }
      RandomRecords.set(field, record, value);
      assertEqual(read(serializer, bytes(serializer, record)), record);
      assertEqual(serializer.copy(record), record);
    }
  }

  @ParameterizedTest
  @MethodSource("serializers")
  <T> void everyObjectMayBeNullAndEveryArrayEmpty(RecordSerializer<T> serializer) throws Exception {
    assertEqual(
        read(serializer, bytes(serializer, serializer.createInstance())),
        serializer.createInstance());
    for (Field field : RandomRecords.fields(serializer.createInstance().getClass())) {
      if (!field.getType().isPrimitive()) {
        T record = serializer.createInstance();
        RandomRecords.set(field, record, null);
        assertEqual(read(serializer, bytes(serializer, record)), record);
      }
    }
  }

  @Test
  void elementsOfArraysMayBeNull() throws Exception {
    OutboundRecord record = new OutboundRecord();
    record.headerNames = new String[] {null, ""};
    record.headerValues = new byte[][] {{}, null};
    TypeSerializer<OutboundRecord> serializer = new OutboundRecordSerializer();
    assertEqual(read(serializer, bytes(serializer, record)), record);
  }

  @Test
  void numbersAndPositionsHaveTheirWholeRange() throws Exception {
    RoundSum sum = new RoundSum();
    sum.count = Integer.MIN_VALUE;
    sum.namedRound = Long.MIN_VALUE;
    sum.specOffset = Long.MAX_VALUE;
    sum.directionalVariance = -0.0;
    sum.response = Double.NaN;
    sum.indices = new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE, 0};
    sum.offsets = new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 0, Long.MIN_VALUE};
    TypeSerializer<RoundSum> serializer = new RoundSumSerializer();
    assertEqual(read(serializer, bytes(serializer, sum)), sum);
  }

  /** Around the size of the writer's buffer. */
  @Test
  void bytesOfAnyLengthAreCarried() throws Exception {
    TypeSerializer<RawRecord> serializer = new RawRecordSerializer();
    for (int length : new int[] {0, 400, 470, 480, 490, 500, 511, 512, 513, 1 << 20}) {
      for (int more = 0; more < 10; more++) {
        RawRecord record = new RawRecord();
        record.topic = "t".repeat(more);
        record.key = new byte[length + more];
        Arrays.fill(record.key, (byte) more);
        record.value = new byte[] {1, 2, 3};
        assertEqual(read(serializer, bytes(serializer, record)), record);
      }
    }
  }

  /** More names than a reader keeps, and names of the same hash. */
  @Test
  void namesAreSharedByTheRecordsThatContainThem() throws Exception {
    TypeSerializer<RoundSum> serializer = new RoundSumSerializer();
    for (int i = 0; i < 10_000; i++) {
      RoundSum sum = new RoundSum();
      sum.modelId = "model-" + i % 300;
      sum.question = i % 2 == 0 ? "Aa" : "BB";
      assertEqual(read(serializer, bytes(serializer, sum)), sum);
    }
    RoundSum sum = new RoundSum();
    sum.modelId = "m";
    byte[] bytes = bytes(serializer, sum);
    assertThat(read(serializer, bytes).modelId).isSameAs(read(serializer, bytes).modelId);
  }

  @Test
  void aRawRecordTakesFewBytesBesidesItsKeyAndValue() {
    RawRecord record = new RawRecord();
    record.topic = "gradients";
    record.partition = 7;
    record.offset = 1_000_000;
    record.appendedAtMs = 1_700_000_000_000L;
    record.key = new byte[9];
    record.value = new byte[100];
    assertThat(bytes(new RawRecordSerializer(), record)).hasSize(9 + 100 + 25);
  }

  /** A shuffle of release 0.2.0 carried decoded reports. */
  @Test
  void reportsInUnalignedCheckpointsOfEarlierReleasesAreRefused() throws Exception {
    try (InputStream in = RecordSerializerTest.class.getResourceAsStream("/shuffle/Report.1.txt")) {
      String kept = new String(in.readAllBytes(), UTF_8);
      byte[] report = HexFormat.of().parseHex(kept.lines().findFirst().orElseThrow());
      assertThatThrownBy(() -> read(new RawRecordSerializer(), report))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("has format 1; this release reads 2 to 2. Restore a savepoint");
    }
  }

  @ParameterizedTest
  @MethodSource("transit")
  <T> void copiesShareArraysOnly(RecordSerializer<T> serializer) {
    T record = RandomRecords.record(serializer::createInstance, new Random(3));
    T copy = serializer.copy(record);
    assertThat(copy).isNotSameAs(record);
    for (Field field : RandomRecords.fields(record.getClass())) {
      if (field.getType().isArray()) {
        assertThat(RandomRecords.get(field, copy)).isSameAs(RandomRecords.get(field, record));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("serializers")
  <T> void recordsCanBeCopiedFromBytesToBytes(RecordSerializer<T> serializer) throws Exception {
    byte[] bytes =
        bytes(serializer, RandomRecords.record(serializer::createInstance, new Random(4)));
    DataOutputSerializer out = new DataOutputSerializer(16);
    serializer.copy(new DataInputDeserializer(bytes), out);
    assertThat(out.getCopyOfBuffer()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @MethodSource("serializers")
  <T> void serializersAndTypesTravelWithTheJobGraph(RecordSerializer<T> serializer)
      throws Exception {
    T record = RandomRecords.record(serializer::createInstance, new Random(5));
    byte[] bytes = bytes(serializer, record);
    RecordSerializer<T> other = InstantiationUtil.clone(serializer);
    assertThat(other).isEqualTo(serializer).hasSameHashCodeAs(serializer);
    assertEqual(read(other, bytes), record);
    assertThat(serializer.duplicate()).isEqualTo(serializer).isNotSameAs(serializer);
    assertThat(InstantiationUtil.clone(RecordType.RAW))
        .isEqualTo(RecordType.RAW)
        .isNotEqualTo(RecordType.ROUND_SUM);
  }

  /** An unaligned checkpoint of an earlier release contains records of the POJO serializer. */
  @ParameterizedTest
  @MethodSource("transit")
  <T> void recordsOfOtherFormatsAreRefused(RecordSerializer<T> serializer) {
    T record = RandomRecords.record(serializer::createInstance, new Random(6));
    @SuppressWarnings("unchecked")
    Class<T> type = (Class<T>) record.getClass();
    byte[] pojo =
        bytes(TypeInformation.of(type).createSerializer(new SerializerConfigImpl()), record);
    assertThatThrownBy(() -> read(serializer, pojo))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Restore a savepoint");
    byte[] later = bytes(serializer, record);
    later[0]++;
    assertThatThrownBy(() -> read(serializer, later))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Restore a savepoint");
  }

  @ParameterizedTest
  @MethodSource("state")
  <T> void recordsInStateOfALaterVersionAreRefused(RecordSerializer<T> serializer) {
    byte[] later = bytes(serializer, serializer.createInstance());
    later[0]++;
    assertThatThrownBy(() -> read(serializer, later))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the release that wrote it, or a later one");
  }

  /** The heap backend copies what a checkpoint still reads; the ledger changes its copy. */
  @Test
  void copiesOfStateShareNothingThatChanges() {
    StoredAccount account = RandomRecords.record(StoredAccount::new, new Random(9));
    account.totals = new Totals();
    ModelAccount model = new ModelAccount("m");
    model.runningZeta = RunningZeta.ofTree(4);
    account.models = new ModelAccount[] {model};
    DeviceWindow window = new DeviceWindow("d");
    window.digests = new long[] {1};
    account.windows = new DeviceWindow[] {window};
    StoredAccount copy = new StoredAccountSerializer().copy(account);
    copy.totals.reports = 7;
    copy.models[0].totals.reports = 7;
    copy.models[0].runningZeta.charge(0);
    copy.windows[0].highest = 7;
    copy.windows[0].digests[0] = 7;
    assertThat(account.totals.reports).isZero();
    assertThat(model.totals.reports).isZero();
    assertThat(model.runningZeta.counts).containsOnly(0);
    assertThat(window.highest).isZero();
    assertThat(window.digests).containsExactly(1);
  }

  @ParameterizedTest
  @MethodSource("serializers")
  <T> void truncatedRecordsAreRefused(RecordSerializer<T> serializer) {
    byte[] bytes =
        bytes(serializer, RandomRecords.record(serializer::createInstance, new Random(7)));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> read(serializer, cut)).isInstanceOf(IOException.class);
    }
  }

  /**
   * The resources contain a record of each version, its bytes and then its fields. A serializer
   * writes the bytes of its version and reads those of all versions.
   */
  @ParameterizedTest
  @MethodSource("serializers")
  <T> void bytesOfAllVersionsAreRead(RecordSerializer<T> serializer) throws Exception {
    Class<?> type = serializer.createInstance().getClass();
    for (int version = serializer.earliest(); version <= serializer.version(); version++) {
      String file = "/shuffle/%s.%d.txt".formatted(type.getSimpleName(), version);
      try (InputStream in = RecordSerializerTest.class.getResourceAsStream(file)) {
        assertThat(in)
            .as(
                "Each version keeps a record in src/test/resources%s, for example%n%s%n",
                file, text(serializer, complete(serializer)))
            .isNotNull();
        String kept = new String(in.readAllBytes(), UTF_8);
        T record =
            read(serializer, HexFormat.of().parseHex(kept.lines().findFirst().orElseThrow()));
        List<String> fields = kept.lines().skip(1).toList();
        T initial = serializer.createInstance();
        for (Field field : RandomRecords.fields(type)) {
          String line = line(field, record);
          if (fields.stream().noneMatch(other -> other.startsWith(field.getName() + ": "))) {
            assertThat(line).as("a field of a later version").isEqualTo(line(field, initial));
          } else {
            assertThat(fields).contains(line);
            assertThat(line).isNotEqualTo(line(field, initial));
          }
        }
        if (version == serializer.version()) {
          assertThat(text(serializer, record))
              .as("A record has changed: if a release has written this version, use the next one")
              .isEqualTo(kept);
        }
      }
    }
  }

  /** A record with no field that is null or at its initial value. */
  private static <T> T complete(RecordSerializer<T> serializer) {
    T initial = serializer.createInstance();
    Random random = new Random(8);
    T record = initial;
    List<String> initially =
        RandomRecords.fields(initial.getClass()).stream().map(f -> line(f, initial)).toList();
    for (boolean complete = false; !complete; ) {
      T next = RandomRecords.record(serializer::createInstance, random);
      record = next;
      complete =
          RandomRecords.fields(initial.getClass()).stream()
              .map(field -> line(field, next))
              .noneMatch(line -> line.contains("null") || initially.contains(line));
    }
    return record;
  }

  private static <T> String text(RecordSerializer<T> serializer, T record) {
    List<String> lines = new ArrayList<>();
    RandomRecords.fields(record.getClass()).forEach(field -> lines.add(line(field, record)));
    lines.sort(String::compareTo);
    lines.add(0, HexFormat.of().formatHex(bytes(serializer, record)));
    return String.join("\n", lines) + "\n";
  }

  private static String line(Field field, Object record) {
    return field.getName()
        + ": "
        + RandomRecords.text(RandomRecords.comparable(RandomRecords.get(field, record)));
  }

  @ParameterizedTest
  @MethodSource("serializers")
  <T> void snapshotsKeepTheVersion(RecordSerializer<T> serializer) throws Exception {
    DataOutputSerializer out = new DataOutputSerializer(16);
    TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
    TypeSerializerSnapshot<T> kept =
        TypeSerializerSnapshot.readVersionedSnapshot(
            new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
    assertThat(kept.restoreSerializer()).isEqualTo(serializer);
    assertThat(
            serializer.snapshotConfiguration().resolveSchemaCompatibility(kept).isCompatibleAsIs())
        .isTrue();
    kept.readSnapshot(
        serializer.version() + 1,
        new DataInputDeserializer(new byte[0]),
        getClass().getClassLoader());
    assertThat(serializer.snapshotConfiguration().resolveSchemaCompatibility(kept).isIncompatible())
        .isTrue();
  }

  @Test
  void statesOfThePojoSerializerAreNotReadAsThese() {
    assertThat(
            new RoundSumSerializer()
                .snapshotConfiguration()
                .resolveSchemaCompatibility(
                    TypeInformation.of(RoundSum.class)
                        .createSerializer(new SerializerConfigImpl())
                        .snapshotConfiguration())
                .isIncompatible())
        .isTrue();
  }
}
