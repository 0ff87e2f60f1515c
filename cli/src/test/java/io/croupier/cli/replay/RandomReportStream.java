package io.croupier.cli.replay;

import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.noise.SeededGroups;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReport.GradientCase;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpec.LearnerCase;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.Statistics;
import io.croupier.schemas.Undisclosed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Reports of many people. Most name the newest round, some an older or an unpublished one. To a
 * model whose clip moves, most are made with the clip of the round that they name, and while it
 * scouts, most are answers.
 */
final class RandomReportStream {
  private static final int PEOPLE = 200;
  private static final double[] EPSILONS = {1, 1.5, 2, 4};
  private static final long NEVER_REACHED = 1_000_000;

  private final SplittableRandom random;
  private final Map<String, Long> sequences = new HashMap<>();

  RandomReportStream(long seed) {
    random = new SplittableRandom(seed);
  }

  /**
   * A report that the ledger admits.
   *
   * @param forms encodings to choose from for the gradient
   * @param published the model's updates so far, oldest first
   */
  GradientReport next(ModelSpec spec, List<GradientCase> forms, List<ModelUpdate> published) {
    GradientReport.Builder report = by("person-" + random.nextInt(PEOPLE));
    long round = round(spec, published.stream().map(ModelUpdate::getRound).distinct().toList());
    report.setModelId(spec.getModelId()).setRound(round);
    boolean banco = spec.getLearnerCase() == LearnerCase.BANCO;
    GradientCase form = forms.get(random.nextInt(forms.size()));
    double bound = spec.getGradientBound();
    boolean isScouting = spec.hasAdaptiveClip() && isScouting(published);
    if (spec.hasAdaptiveClip()) {
      bound = clip(spec, round, published);
      if (isScouting && random.nextInt(8) > 0) {
        form = GradientCase.ANSWER;
      }
      if (form != GradientCase.ANSWER && form != GradientCase.VOTE) {
        report.setGradientBound(bound);
      }
    }
    if (form == GradientCase.VOTE) {
      setVote(report, spec);
    } else if (form == GradientCase.ANSWER) {
      setAnswer(report, spec, isScouting);
    } else {
      // BANCO accepts no noise that a sparse report may declare.
      boolean isDense = banco && form == GradientCase.SPARSE;
      setGradient(report, isDense ? GradientCase.DENSE : form, spec, bound);
    }
    if (report.hasCandidate()) {
      // The best top for one of these levels is good enough for all of them.
      double epsilon = random.nextDouble(1.5, 2.5);
      report.setPrivUnit(PrivUnit.newBuilder().setEpsilon(epsilon).setCandidates(64).setTop(16));
    } else if (report.hasVote()) {
      setHashedResponse(report, spec);
    } else if (report.hasAnswer()) {
      if (random.nextBoolean()) {
        report.getRandomisedResponseBuilder().setEpsilon(random.nextDouble(0.5, 4));
      } else {
        report.getRandomisedResponseBuilder().setMu(random.nextDouble(0.5, 2));
      }
    } else if (banco) {
      double epsilon = EPSILONS[random.nextInt(EPSILONS.length)];
      report.setL2Laplace(L2Laplace.newBuilder().setEpsilon(epsilon));
    } else if (report.hasSparse() && random.nextBoolean()) {
      CoordinateLaplace.Builder noise = report.getCoordinateLaplaceBuilder();
      noise.setClip(CoordinateLaplace.Clip.COORDINATES);
      for (int i = 0; i < report.getSparse().getIndicesCount(); i++) {
        noise.addTaus(random.nextDouble(0.5, 2));
      }
    } else if (!report.hasSparse() && random.nextBoolean()) {
      report.setGaussian(Gaussian.newBuilder().setMu(random.nextDouble(0.5, 2)));
    } else {
      report.setUndisclosed(Undisclosed.getDefaultInstance());
    }
    return report.build();
  }

  /** A report with one coordinate too many. */
  GradientReport ofWrongDimension(ModelSpec spec) {
    GradientReport.Builder report = by("person-" + random.nextInt(PEOPLE));
    report.setModelId(spec.getModelId()).setRound(0);
    setGradient(report, GradientCase.GRID, spec, 1);
    report.getGridBuilder().addValues(1);
    return report.setUndisclosed(Undisclosed.getDefaultInstance()).build();
  }

  private GradientReport.Builder by(String user) {
    long sequence = sequences.merge(user, 1L, Long::sum);
    return GradientReport.newBuilder()
        .setUserId(user)
        .setDeviceId("phone")
        .setSequence(sequence)
        .setCreatedAtMs(random.nextLong(1L << 40));
  }

