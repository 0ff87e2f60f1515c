package io.croupier.operators.report;

import com.google.protobuf.ByteString;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.PrivUnits;
import io.croupier.schemas.view.CoordinateLaplaceView;
import io.croupier.schemas.view.ExampleView;
import io.croupier.schemas.view.GradientReportView;
import io.croupier.schemas.view.SparseView;
import io.croupier.schemas.view.VectorView;
import java.util.List;

/** Reads a report whose vectors are packed, as runs of bytes. */
final class ViewReader {
  private static final byte[] EMPTY = {};

  private ViewReader() {}

  /** Returns null unless the report is well-formed and all its vectors are packed. */
  static Report read(GradientReportView view) {
    if (!view.hasRound()
        || view.getRound() < 0
        || !view.hasSequence()
        || view.getSequence() < 0
        || !GradientReports.isModelId(view.getModelId())
        || !GradientReports.isUserId(view.getUserId())
        || !GradientReports.isDeviceId(view.getDeviceId())) {
      return null;
    }
    Report report = new Report();
    report.modelId = view.getModelId();
    report.round = view.getRound();
    report.userId = view.getUserId();
    report.deviceId = view.getDeviceId();
    report.sequence = view.getSequence();
    report.createdAtMs = view.getCreatedAtMs();
    return readGradient(view, report) && readDeclaration(view, report) ? report : null;
  }

  private static boolean readGradient(GradientReportView view, Report report) {
    return switch (view.getGradientCase()) {
      case DENSE -> readDense(view.getDense(), report) && mayHoldItsValues(view, report);
      case GRID -> readGrid(view.getGrid(), report);
      case SPARSE -> readSparse(view.getSparse(), report) && mayHoldItsValues(view, report);
      case EXAMPLE -> readExample(view.getExample(), report) && mayHoldItsValues(view, report);
      case CANDIDATE -> readCandidate(view, report);
      case GRADIENT_NOT_SET -> false;
    };
  }

  /**
   * Whether the values are allowed. A raw report may have any values, since its outcome must not
   * depend on them.
   */
  private static boolean mayHoldItsValues(GradientReportView view, Report report) {
    return view.hasCentral() || (VectorBytes.areFinite(report.values) && Double.isFinite(report.y));
  }

  private static boolean readDense(VectorView dense, Report report) {
    report.form = VectorForm.DENSE;
    report.values = packed(dense, Double.BYTES);
    report.dimension = report.values.length / Double.BYTES;
    return report.dimension > 0;
  }

  private static boolean readGrid(VectorView grid, Report report) {
    report.form = VectorForm.GRID;
    report.values = packed(grid, Integer.BYTES);
    report.dimension = report.values.length / Integer.BYTES;
    return report.dimension > 0;
  }

  private static boolean readSparse(SparseView sparse, Report report) {
    if (!sparse.getUnknownFields().isEmpty()
        || sparse.getDimension() < 1
        || !areWhole(sparse.getValuesList(), Double.BYTES)) {
      return false;
    }
    report.form = VectorForm.SPARSE;
    report.dimension = sparse.getDimension();
    report.values = concatenate(sparse.getValuesList());
    report.indices = new int[sparse.getIndicesCount()];
    for (int i = 0; i < report.indices.length; i++) {
      report.indices[i] = sparse.getIndices(i);
    }
    return report.values.length == (long) Double.BYTES * report.indices.length
        && GradientReports.areIndices(report.indices, report.dimension);
  }

  private static boolean readExample(ExampleView example, Report report) {
    if (!example.getUnknownFields().isEmpty()
        || !example.hasY()
        || !areWhole(example.getXList(), Double.BYTES)) {
      return false;
    }
    report.form = VectorForm.EXAMPLE;
    report.values = concatenate(example.getXList());
    report.dimension = report.values.length / Double.BYTES;
    report.y = example.getY();
    return report.dimension > 0;
  }

