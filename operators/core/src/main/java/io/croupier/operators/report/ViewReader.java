package io.croupier.operators.report;

import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.view.CoordinateLaplaceView;
import io.croupier.schemas.view.GradientReportView;

/** Reads a report of any kind whose vectors are packed, as runs of bytes. */
final class ViewReader {
  private ViewReader() {}

  /** Returns null unless the report is well-formed and all its vectors are packed. */
  static Report read(GradientReportView view, long digest, Source source) {
    if (!view.hasRound()
        || view.getRound() < 0
        || !view.hasSequence()
        || view.getSequence() < 0
        || !GradientReports.isModelId(view.getModelId())
        || !GradientReports.isUserId(view.getUserId())
        || !GradientReports.isDeviceId(view.getDeviceId())
        || (view.hasGradientBound()
            && !(view.getGradientBound() > 0 && view.getGradientBound() <= Double.MAX_VALUE))) {
      return null;
    }
    Content content = isDeclaredRight(view) ? content(view) : null;
    Mechanism mechanism = content == null ? null : mechanism(view, content);
    return mechanism == null
        ? null
        : new Report(
            new Header(
                view.getModelId(),
                view.getRound(),
                view.getUserId(),
                view.getDeviceId(),
                view.getSequence(),
                view.getCreatedAtMs(),
                view.getGradientBound()),
            mechanism,
            content,
            digest,
            source);
  }

  /** Some mechanisms belong to one kind, which has no other. */
  private static boolean isDeclaredRight(GradientReportView view) {
    return switch (view.getGradientCase()) {
      case CANDIDATE -> view.hasPrivUnit();
      case ANSWER -> view.hasRandomisedResponse();
      case VOTE -> view.hasHashedResponse();
      case TOKEN -> view.hasPrivUnit() || view.hasRandomisedResponse();
      case DENSE, GRID, SPARSE, EXAMPLE, GRADIENT_NOT_SET ->
          !view.hasPrivUnit() && !view.hasRandomisedResponse() && !view.hasHashedResponse();
    };
  }

  /** Returns null unless it is well-formed; a raw report may have any values. */
  private static Content content(GradientReportView view) {
    boolean isRaw = view.hasCentral();
    return switch (view.getGradientCase()) {
      case DENSE -> VectorContent.readDense(view.getDense(), isRaw);
      case GRID -> VectorContent.readGrid(view.getGrid());
      case SPARSE -> VectorContent.readSparse(view.getSparse(), isRaw);
      case EXAMPLE -> ExampleContent.read(view.getExample(), isRaw);
      case CANDIDATE -> CandidateContent.read(view.getCandidate(), view.getPrivUnit());
      case ANSWER -> AnswerContent.read(view.getAnswer());
      case VOTE -> VoteContent.read(view.getVote(), view.getHashedResponse());
      case TOKEN -> TokenContent.read(view.getToken());
      case GRADIENT_NOT_SET -> null;
    };
  }

  private static Mechanism mechanism(GradientReportView view, Content content) {
    Message declared = Declarations.declared(view);
    try {
      if (declared instanceof CoordinateLaplaceView laplace) {
        return coordinates(laplace, (Gradient) content);
      }
      return declared == null ? null : Declarations.of(declared, noised(content));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The dimension of a vector that names each coordinate; otherwise 0. */
  private static int noised(Content content) {
    return content instanceof VectorContent vector && vector.form() != VectorForm.SPARSE
        ? vector.dimension()
        : 0;
  }

  /** Returns null unless there is a tau for each value, and they are packed. */
  private static Mechanism coordinates(CoordinateLaplaceView laplace, Gradient gradient) {
    if (!laplace.getUnknownFields().isEmpty()
        || laplace.getClip() == CoordinateLaplace.Clip.UNRECOGNIZED
        || !Runs.areWhole(laplace.getTausList(), Double.BYTES)) {
      return null;
    }
    byte[] taus = Runs.concatenate(laplace.getTausList());
    boolean isSparse =
        gradient instanceof VectorContent vector && vector.form() == VectorForm.SPARSE;
    int count = isSparse ? ((VectorContent) gradient).indices().length : gradient.dimension();
    return taus.length == (long) Double.BYTES * count
        ? Declarations.of(laplace, taus, gradient.dimension())
        : null;
  }
}
