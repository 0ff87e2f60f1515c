package io.croupier.operators.report;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.Answer;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Questions;
import io.croupier.schemas.Statistics;
import io.croupier.schemas.Vote;
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
    report.gradientBound = view.getGradientBound();
    if (view.hasGradientBound()
        && !(report.gradientBound > 0 && report.gradientBound <= Double.MAX_VALUE)) {
      return null;
    }
    return readGradient(view, report) && readDeclaration(view, report) ? report : null;
  }

  private static boolean readGradient(GradientReportView view, Report report) {
    return switch (view.getGradientCase()) {
      case DENSE -> readDense(view.getDense(), report) && mayHoldItsValues(view, report);
      case GRID -> readGrid(view.getGrid(), report);
      case SPARSE -> readSparse(view.getSparse(), report) && mayHoldItsValues(view, report);
      case EXAMPLE -> readExample(view.getExample(), report) && mayHoldItsValues(view, report);
      case CANDIDATE -> readCandidate(view, report);
      case ANSWER -> readAnswer(view.getAnswer(), report);
      case VOTE -> readVote(view, report);
      case TOKEN -> readToken(view, report);
      case GRADIENT_NOT_SET -> false;
    };
  }

  /**
   * Whether the values are allowed. A raw report may have any values, since its outcome must not
   * depend on them.
   */
  private static boolean mayHoldItsValues(GradientReportView view, Report report) {
    return view.hasCentral()
        || (PackedVectors.areFinite(report.values) && Double.isFinite(report.y));
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
        || !GradientReports.isIndex(candidate, view.getPrivUnit())) {
      return false;
    }
    report.form = VectorForm.CANDIDATE;
    report.dimension = candidate.getDimension();
    report.candidateSeed = candidate.getSeed();
    report.candidateIndex = candidate.getIndex();
    return true;
  }

  private static boolean readAnswer(Answer answer, Report report) {
    report.form = VectorForm.ANSWER;
    report.question = answer.getQuestion();
    report.bit = answer.getBit();
    return answer.hasBit() && Questions.isName(report.question);
  }

  private static boolean readVote(GradientReportView view, Report report) {
    Vote vote = view.getVote();
    report.form = VectorForm.VOTE;
    report.question = vote.getStatistic();
    report.candidateSeed = vote.getSeed();
    report.candidateIndex = vote.getIndex();
    report.isHashed = vote.hasSeed();
    return view.hasHashedResponse()
        && vote.hasIndex()
        && Statistics.isIndex(vote, view.getHashedResponse())
        && Questions.isName(report.question);
  }

  private static boolean readToken(GradientReportView view, Report report) {
    report.form = VectorForm.TOKEN;
    report.tag = view.getToken().getTag().toByteArray();
    return report.tag.length == GradientReports.TAG_BYTES
        && (view.hasPrivUnit() || view.hasRandomisedResponse());
  }

  private static boolean readDeclaration(GradientReportView view, Report report) {
    Message declared = Declarations.declared(view);
    if (declared == null
        || view.hasHashedResponse() != view.hasVote()
        || (view.hasPrivUnit() != view.hasCandidate() && !view.hasToken())
        || (view.hasRandomisedResponse() != view.hasAnswer() && !view.hasToken())
        || (view.hasCoordinateLaplace() && !readTaus(view.getCoordinateLaplace(), report))) {
      return false;
    }
    try {
      Declaration.declare(mechanism(declared, report), report.taus, report);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Mechanism mechanism(Message declared, Report report) {
    return declared instanceof CoordinateLaplaceView laplace
        ? Declarations.of(laplace, report.taus, report.dimension)
        : Declarations.of(declared, report.dimension);
  }

  private static boolean readTaus(CoordinateLaplaceView laplace, Report report) {
    if (!arePacked(laplace)) {
      return false;
    }
    report.taus = concatenate(laplace.getTausList());
    int count = report.form == VectorForm.SPARSE ? report.indices.length : report.dimension;
    return report.taus.length == (long) Double.BYTES * count;
  }

  private static boolean arePacked(CoordinateLaplaceView laplace) {
    return laplace.getUnknownFields().isEmpty()
        && laplace.getClip() != CoordinateLaplace.Clip.UNRECOGNIZED
        && areWhole(laplace.getTausList(), Double.BYTES);
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
