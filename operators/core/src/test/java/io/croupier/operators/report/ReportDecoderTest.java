package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import com.sun.management.ThreadMXBean;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.view.CoordinateLaplaceView;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.SparseView;
import io.croupier.schemas.view.VectorView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReportDecoderTest {
  private static final Source SOURCE = new Source("gradients", 1, 42, 9);
  private static final String IDS = "model_id: 'm' round: 3 user_id: 'u' sequence: 5 ";
  private static final byte[] KEY = "u".getBytes(UTF_8);

  private final ReportDecoder decoder = new ReportDecoder();

  private Received decode(byte[] value) {
    return decoder.decode(KEY, value, false, SOURCE);
  }

  /** The report of a text. */
  private Report decode(String text) {
    return report(decode(bytes(text)));
  }

  private Received raw(byte[] value) {
    return decoder.decode(KEY, value, true, SOURCE);
  }

  private static byte[] bytes(String text) {
    return Specs.parse(IDS + text, GradientReport.class).toByteArray();
  }

  private static Report report(Received decoded) {
    assertThat(decoded).isInstanceOf(Report.class);
    return (Report) decoded;
  }

  private static Received.Malformed malformed(Received decoded) {
    assertThat(decoded).isInstanceOf(Received.Malformed.class);
    return (Received.Malformed) decoded;
  }

  private static VectorContent vector(Report report) {
    return (VectorContent) report.content();
  }

  private static CoordinateLaplaceMechanism coordinates(Report report) {
    return (CoordinateLaplaceMechanism) report.mechanism();
  }

  @Test
  void readsADenseReport() throws Exception {
    byte[] value =
        bytes(
            "device_id: 'd' created_at_ms: 9 dense { values: [0.5, -2] } l2_laplace { epsilon: 0.1 }");
    Report report = report(decode(value));
    assertThat(report.header()).isEqualTo(new Header("m", 3, "u", "d", 5, 9, 0));
    assertThat(vector(report).form()).isEqualTo(VectorForm.DENSE);
    assertThat(vector(report).dimension()).isEqualTo(2);
    assertThat(PackedVectors.doubleAt(vector(report).values(), 0)).isEqualTo(0.5);
    assertThat(PackedVectors.doubleAt(vector(report).values(), 1)).isEqualTo(-2);
    assertThat(report.mechanism()).isEqualTo(new L2LaplaceMechanism(0.1, 2));
    assertThat(report.source()).isEqualTo(SOURCE);
    byte[] hash = MessageDigest.getInstance("SHA-256").digest(value);
    assertThat(report.digest()).isEqualTo(PackedVectors.longAt(hash, 0));
  }

  @Test
  void aKeyDecidesTheDigest() {
    byte[] value = bytes("dense { values: [0.5, -2] } l2_laplace { epsilon: 0.1 }");
    List<Long> digests = new ArrayList<>();
    for (DigestKey key : List.of(new DigestKey(1, 2), new DigestKey(1, 3), DigestKey.NONE)) {
      ReportDecoder keyed = new ReportDecoder(key);
      long digest = digest(keyed, value);
      assertThat(digest(keyed, value.clone())).isEqualTo(digest);
      digests.add(digest);
    }
    assertThat(digests).doesNotHaveDuplicates();
  }

  private static long digest(ReportDecoder keyed, byte[] value) {
    return report(keyed.decode(KEY, value, false, SOURCE)).digest();
  }

  @Test
  void readsTheOtherForms() {
    Report grid = decode("grid { values: [-2147483648, 7] } gaussian { mu: 0.5 }");
    assertThat(vector(grid).form()).isEqualTo(VectorForm.GRID);
    assertThat(vector(grid).values())
        .isEqualTo(PackedVectors.encode(new int[] {Integer.MIN_VALUE, 7}));
    assertThat(vector(grid).dimension()).isEqualTo(2);
    assertThat(grid.mechanism()).isEqualTo(new GaussianMechanism(0.5));
    VectorContent sparse =
        vector(decode("sparse { dimension: 9 indices: [8, 2] values: [1, 2] } undisclosed {}"));
    assertThat(sparse.form()).isEqualTo(VectorForm.SPARSE);
    assertThat(sparse.dimension()).isEqualTo(9);
    assertThat(sparse.indices()).containsExactly(8, 2);
    assertThat(PackedVectors.doubleAt(sparse.values(), 1)).isEqualTo(2);
    CoordinateLaplaceMechanism taus =
        coordinates(decode("grid { values: [1, 2] } coordinate_laplace { taus: [inf, 0.25] }"));
    assertThat(taus.tau(0)).isInfinite();
    assertThat(taus.tau(1)).isEqualTo(0.25);
    assertThat(taus.clip()).isEqualTo(DeclaredClip.UNSPECIFIED);
    Report clipped = decode("grid { values: 1 } coordinate_laplace { taus: 2 clip: L2 }");
    assertThat(coordinates(clipped).clip()).isEqualTo(DeclaredClip.L2);
    Report sparseTaus =
        decode(
            "sparse { dimension: 10000000 indices: [8, 2] values: [1, 2] }"
                + " coordinate_laplace { taus: [3, 4] clip: COORDINATES }");
    CoordinateLaplaceMechanism named = coordinates(sparseTaus);
    assertThat(named.clip()).isEqualTo(DeclaredClip.COORDINATES);
    assertThat(vector(sparseTaus).dimension()).isEqualTo(10_000_000);
    assertThat(named.openCoordinates()).isEqualTo(10_000_000 - 2);
    assertThat(named.count()).isEqualTo(2);
    assertThat(named.tau(1)).isEqualTo(4);
    Report example = report(raw(bytes("example { x: [1, 2] y: 3 } central {}")));
    assertThat(example.content())
        .usingRecursiveComparison()
        .isEqualTo(new ExampleContent(PackedVectors.encode(new double[] {1, 2}), 3));
    assertThat(example.mechanism()).isEqualTo(CentralNoise.CENTRAL);
  }

  /** The outcome of a raw report can be observed, so it must not depend on its values. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "dense { values: [0.5, %s] } central {}",
        "sparse { dimension: 9 indices: 4 values: %s } central {}",
        "example { x: [0.5, %s] y: 1 } central {}",
        "example { x: [0.5, 0.5] y: %s } central {}"
      })
  void aRawReportIsReadWhateverItsValues(String text) throws Exception {
    for (String value : new String[] {"1", "nan", "inf", "-inf", "1e308"}) {
      byte[] bytes = bytes(text.formatted(value));
      Report read = report(raw(bytes));
      Report parsed = MessageReader.read(GradientReport.parseFrom(bytes), read.digest(), SOURCE);
      assertThat(ReportDecoderFuzzTest.same(read, parsed)).isTrue();
      assertThat(raw(unpacked(bytes))).isInstanceOf(Report.class);
    }
  }

  /** The same message with an unknown field, so that it is parsed value by value. */
  private static byte[] unpacked(byte[] report) throws IOException {
    GradientReport message = GradientReport.parseFrom(report);
    UnknownFieldSet more =
        UnknownFieldSet.newBuilder()
            .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
            .build();
    GradientReport.Builder builder = message.toBuilder();
    switch (message.getGradientCase()) {
      case DENSE -> builder.getDenseBuilder().setUnknownFields(more);
      case SPARSE -> builder.getSparseBuilder().setUnknownFields(more);
      default -> builder.getExampleBuilder().setUnknownFields(more);
    }
    return builder.build().toByteArray();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dense { values: nan } undisclosed {}         | dense.values must be finite",
        "dense {} undisclosed {}                      | dense.values must not be empty",
        "dense { values: 1 }                          | declaration is missing or unknown: it must be one of undisclosed, l2_laplace, coordinate_laplace, gaussian, priv_unit, randomised_response, hashed_response",
        "dense { values: 1 } l2_laplace { epsilon: -2 } | l2_laplace.epsilon is -2.0: it must be a finite number above 0",
        "sparse { dimension: 2 indices: [1, 1] values: [1, 2] } undisclosed {} | sparse.indices must be from 0 to dimension - 1, none of them twice",
        "sparse { dimension: 2 indices: 1 values: 1 } coordinate_laplace { taus: [1, 2] clip: COORDINATES } | coordinate_laplace.taus is of length 2: it must be of length 1, one for each of sparse.indices",
        "grid { values: [1, 2] } coordinate_laplace { taus: 1 } | coordinate_laplace.taus is of length 1: it must be of length 2, one for each of the coordinates",
      })
  void givesTheReasonOfMalformedRecords(String text, String reason) throws Exception {
    boolean undeclared = reason.startsWith("declaration is missing");
    Received.Malformed malformed = malformed(decode(bytes(text)));
    assertThat(malformed.reason()).isEqualTo(reason);
    assertThat(malformed.withheld()).isEqualTo(undeclared);
    assertThat(malformed.violations())
        .singleElement()
        .satisfies(wrong -> assertThat(reason).startsWith(wrong.field() + " "));
  }

  @Test
  void keyAndUserMustAgree() throws Exception {
    byte[] value = bytes("dense { values: 1 } undisclosed {}");
    Received mismatch =
        new Received.Malformed("the record's key must be the report's user_id", false);
    assertThat(decoder.decode("v".getBytes(UTF_8), value, false, SOURCE)).isEqualTo(mismatch);
    assertThat(decoder.decode(null, value, false, SOURCE)).isEqualTo(mismatch);
    assertThat(decoder.decode(KEY, null, false, SOURCE))
        .isEqualTo(new Received.Malformed("value is missing: it must be a GradientReport", false));
  }

  @Test
  void aRawGradientInPublicIsWithheldWhateverItsOtherErrors() throws Exception {
    byte[] good = bytes("dense { values: 0.123 } central {}");
    byte[] junk = Arrays.copyOf(good, good.length + 1); // a tag of 0 is never valid
    for (byte[] value :
        new byte[][] {
          good,
          junk,
          bytes("dense { values: nan } central {}"),
          bytes("central {}"),
          bytes("example {} central {}")
        }) {
      Received.Malformed malformed = malformed(decode(value));
      assertThat(malformed.withheld()).isTrue();
      assertThat(malformed.reason()).contains("central").doesNotContain("0.123");
    }
    assertThat(malformed(decoder.decode(null, good, false, SOURCE)).withheld()).isTrue();
    assertThat(raw(good)).isInstanceOf(Report.class);
    assertThat(raw(junk))
        .isEqualTo(
            new Received.Malformed("value is not a GradientReport in Protobuf's encoding", false));
  }

  /** It may be raw, so its reason, too, must be the same for all values. */
  @Test
  void theReasonOfAnUndeclaredRecordInPublicFollowsFromNothingElse() throws Exception {
    Received undeclared = decode(bytes("dense { values: 1 }"));
    byte[] elsewhere =
        GradientReport.parseFrom(bytes("dense { values: 1 }")).toBuilder()
            .setRound(-17)
            .setUserId("")
            .build()
            .toByteArray();
    for (byte[] value :
        new byte[][] {
          elsewhere,
          bytes("dense { values: nan }"),
          bytes("dense {}"),
          bytes("sparse { dimension: -3 indices: [1, 1] values: [1, inf] }"),
          bytes("example { x: 1 y: nan }"),
          bytes("candidate { dimension: -5 }")
        }) {
      assertThat(decode(value)).isEqualTo(undeclared);
    }
  }

  /** Protobuf writes the declaration after the gradient, so a truncated record lacks it. */
  @Test
  void aRawGradientInPublicIsWithheldWhereverItIsTruncated() throws Exception {
    byte[] whole = bytes("dense { values: 0.123 } central {}");
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThat(malformed(decode(cut)).withheld()).as("first %d bytes", length).isTrue();
      assertThat(malformed(raw(cut)).withheld()).isFalse();
    }
  }

  @Test
  void noisedReportsOnTheRawTopicAreRefused() throws Exception {
    byte[] value = bytes("dense { values: 1 } l2_laplace { epsilon: 1 }");
    assertThat(raw(value))
        .isEqualTo(
            new Received.Malformed(
                "declaration is L2_LAPLACE: on the topic for raw gradients it must be central",
                false));
  }

  @Test
  void readsUnpackedAndMixedValues() throws Exception {
    UnknownFieldSet.Field unpacked =
        UnknownFieldSet.Field.newBuilder()
            .addFixed64(Double.doubleToLongBits(1))
            .addFixed64(Double.doubleToLongBits(2))
            .addLengthDelimited(littleEndian(3, 4))
            .build();
    byte[] value =
        ofDense(UnknownFieldSet.newBuilder().addField(1, unpacked).build().toByteString());
    Report report = report(decode(value));
    assertThat(vector(report).dimension()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      assertThat(PackedVectors.doubleAt(vector(report).values(), i)).isEqualTo(i + 1);
    }
  }

  /** A sparse report of no coordinate has no taus, and unpacked ones are taus, too. */
  @Test
  void unpackedTausAreNotOverlooked() throws Exception {
    UnknownFieldSet.Field unpacked =
        UnknownFieldSet.Field.newBuilder().addFixed64(Double.doubleToLongBits(1)).build();
    ByteString taus = UnknownFieldSet.newBuilder().addField(1, unpacked).build().toByteString();
    for (int named = 0; named < 2; named++) {
      GradientReportView view =
          GradientReportView.parseFrom(
              bytes(
                  named == 0
                      ? "sparse { dimension: 3 }"
                      : "sparse { dimension: 3 indices: 1 values: 1 }"));
      byte[] value =
          view.toBuilder()
              .setCoordinateLaplace(CoordinateLaplaceView.parseFrom(taus))
              .build()
              .toByteArray();
      if (named == 0) {
        assertThat(malformed(decode(value)).reason())
            .isEqualTo(
                "coordinate_laplace.taus is of length 1: it must be of length 0, one for each of"
                    + " sparse.indices");
      } else {
        assertThat(coordinates(report(decode(value))).count()).isOne();
      }
    }
  }

  @Test
  void joinsSeveralPackedRuns() throws Exception {
    Report report =
        report(decode(withDense(littleEndian(1), ByteString.EMPTY, littleEndian(2, 3))));
    assertThat(vector(report).dimension()).isEqualTo(3);
    assertThat(PackedVectors.doubleAt(vector(report).values(), 2)).isEqualTo(3);
  }

  /** The one copy of the taus is the report's; the values are another. */
  @Test
  void copiesTausOnce() throws Exception {
    int d = 100_000;
    double[] taus = new double[d];
    Arrays.fill(taus, 0.5);
    ByteString bytes = littleEndian(taus);
    for (int runs = 1; runs <= 4; runs *= 4) {
      CoordinateLaplaceView.Builder laplace = CoordinateLaplaceView.newBuilder();
      for (int run = 0; run < runs; run++) {
        int length = bytes.size() / runs;
        laplace.addTaus(bytes.substring(run * length, (run + 1) * length));
      }
      byte[] value =
          GradientReportView.parseFrom(bytes("")).toBuilder()
              .setGrid(VectorView.newBuilder().addValues(ByteString.copyFrom(new byte[4 * d])))
              .setCoordinateLaplace(laplace)
              .build()
              .toByteArray();
      assertThat(coordinates(report(decode(value))).taus())
          .isEqualTo(bytes.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer());
      long before = allocated();
      decode(value);
      assertThat(allocated() - before).isBetween(12L * d, 12L * d + 20_000);
    }
  }

  @Test
  void refusesTruncatedRuns() throws Exception {
    ByteString seven = littleEndian(1).substring(1);
    Received malformed =
        new Received.Malformed("value is not a GradientReport in Protobuf's encoding", true);
    assertThat(decode(withDense(seven))).isEqualTo(malformed);
    // Two halves are no value.
    byte[] halves = withDense(seven, ByteString.copyFrom(new byte[1]));
    assertThat(decode(halves)).isEqualTo(malformed);
    GradientReportView sparse =
        GradientReportView.parseFrom(bytes("undisclosed {}")).toBuilder()
            .setSparse(SparseView.newBuilder().setDimension(3).addValues(seven))
            .build();
    assertThat(decode(sparse.toByteArray())).isEqualTo(malformed);
  }

  @Test
  void falseLengthsAllocateNothing() throws IOException {
    int[] tags = {10 << 3 | 2, 12 << 3 | 2, 22 << 3 | 2, 1 << 3 | 2};
    for (int tag : tags) {
      for (long length : new long[] {1 << 20, Integer.MAX_VALUE, 1L << 32, -1}) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeUInt32NoTag(tag);
        out.writeUInt64NoTag(Math.min(length, 40));
        out.writeUInt32NoTag(1 << 3 | 2);
        out.writeUInt64NoTag(length);
        out.writeRawBytes(new byte[20]);
        out.flush();
        byte[] value = bytes.toByteArray();
        long before = allocated();
        Received decoded = decode(value);
        long after = allocated();
        assertThat(decoded).isInstanceOf(Received.Malformed.class);
        assertThat(after - before).isLessThan(1 << 19);
      }
    }
  }

  @Test
  void allocatesNothingPerCoordinateButTheVector() throws Exception {
    int dimension = 100_000;
    byte[] value = withDense(ByteString.copyFrom(new byte[dimension * Double.BYTES]));
    decode(value); // loads the classes
    long before = allocated();
    Received decoded = decode(value);
    long after = allocated();
    assertThat(vector(report(decoded)).dimension()).isEqualTo(dimension);
    assertThat(after - before).isLessThan((long) dimension * Double.BYTES + 50_000);
  }

  private static long allocated() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
  }

  private static ByteString littleEndian(double... values) {
    return ByteString.copyFrom(PackedVectors.encode(values));
  }

  /** A report of packed runs. */
  private static byte[] withDense(ByteString... runs) {
    VectorView.Builder dense = VectorView.newBuilder();
    for (ByteString run : runs) {
      dense.addValues(run);
    }
    return ofDense(dense.build().toByteString());
  }

  private static byte[] ofDense(ByteString dense) {
    return UnknownFieldSet.newBuilder()
        .addField(10, UnknownFieldSet.Field.newBuilder().addLengthDelimited(dense).build())
        .build()
        .toByteString()
        .concat(ByteString.copyFrom(bytes("undisclosed {}")))
        .toByteArray();
  }
}
