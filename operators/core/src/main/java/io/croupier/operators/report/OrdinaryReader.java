package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.view.GradientReportView;
import java.util.Arrays;

/**
 * Reads the reports that nearly all clients send, without an object for each message in them: on
 * the grid with noise of a single level, or a candidate of priv_unit; fields in ascending order,
 * each at most once, ids in ASCII. It rejects all others, well-formed or not, which {@link
 * ViewReader} reads. There is a new one for each report: with the G1 collector, a reference that is
 * stored in an old object costs a memory fence.
 */
final class OrdinaryReader {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int RUN = 2;
  private static final int WIRE_BITS = 3;

  /** No number that a field allows. */
  private static final int ABSENT = -1;

  /** More bytes would make a number negative, which no field allows. */
  private static final int MOST_SHIFT = 56;

  /** Thrown within this class alone, so it needs no stack trace. */
  private static final class Unusual extends Exception {
    private static final long serialVersionUID = 1;

    private Unusual() {
      super("not an ordinary report", null, false, false);
    }
  }

  /**
   * What most reports repeat, so that what follows from it is computed once. Not safe for use by
   * several threads.
   */
  static final class Repeated {
    private String model = "";
    private byte[] modelBytes = {};
    private Mechanism mechanism = UndisclosedNoise.UNDISCLOSED;
  }

  private final byte[] bytes;
  private final Repeated repeated;
  private int at;

  /** Where the values of a vector on the grid end. */
  private int valuesEnd;

  private long round = ABSENT;
  private String userId = "";
  private String deviceId = "";
  private long sequence = ABSENT;
  private long createdAtMs;
  private double gradientBound;

  /** Null until it is read. */
  private Mechanism mechanism;

  /** Null unless the report has one. */
  private CandidateContent candidate;

  /** Of a vector on the grid; otherwise 0. */
  private int dimension;

  /**
   * Creates a reader of one report.
   *
   * @param repeated of the reports before
   */
  OrdinaryReader(byte[] bytes, Repeated repeated) {
    this.bytes = bytes;
    this.repeated = repeated;
  }

  /** Returns null unless the bytes are an ordinary and well-formed report. */
  Report read(long digest, Source source) {
    try {
      String modelId = readFields();
      Content content = content();
      Header header =
          new Header(modelId, round, userId, deviceId, sequence, createdAtMs, gradientBound);
      return new Report(header, mechanism, content, digest, source);
    } catch (Unusual e) {
      return null;
    }
  }

  /** Returns the name of the model. */
  private String readFields() throws Unusual {
    String modelId = "";
    for (int before = 0; at < bytes.length; ) {
      int tag = number(Integer.MAX_VALUE);
      int field = tag >>> WIRE_BITS;
      requireThat(field > before);
      before = field;
      switch (tag) {
        case GradientReportView.MODEL_ID_FIELD_NUMBER << WIRE_BITS | RUN -> modelId = model();
        case GradientReportView.ROUND_FIELD_NUMBER << WIRE_BITS | VARINT -> round = number();
        case GradientReportView.USER_ID_FIELD_NUMBER << WIRE_BITS | RUN -> userId = text();
        case GradientReportView.DEVICE_ID_FIELD_NUMBER << WIRE_BITS | RUN -> deviceId = text();
        case GradientReportView.SEQUENCE_FIELD_NUMBER << WIRE_BITS | VARINT -> sequence = number();
        case GradientReportView.CREATED_AT_MS_FIELD_NUMBER << WIRE_BITS | VARINT ->
            createdAtMs = number();
        case GradientReportView.GRADIENT_BOUND_FIELD_NUMBER << WIRE_BITS | FIXED64 -> {
          gradientBound = real();
          requireThat(gradientBound > 0 && gradientBound <= Double.MAX_VALUE);
        }
        case GradientReportView.GRID_FIELD_NUMBER << WIRE_BITS | RUN -> readGrid();
        case GradientReportView.CANDIDATE_FIELD_NUMBER << WIRE_BITS | RUN -> readCandidate();
        case GradientReportView.L2_LAPLACE_FIELD_NUMBER << WIRE_BITS | RUN -> readLaplace();
        case GradientReportView.GAUSSIAN_FIELD_NUMBER << WIRE_BITS | RUN -> readGaussian();
        case GradientReportView.PRIV_UNIT_FIELD_NUMBER << WIRE_BITS | RUN -> readPrivUnit();
        default -> throw new Unusual();
      }
    }
    requireThat(
        round != ABSENT
            && sequence != ABSENT
            && !modelId.isEmpty()
            && GradientReports.isUserId(userId)
            && GradientReports.isDeviceId(deviceId)
            && mechanism != null);
    return modelId;
  }

