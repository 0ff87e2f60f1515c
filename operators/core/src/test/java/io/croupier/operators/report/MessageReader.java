package io.croupier.operators.report;

import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Dense;
import io.croupier.schemas.Example;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.RandomisedResponse;
import io.croupier.schemas.Sparse;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Reads a report value by value, independently of the decoder: what the decoder must return. */
final class MessageReader {

  private MessageReader() {}

  /** Reads a well-formed message. */
  static Report read(GradientReport message) {
    Report report = new Report();
    report.modelId = message.getModelId();
    report.round = message.getRound();
    report.userId = message.getUserId();
    report.deviceId = message.getDeviceId();
    report.sequence = message.getSequence();
    report.createdAtMs = message.getCreatedAtMs();
    report.gradientBound = message.getGradientBound();
    readGradient(message, report);
    readDeclaration(message, report);
    return report;
  }

  private static void readGradient(GradientReport message, Report report) {
    switch (message.getGradientCase()) {
      case DENSE -> {
        Dense dense = message.getDense();
        report.form = VectorForm.DENSE;
        report.dimension = dense.getValuesCount();
        report.values = doubles(dense.getValuesCount(), dense::getValues);
      }
      case GRID -> {
        Grid grid = message.getGrid();
        report.form = VectorForm.GRID;
        report.dimension = grid.getValuesCount();
        report.values =
            PackedVectors.encode(grid.getValuesList().stream().mapToInt(v -> v).toArray());
      }
      case SPARSE -> {
        Sparse sparse = message.getSparse();
        report.form = VectorForm.SPARSE;
        report.dimension = sparse.getDimension();
        report.values = doubles(sparse.getValuesCount(), sparse::getValues);
        report.indices = new int[sparse.getIndicesCount()];
        Arrays.setAll(report.indices, sparse::getIndices);
      }
      case EXAMPLE -> {
        Example example = message.getExample();
        report.form = VectorForm.EXAMPLE;
        report.dimension = example.getXCount();
        report.values = doubles(example.getXCount(), example::getX);
        report.y = example.getY();
      }
      case CANDIDATE -> readCandidate(message.getCandidate(), report);
      case ANSWER -> {
        report.form = VectorForm.ANSWER;
        report.question = message.getAnswer().getQuestion();
        report.bit = message.getAnswer().getBit();
      }
      case VOTE -> {
        report.form = VectorForm.VOTE;
        report.question = message.getVote().getStatistic();
        report.isHashed = message.getVote().hasSeed();
        report.candidateSeed = message.getVote().getSeed();
        report.candidateIndex = message.getVote().getIndex();
      }
      case TOKEN -> {
        report.form = VectorForm.TOKEN;
        report.tag = message.getToken().getTag().toByteArray();
      }
      case GRADIENT_NOT_SET -> throw new IllegalArgumentException("gradient is missing");
    }
  }

  private static void readDeclaration(GradientReport message, Report report) {
    switch (message.getDeclarationCase()) {
      case UNDISCLOSED -> report.declaration = Declaration.UNDISCLOSED;
      case CENTRAL -> report.declaration = Declaration.CENTRAL;
      case L2_LAPLACE -> {
        report.declaration = Declaration.L2_LAPLACE;
        report.level = message.getL2Laplace().getEpsilon();
      }
      case GAUSSIAN -> {
        report.declaration = Declaration.GAUSSIAN;
        report.level = message.getGaussian().getMu();
      }
      case COORDINATE_LAPLACE -> {
        CoordinateLaplace laplace = message.getCoordinateLaplace();
        report.declaration = Declaration.COORDINATE_LAPLACE;
        report.taus = doubles(laplace.getTausCount(), laplace::getTaus);
        report.clip = clip(laplace.getClip());
      }
      case PRIV_UNIT -> readPrivUnit(message.getPrivUnit(), report);
      case RANDOMISED_RESPONSE -> {
        RandomisedResponse response = message.getRandomisedResponse();
        report.declaration = Declaration.RANDOMISED_RESPONSE;
        report.levelIsMu = response.hasMu();
        report.level = response.hasMu() ? response.getMu() : response.getEpsilon();
      }
      case HASHED_RESPONSE -> {
        report.declaration = Declaration.HASHED_RESPONSE;
        report.level = message.getHashedResponse().getEpsilon();
        report.candidates = message.getHashedResponse().getGroups();
      }
      case DECLARATION_NOT_SET -> throw new IllegalArgumentException("declaration is missing");
    }
  }

  private static void readCandidate(Candidate candidate, Report report) {
    report.form = VectorForm.CANDIDATE;
    report.dimension = candidate.getDimension();
    report.candidateSeed = candidate.getSeed();
    report.candidateIndex = candidate.getIndex();
  }

  private static void readPrivUnit(PrivUnit mechanism, Report report) {
    report.declaration = Declaration.PRIV_UNIT;
    report.level = mechanism.getEpsilon();
    report.candidates = mechanism.getCandidates();
    report.top = mechanism.getTop();
  }

  /** Converts a known clip. */
  static DeclaredClip clip(CoordinateLaplace.Clip clip) {
    return switch (clip) {
      case CLIP_UNSPECIFIED -> DeclaredClip.UNSPECIFIED;
      case L2 -> DeclaredClip.L2;
      case COORDINATES -> DeclaredClip.COORDINATES;
      case UNRECOGNIZED -> throw new IllegalArgumentException("clip is unknown");
    };
  }

  private static byte[] doubles(int count, IntToDoubleFunction values) {
    return PackedVectors.encode(IntStream.range(0, count).mapToDouble(values).toArray());
  }
}