  private static boolean readCandidate(GradientReportView view, Report report) {
    Candidate candidate = view.getCandidate();
    if (!view.hasPrivUnit()
        || candidate.getDimension() < 1
        || !candidate.hasSeed()
        || !candidate.hasIndex()
        || !PrivUnits.isIndex(candidate.getIndex(), view.getPrivUnit())) {
      return false;
    }
    report.form = VectorForm.CANDIDATE;
    report.dimension = candidate.getDimension();
    report.candidateSeed = candidate.getSeed();
    report.candidateIndex = candidate.getIndex();
    return true;
  }

  private static boolean readDeclaration(GradientReportView view, Report report) {
    switch (view.getDeclarationCase()) {
      case UNDISCLOSED -> report.declaration = Declaration.UNDISCLOSED;
      case CENTRAL -> report.declaration = Declaration.CENTRAL;
      case L2_LAPLACE -> {
        report.declaration = Declaration.L2_LAPLACE;
        report.level = view.getL2Laplace().getEpsilon();
        return report.level > 0 && Double.isFinite(report.level);
      }
      case GAUSSIAN -> {
        report.declaration = Declaration.GAUSSIAN;
        report.level = view.getGaussian().getMu();
        return report.level > 0 && Double.isFinite(report.level);
      }
      case PRIV_UNIT -> {
        PrivUnit mechanism = view.getPrivUnit();
        report.declaration = Declaration.PRIV_UNIT;
        report.level = mechanism.getEpsilon();
        report.candidates = mechanism.getCandidates();
        report.top = mechanism.getTop();
        return view.hasCandidate() && PrivUnits.isWellFormed(mechanism);
      }
      case COORDINATE_LAPLACE -> {
        return readCoordinateLaplace(view.getCoordinateLaplace(), report);
      }
      case DECLARATION_NOT_SET -> {
        return false;
      }
    }
    return true;
  }

  private static boolean readCoordinateLaplace(CoordinateLaplaceView laplace, Report report) {
    if (!laplace.getUnknownFields().isEmpty()
        || laplace.getClip() == CoordinateLaplace.Clip.UNRECOGNIZED
        || !areWhole(laplace.getTausList(), Double.BYTES)) {
      return false;
    }
    report.declaration = Declaration.COORDINATE_LAPLACE;
    report.taus = concatenate(laplace.getTausList());
    report.clip = clip(laplace.getClip());
    int count = report.form == VectorForm.SPARSE ? report.indices.length : report.dimension;
    return report.taus.length == (long) Double.BYTES * count
        && VectorBytes.arePositive(report.taus);
  }

  private static Clip clip(CoordinateLaplace.Clip clip) {
    return switch (clip) {
      case CLIP_UNSPECIFIED -> Clip.UNSPECIFIED;
      case L2 -> Clip.L2;
      case COORDINATES -> Clip.COORDINATES;
      case UNRECOGNIZED -> throw new IllegalArgumentException("clip is unknown");
    };
  }

  /** Returns no bytes where the vector isn't packed or a run is cut short. */
  private static byte[] packed(VectorView vector, int width) {
    return vector.getUnknownFields().isEmpty() && areWhole(vector.getValuesList(), width)
        ? concatenate(vector.getValuesList())
        : EMPTY;
  }

  private static boolean areWhole(List<ByteString> runs, int width) {
    for (int i = 0; i < runs.size(); i++) {
      if (runs.get(i).size() % width != 0) {
        return false;
      }
    }
    return true;
  }

  /** Joins runs; a writer may split a packed vector into several runs of whole values. */
  private static byte[] concatenate(List<ByteString> runs) {
    int size = 0;
    for (int i = 0; i < runs.size(); i++) {
      size += runs.get(i).size();
    }
    byte[] values = new byte[size];
    int at = 0;
    for (int i = 0; i < runs.size(); i++) {
      runs.get(i).copyTo(values, at);
      at += runs.get(i).size();
    }
    return values;
  }
}