  /** Copies the values last, so that no unusual report is copied twice. */
  private Content content() throws Unusual {
    if (mechanism instanceof PrivUnitMechanism unit) {
      requireThat(candidate != null && candidate.index() < unit.candidates());
      return candidate;
    }
    requireThat(candidate == null && dimension > 0);
    int begin = valuesEnd - dimension * Integer.BYTES;
    return VectorContent.whole(VectorForm.GRID, Arrays.copyOfRange(bytes, begin, valuesEnd));
  }

  private String model() throws Unusual {
    int end = end();
    byte[] last = repeated.modelBytes;
    if (!Arrays.equals(bytes, at, end, last, 0, last.length)) {
      String model = ascii(end);
      requireThat(GradientReports.isModelId(model));
      repeated.model = model;
      repeated.modelBytes = Arrays.copyOfRange(bytes, at, end);
    }
    at = end;
    return repeated.model;
  }

  private void readGrid() throws Unusual {
    int end = end();
    requireThat(number() == (Grid.VALUES_FIELD_NUMBER << WIRE_BITS | RUN));
    int length = number(bytes.length);
    requireThat(length == end - at && length % Integer.BYTES == 0);
    dimension = length / Integer.BYTES;
    at = end;
    valuesEnd = end;
  }

  private void readCandidate() throws Unusual {
    int end = end();
    requireThat(dimension == 0);
    requireThat(number() == (Candidate.DIMENSION_FIELD_NUMBER << WIRE_BITS | VARINT));
    int coordinates = number(Integer.MAX_VALUE);
    requireThat(number() == (Candidate.SEED_FIELD_NUMBER << WIRE_BITS | FIXED64));
    long seed = fixed();
    requireThat(number() == (Candidate.INDEX_FIELD_NUMBER << WIRE_BITS | VARINT));
    int index = number(Integer.MAX_VALUE);
    requireThat(at == end && coordinates > 0);
    candidate = new CandidateContent(coordinates, seed, index);
  }

  private void readLaplace() throws Unusual {
    double epsilon = level(L2Laplace.EPSILON_FIELD_NUMBER);
    requireThat(epsilon > 0 && epsilon < Double.POSITIVE_INFINITY);
    declare(new L2LaplaceMechanism(epsilon, dimension));
  }

  private void readGaussian() throws Unusual {
    double mu = level(Gaussian.MU_FIELD_NUMBER);
    requireThat(mu > 0 && mu < Double.POSITIVE_INFINITY);
    declare(new GaussianMechanism(mu));
  }

  /** Reads a declaration that is one number. */
  private double level(int field) throws Unusual {
    int end = end();
    requireThat(number() == (field << WIRE_BITS | FIXED64));
    double level = real();
    requireThat(at == end);
    return level;
  }

  private void readPrivUnit() throws Unusual {
    int end = end();
    requireThat(number() == (PrivUnit.EPSILON_FIELD_NUMBER << WIRE_BITS | FIXED64));
    double epsilon = real();
    requireThat(number() == (PrivUnit.CANDIDATES_FIELD_NUMBER << WIRE_BITS | VARINT));
    int candidates = number(Integer.MAX_VALUE);
    requireThat(number() == (PrivUnit.TOP_FIELD_NUMBER << WIRE_BITS | VARINT));
    int top = number(Integer.MAX_VALUE);
    requireThat(at == end);
    try {
      declare(new PrivUnitMechanism(epsilon, candidates, top));
    } catch (IllegalArgumentException e) {
      throw new Unusual();
    }
  }

  /** Equal declarations share an object. */
  private void declare(Mechanism declared) throws Unusual {
    requireThat(mechanism == null);
    if (!declared.equals(repeated.mechanism)) {
      repeated.mechanism = declared;
    }
    mechanism = repeated.mechanism;
  }

  /** Reads the length of a run; returns where it ends. */
  private int end() throws Unusual {
    int length = number(bytes.length);
    requireThat(length <= bytes.length - at);
    return at + length;
  }

  private String text() throws Unusual {
    String text = ascii(end());
    at += text.length();
    return text;
  }

  /** Reads the bytes up to {@code end}, and stays where it is. */
  private String ascii(int end) throws Unusual {
    int signs = 0;
    for (int i = at; i < end; i++) {
      signs |= bytes[i];
    }
    requireThat(signs >= 0);
    return new String(bytes, at, end - at, ISO_8859_1);
  }

  private double real() throws Unusual {
    return Double.longBitsToDouble(fixed());
  }

  private long fixed() throws Unusual {
    requireThat(bytes.length - at >= Long.BYTES);
    long value = PackedVectors.littleEndian(bytes, at);
    at += Long.BYTES;
    return value;
  }

  private int number(int most) throws Unusual {
    long number = number();
    requireThat(number <= most);
    return (int) number;
  }

  private long number() throws Unusual {
    long value = 0;
    for (int shift = 0; shift <= MOST_SHIFT && at < bytes.length; shift += 7) {
      byte next = bytes[at++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new Unusual();
  }

  private static void requireThat(boolean ordinary) throws Unusual {
    if (!ordinary) {
      throw new Unusual();
    }
  }
}
