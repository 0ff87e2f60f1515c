package io.croupier.operators.report;

import io.croupier.schemas.Central;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Undisclosed;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Draws reports of every form and declaration, well-formed or malformed. */
public final class RandomReports {
  private static final double[] ODD = {
    Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1, 0, -0.0
  };
  private static final String[] ODD_IDS = {"", "a b", "m".repeat(101), "\u00eb".repeat(129)};

  private final Random random;
  private final double oddity;

  /** Draws with {@code random}; each part is odd with probability {@code oddity}. */
  public RandomReports(Random random, double oddity) {
    this.random = random;
    this.oddity = oddity;
  }

  public GradientReport next() {
    GradientReport.Builder report = GradientReport.newBuilder();
    int dimension = 1 + random.nextInt(6);
    if (!odd()) {
      report.setModelId(id("model-"));
    }
    if (!odd()) {
      report.setUserId(id("user-"));
    }
    if (!odd()) {
      report.setRound(odd() ? -1 : random.nextInt(1000));
    }
    if (!odd()) {
      report.setSequence(odd() ? Long.MIN_VALUE : random.nextLong(Long.MAX_VALUE));
    }
    if (random.nextBoolean()) {
      report.setDeviceId(odd() ? ODD_IDS[random.nextInt(4)] : "d");
    }
    if (random.nextInt(8) == 0) {
      report.setGradientBound(odd() ? ODD[random.nextInt(ODD.length)] : 1);
    }
    if (!odd()) {
      gradient(report, odd() ? 0 : dimension);
    }
    if (!odd()) {
      int values = report.hasSparse() ? report.getSparse().getIndicesCount() : dimension;
      declaration(report, odd() ? values + 1 : values);
    }
    return report.build();
  }

  private void gradient(GradientReport.Builder report, int dimension) {
    switch (random.nextInt(7)) {
      case 0 -> report.getDenseBuilder().addAllValues(draw(dimension, this::value));
      case 1 -> report.getGridBuilder().addAllValues(draw(dimension, random::nextInt));
      case 2 -> sparse(report, dimension);
      case 3 -> candidate(report, dimension);
      case 4 -> answer(report);
      case 5 -> vote(report);
      default -> {
        report.getExampleBuilder().addAllX(draw(dimension, this::value));
        if (!odd()) {
          report.getExampleBuilder().setY(value());
        }
      }
    }
  }

  private void candidate(GradientReport.Builder report, int dimension) {
    report.getCandidateBuilder().setDimension(dimension);
    if (!odd()) {
      report.getCandidateBuilder().setSeed(random.nextLong());
    }
    if (!odd()) {
      report.getCandidateBuilder().setIndex(odd() ? 64 : random.nextInt(64));
    }
  }

  private void answer(GradientReport.Builder report) {
    report.getAnswerBuilder();
    if (!odd()) {
      report.getAnswerBuilder().setQuestion(id("question-"));
    }
    if (!odd()) {
      report.getAnswerBuilder().setBit(random.nextBoolean());
    }
  }

  private void vote(GradientReport.Builder report) {
    report.getVoteBuilder();
    if (!odd()) {
      report.getVoteBuilder().setStatistic(id("statistic-"));
    }
    if (random.nextBoolean()) {
      report.getVoteBuilder().setSeed(random.nextLong());
    }
    if (!odd()) {
      report.getVoteBuilder().setIndex(odd() ? random.nextInt(-1, 5) : random.nextInt(2));
    }
  }

  private void hashedResponse(GradientReport.Builder report) {
    report
        .getHashedResponseBuilder()
        .setEpsilon(epsilon())
        .setGroups(odd() ? random.nextInt(-1, 1100) : 2 + random.nextInt(4));
  }

  private void randomisedResponse(GradientReport.Builder report) {
    report.getRandomisedResponseBuilder();
    if (!odd()) {
      if (random.nextBoolean()) {
        report.getRandomisedResponseBuilder().setMu(level());
      } else {
        report.getRandomisedResponseBuilder().setEpsilon(level());
      }
    }
  }

  private void privUnit(GradientReport.Builder report) {
    report
        .getPrivUnitBuilder()
        .setEpsilon(epsilon())
        .setCandidates(odd() ? 65 : 64)
        .setTop(odd() ? 33 : 1 + random.nextInt(32));
  }

  private void sparse(GradientReport.Builder report, int dimension) {
    report.getSparseBuilder();
    if (!odd()) {
      report.getSparseBuilder().setDimension(dimension);
    }
    boolean descending = random.nextBoolean();
    for (int i = 0; i < dimension; i++) {
      if (random.nextBoolean()) {
        int index = descending ? dimension - 1 - i : i;
        report.getSparseBuilder().addIndices(odd() ? random.nextInt(-1, 8) : index);
        if (!odd()) {
          report.getSparseBuilder().addValues(value());
        }
      }
    }
  }

  private void declaration(GradientReport.Builder report, int dimension) {
    if (report.hasCandidate() != odd()) {
      privUnit(report);
      return;
    }
    if (report.hasAnswer() != odd()) {
      randomisedResponse(report);
      return;
    }
    if (report.hasVote() != odd()) {
      hashedResponse(report);
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> report.setUndisclosed(Undisclosed.getDefaultInstance());
      case 1 -> report.setCentral(Central.getDefaultInstance());
      case 2 -> {
        report.getL2LaplaceBuilder();
        if (!odd()) {
          report.getL2LaplaceBuilder().setEpsilon(level());
        }
      }
      case 3 -> {
        report.getGaussianBuilder();
        if (!odd()) {
          report.getGaussianBuilder().setMu(level());
        }
      }
      default -> {
        report.getCoordinateLaplaceBuilder();
        for (int i = 0; i < dimension; i++) {
          double tau = random.nextInt(8) == 0 ? Double.POSITIVE_INFINITY : level();
          report.getCoordinateLaplaceBuilder().addTaus(tau);
        }
        report.getCoordinateLaplaceBuilder().setClipValue(odd() ? 3 : random.nextInt(3));
      }
    }
  }

  private static <T> List<T> draw(int count, Supplier<T> next) {
    return Stream.generate(next).limit(count).toList();
  }

  private String id(String prefix) {
    return odd() ? ODD_IDS[random.nextInt(4)] : prefix + random.nextInt(3);
  }

  private double epsilon() {
    return odd() ? ODD[random.nextInt(ODD.length)] : 0.1 + random.nextInt(15);
  }

  private double level() {
    if (odd()) {
      return ODD[random.nextInt(ODD.length)];
    }
    return switch (random.nextInt(3)) {
      case 0 -> (1 + random.nextInt(1000)) / 100.0;
      case 1 -> Math.scalb(1 + random.nextDouble(), random.nextInt(80) - 60);
      default -> Math.scalb(1 + random.nextDouble(), random.nextInt(4) - 2);
    };
  }

  private double value() {
    return odd() ? ODD[random.nextInt(ODD.length)] : random.nextGaussian();
  }

  private boolean odd() {
    return random.nextDouble() < oddity;
  }
}