  private static boolean isScouting(List<ModelUpdate> published) {
    return published.isEmpty() || published.get(published.size() - 1).getQuestionProbability() >= 1;
  }

  /** Mostly that of the round; of a round that is not published, that of the newest one. */
  private double clip(ModelSpec spec, long round, List<ModelUpdate> published) {
    double clip = AdaptiveClips.initial(spec.getAdaptiveClip());
    for (ModelUpdate update : published) {
      clip = update.getRound() <= round ? update.getGradientBound() : clip;
    }
    return random.nextInt(16) == 0 ? 1.25 * clip : clip;
  }

  private long round(ModelSpec spec, List<Long> rounds) {
    List<Long> published = rounds.isEmpty() ? List.of(0L) : rounds;
    int newest = published.size() - 1;
    int behind =
        switch (random.nextInt(16)) {
          case 0, 1 -> 1;
          case 2 -> ModelSpecs.maxStaleness(spec) + 1;
          default -> 0;
        };
    long round = published.get(Math.max(0, newest - behind));
    return switch (random.nextInt(16)) {
      case 0 -> round + NEVER_REACHED;
      case 1 -> round + 1;
      default -> round;
    };
  }

  private void setGradient(
      GradientReport.Builder report, GradientCase form, ModelSpec spec, double bound) {
    int d = spec.getDimension();
    switch (form) {
      case DENSE -> {
        for (int j = 0; j < d; j++) {
          report.getDenseBuilder().addValues(value(bound));
        }
      }
      case GRID -> {
        int exponent =
            spec.hasAdaptiveClip() ? ModelSpecs.gridExponent(bound) : ModelSpecs.gridExponent(spec);
        double step = Math.scalb(1.0, exponent);
        for (int j = 0; j < d; j++) {
          report.getGridBuilder().addValues((int) Math.rint(value(bound) / step));
        }
      }
      case SPARSE -> {
        report.getSparseBuilder().setDimension(d);
        for (int j = random.nextInt(3); j < d; j += 1 + random.nextInt(3)) {
          report.getSparseBuilder().addIndices(j).addValues(value(bound));
        }
      }
      case CANDIDATE ->
          report
              .getCandidateBuilder()
              .setDimension(d)
              .setSeed(random.nextLong())
              .setIndex(random.nextInt(64));
      case ANSWER, VOTE, TOKEN, EXAMPLE, GRADIENT_NOT_SET ->
          throw new IllegalArgumentException(form + " is no gradient of a local model");
    }
  }

  private void setVote(GradientReport.Builder report, ModelSpec spec) {
    int statistic = random.nextInt(spec.getStatisticsCount());
    report.getVoteBuilder().setStatistic(spec.getStatistics(statistic).getName());
    report.getVoteBuilder().setIndex(random.nextInt(2));
  }

  /**
   * Half of the votes of many categories have a seed: those of an epsilon below 2. All texts begin
   * with the first letter, so that it becomes a prefix.
   */
  private void setHashedResponse(GradientReport.Builder report, ModelSpec spec) {
    double epsilon = random.nextDouble(0.5, 4);
    Statistic statistic =
        spec.getStatisticsList().stream()
            .filter(each -> each.getName().equals(report.getVote().getStatistic()))
            .findAny()
            .orElseThrow();
    int categories = Statistics.candidates(statistic);
    int groups = HashedResponseMechanism.of(epsilon, categories).groups();
    if (HashedResponseMechanism.isHashed(epsilon, categories)) {
      long seed = random.nextLong();
      report.getVoteBuilder().setSeed(seed);
      if (statistic.hasPrefixes()) {
        int first = statistic.getPrefixes().getTop();
        report.getVoteBuilder().setIndex(SeededGroups.group(seed, first, groups));
      }
    }
    report.getHashedResponseBuilder().setEpsilon(epsilon).setGroups(groups);
  }

  /** While a model scouts, it asks for sizes only. */
  private void setAnswer(GradientReport.Builder report, ModelSpec spec, boolean isScouting) {
    int questions = spec.getQuestionsCount();
    int question =
        isScouting ? questions : random.nextInt(questions + (spec.hasAdaptiveClip() ? 1 : 0));
    report
        .getAnswerBuilder()
        .setQuestion(
            question == questions ? AdaptiveClips.QUESTION : spec.getQuestions(question).getName())
        .setBit(random.nextInt(3) > 0);
  }

  /** Biased to one side, so that every learner moves; occasionally a negative zero. */
  private double value(double bound) {
    return random.nextInt(20) == 0 ? -0.0 : bound * (random.nextGaussian() / 2 - 0.2);
  }
}
