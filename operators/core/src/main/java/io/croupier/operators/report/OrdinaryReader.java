package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
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
 * ViewReader} reads. Not safe for use by several threads.
 */
final class OrdinaryReader {
  private static final byte[] EMPTY = {};

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int RUN = 2;
  private static final int WIRE_BITS = 3;

  /** More bytes would make a number negative, which no field allows. */
  private static final int MOST_SHIFT = 56;

  /** Thrown within this class alone, so it needs no stack trace. */
  private static final class Unusual extends Exception {
    private static final long serialVersionUID = 1;

    private Unusual() {
      super("not an ordinary report", null, false, false);
    }
  }

  private byte[] bytes = EMPTY;
  private int at;

  /** Where the values of a vector on the grid end. */
  private int valuesEnd;

  /** The last model's name, which most reports repeat. */
  private String lastModel = "";

  private byte[] lastModelBytes = EMPTY;

  /** Returns null unless the bytes are an ordinary and well-formed report. */
  Report read(byte[] value) {
    bytes = value;
    at = 0;
    try {
      return read();
    } catch (Unusual e) {
      return null;
    } finally {
      bytes = EMPTY;
    }
  }

  private Report read() throws Unusual {
    Report report = new Report();
    boolean hasRound = false;
    boolean hasSequence = false;
    Mechanism mechanism = null;
    for (int last = 0; at < bytes.length; ) {
      int tag = number(Integer.MAX_VALUE);
      int field = tag >>> WIRE_BITS;
      requireThat(field > last);
      last = field;
      switch (tag) {
        case GradientReportView.MODEL_ID_FIELD_NUMBER << WIRE_BITS | RUN -> readModel(report);
        case GradientReportView.ROUND_FIELD_NUMBER << WIRE_BITS | VARINT -> {
          report.round = number();
          hasRound = true;
        }
        case GradientReportView.USER_ID_FIELD_NUMBER << WIRE_BITS | RUN -> report.userId = text();
        case GradientReportView.DEVICE_ID_FIELD_NUMBER << WIRE_BITS | RUN ->
            report.deviceId = text();
        case GradientReportView.SEQUENCE_FIELD_NUMBER << WIRE_BITS | VARINT -> {
          report.sequence = number();
          hasSequence = true;
        }
        case GradientReportView.CREATED_AT_MS_FIELD_NUMBER << WIRE_BITS | VARINT ->
            report.createdAtMs = number();
        case GradientReportView.GRADIENT_BOUND_FIELD_NUMBER << WIRE_BITS | FIXED64 -> {
          report.gradientBound = real();
          requireThat(report.gradientBound > 0 && report.gradientBound <= Double.MAX_VALUE);
        }
        case GradientReportView.GRID_FIELD_NUMBER << WIRE_BITS | RUN -> readGrid(report);
        case GradientReportView.CANDIDATE_FIELD_NUMBER << WIRE_BITS | RUN -> readCandidate(report);
        case GradientReportView.L2_LAPLACE_FIELD_NUMBER << WIRE_BITS | RUN ->
            mechanism = readLaplace(mechanism);
        case GradientReportView.GAUSSIAN_FIELD_NUMBER << WIRE_BITS | RUN ->
            mechanism = readGaussian(mechanism);
        case GradientReportView.PRIV_UNIT_FIELD_NUMBER << WIRE_BITS | RUN ->
            mechanism = readPrivUnit(mechanism);
        default -> throw new Unusual();
      }
    }
    requireThat(
        hasRound
            && hasSequence
            && !report.modelId.isEmpty()
            && GradientReports.isUserId(report.userId)
            && GradientReports.isDeviceId(report.deviceId)
            && report.dimension > 0
            && mechanism != null);
    boolean isCandidate = report.form == VectorForm.CANDIDATE;
    requireThat(isCandidate == mechanism instanceof PrivUnitMechanism);
    Declaration.declare(mechanism, EMPTY, report);
    requireThat(!isCandidate || report.candidateIndex < report.candidates);
    if (!isCandidate) {
      // Copied last, so that no unusual report is copied twice.
      report.values =
          Arrays.copyOfRange(bytes, valuesEnd - report.dimension * Integer.BYTES, valuesEnd);
    }
    return report;
  }

  private void readModel(Report report) throws Unusual {
    int end = end();
    if (!Arrays.equals(bytes, at, end, lastModelBytes, 0, lastModelBytes.length)) {
      byte[] name = Arrays.copyOfRange(bytes, at, end);
      String model = ascii(end);
      requireThat(GradientReports.isModelId(model));
      lastModel = model;
      lastModelBytes = name;
    }
    at = end;
    report.modelId = lastModel;
  }

  private void readGrid(Report report) throws Unusual {
    int end = end();
    requireThat(number() == (Grid.VALUES_FIELD_NUMBER << WIRE_BITS | RUN));
    int length = number(bytes.length);
    requireThat(length == end - at && length % Integer.BYTES == 0);
    requireThat(report.form == VectorForm.DENSE);
    report.form = VectorForm.GRID;
    report.dimension = length / Integer.BYTES;
    at = end;
    valuesEnd = end;
  }

  private void readCandidate(Report report) throws Unusual {
    int end = end();
    requireThat(report.form == VectorForm.DENSE);
    report.form = VectorForm.CANDIDATE;
    requireThat(number() == (Candidate.DIMENSION_FIELD_NUMBER << WIRE_BITS | VARINT));
    report.dimension = number(Integer.MAX_VALUE);
    requireThat(number() == (Candidate.SEED_FIELD_NUMBER << WIRE_BITS | FIXED64));
    report.candidateSeed = fixed();
    requireThat(number() == (Candidate.INDEX_FIELD_NUMBER << WIRE_BITS | VARINT));
    report.candidateIndex = number(Integer.MAX_VALUE);
    requireThat(at == end);
  }

  private Mechanism readLaplace(Mechanism before) throws Unusual {
    double epsilon = level(L2Laplace.EPSILON_FIELD_NUMBER, before);
    requireThat(epsilon > 0 && epsilon < Double.POSITIVE_INFINITY);
    return new L2LaplaceMechanism(epsilon);
  }

  private Mechanism readGaussian(Mechanism before) throws Unusual {
    double mu = level(Gaussian.MU_FIELD_NUMBER, before);
    requireThat(mu > 0 && mu < Double.POSITIVE_INFINITY);
    return new GaussianMechanism(mu);
  }

  /** Reads a declaration that is one number. */
  private double level(int field, Mechanism before) throws Unusual {
    requireThat(before == null);
    int end = end();
    requireThat(number() == (field << WIRE_BITS | FIXED64));
    double level = real();
    requireThat(at == end);
    return level;
  }

  private Mechanism readPrivUnit(Mechanism before) throws Unusual {
    requireThat(before == null);
    int end = end();
    requireThat(number() == (PrivUnit.EPSILON_FIELD_NUMBER << WIRE_BITS | FIXED64));
    double epsilon = real();
    requireThat(number() == (PrivUnit.CANDIDATES_FIELD_NUMBER << WIRE_BITS | VARINT));
    int candidates = number(Integer.MAX_VALUE);
    requireThat(number() == (PrivUnit.TOP_FIELD_NUMBER << WIRE_BITS | VARINT));
    int top = number(Integer.MAX_VALUE);
    requireThat(at == end);
    try {
      return new PrivUnitMechanism(epsilon, candidates, top);
    } catch (IllegalArgumentException e) {
      throw new Unusual();
    }
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
