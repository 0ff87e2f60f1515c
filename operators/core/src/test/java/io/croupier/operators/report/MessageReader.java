package io.croupier.operators.report;

import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.mechanism.UndisclosedNoise;
import io.croupier.operators.math.PackedVectors;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Dense;
import io.croupier.schemas.Example;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.RandomisedResponse;
import io.croupier.schemas.Sparse;
import io.croupier.schemas.Vote;
import java.nio.DoubleBuffer;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Reads a report value by value, independently of the decoder: what the decoder must return. */
final class MessageReader {

  private MessageReader() {}

  /** Reads a well-formed message. */
  static Report read(GradientReport message, long digest, Source source) {
    return new Report(
        new Header(
            message.getModelId(),
            message.getRound(),
            message.getUserId(),
            message.getDeviceId(),
            message.getSequence(),
            message.getCreatedAtMs(),
            message.getGradientBound()),
        mechanism(message),
        content(message),
        digest,
        source);
  }

  private static Content content(GradientReport message) {
    return switch (message.getGradientCase()) {
      case DENSE -> {
        Dense dense = message.getDense();
        yield VectorContent.whole(
            VectorForm.DENSE, doubles(dense.getValuesCount(), dense::getValues));
      }
      case GRID ->
          VectorContent.whole(
              VectorForm.GRID,
              PackedVectors.encode(
                  message.getGrid().getValuesList().stream().mapToInt(v -> v).toArray()));
      case SPARSE -> {
        Sparse sparse = message.getSparse();
        yield new VectorContent(
            VectorForm.SPARSE,
            sparse.getDimension(),
            doubles(sparse.getValuesCount(), sparse::getValues),
            sparse.getIndicesList().stream().mapToInt(index -> index).toArray());
      }
      case EXAMPLE -> {
        Example example = message.getExample();
        yield new ExampleContent(doubles(example.getXCount(), example::getX), example.getY());
      }
      case CANDIDATE -> {
        Candidate candidate = message.getCandidate();
        yield new CandidateContent(
            candidate.getDimension(), candidate.getSeed(), candidate.getIndex());
      }
      case ANSWER ->
          new AnswerContent(message.getAnswer().getQuestion(), message.getAnswer().getBit());
      case VOTE -> {
        Vote vote = message.getVote();
        yield new VoteContent(vote.getStatistic(), vote.hasSeed(), vote.getSeed(), vote.getIndex());
      }
      case TOKEN -> new TokenContent(message.getToken().getTag().toByteArray());
      case GRADIENT_NOT_SET -> throw new IllegalArgumentException("gradient is missing");
    };
  }

  private static int dimension(GradientReport message) {
    return switch (message.getGradientCase()) {
      case DENSE -> message.getDense().getValuesCount();
      case GRID -> message.getGrid().getValuesCount();
      case SPARSE -> message.getSparse().getDimension();
      default -> message.getExample().getXCount();
    };
  }

  private static Mechanism mechanism(GradientReport message) {
    return switch (message.getDeclarationCase()) {
      case UNDISCLOSED -> UndisclosedNoise.UNDISCLOSED;
      case CENTRAL -> CentralNoise.CENTRAL;
      case L2_LAPLACE ->
          new L2LaplaceMechanism(
              message.getL2Laplace().getEpsilon(),
              message.hasDense() || message.hasGrid() ? dimension(message) : 0);
      case GAUSSIAN -> new GaussianMechanism(message.getGaussian().getMu());
      case COORDINATE_LAPLACE -> {
        CoordinateLaplace laplace = message.getCoordinateLaplace();
        double[] taus = laplace.getTausList().stream().mapToDouble(tau -> tau).toArray();
        yield new CoordinateLaplaceMechanism(
            DoubleBuffer.wrap(taus), clip(laplace.getClip()), dimension(message) - taus.length);
      }
      case PRIV_UNIT -> {
        PrivUnit unit = message.getPrivUnit();
        yield new PrivUnitMechanism(unit.getEpsilon(), unit.getCandidates(), unit.getTop());
      }
      case RANDOMISED_RESPONSE -> {
        RandomisedResponse response = message.getRandomisedResponse();
        yield new RandomisedResponseMechanism(
            response.hasMu() ? response.getMu() : response.getEpsilon(), response.hasMu());
      }
      case HASHED_RESPONSE ->
          new HashedResponseMechanism(
              message.getHashedResponse().getEpsilon(), message.getHashedResponse().getGroups());
      case DECLARATION_NOT_SET -> throw new IllegalArgumentException("declaration is missing");
    };
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
