package io.croupier.operators.model;

import static io.croupier.operators.ledger.EventAssertions.assertAdmitted;
import static io.croupier.operators.ledger.EventAssertions.assertOutcome;
import static io.croupier.operators.model.LiveModel.BundleOutcome.DROPPED_STALE;
import static io.croupier.operators.model.LiveModel.BundleOutcome.TALLIED;
import static io.croupier.operators.model.LocalModels.published;
import static io.croupier.operators.model.LocalModels.restarted;
import static io.croupier.operators.model.TestIntake.judge;
import static io.croupier.operators.model.TestIntake.report;
import static io.croupier.operators.model.TestIntake.sum;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DECLARATION;
import static io.croupier.schemas.AccountingEvent.Outcome.REFUSED_DIMENSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.ledger.MapAccount;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Specs;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Spend;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.StatisticEstimate.TextValues;
import io.croupier.schemas.TextCandidates;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Votes from their bytes to the estimates of an update. */
class VoteIntakeTest {
  private static final String COUNTS =
      "statistics { name: 'screen' choice { categories: ['home', 'cart', 'other'] } }"
          + " statistics { name: 'day' choice { categories: ['a', 'b'] } } ";
  private static final String MANY =
      " statistics { name: 'many' choice { categories: %s } } ".formatted(names(11))
          + " statistics { name: 'most' choice { categories: %s } } ".formatted(names(23));
  private static final String SGD = "ldp_sgd { step_size: 1 decay: 0 }";

  private static ModelSpec spec(String rest) {
    return Specs.of(3, 0.5, COUNTS + rest);
  }

  private static List<String> names(int categories) {
    return IntStream.range(0, categories).mapToObj("'c%d'"::formatted).toList();
  }

  private static String vote(String statistic, int index, double epsilon, int groups) {
    return "vote { statistic: '%s' index: %d } hashed_response { epsilon: %s groups: %d }"
        .formatted(statistic, index, epsilon, groups);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "black_box {}",
        "ldp_sgd { step_size: 1 decay: 0 }",
        "banco { strongest_noise { l2_laplace { epsilon: 1 } } }"
      })
  void aVoteIsAdmittedAndLeavesItsUser(String learner) {
    ModelSpec spec = spec(learner + MANY);
    Report report =
        report(
            "vote { statistic: 'many' seed: 7 index: 1 } hashed_response { epsilon: 1 groups: 4 }");
    assertAdmitted(judge(report, spec, new MapAccount()));
    RoundSum sum = new ReportIntake(spec, 4).withoutUser(report);
    assertThat(sum.form).isEqualTo(VectorForm.VOTE);
    assertThat(sum.question).isEqualTo("many");
    assertThat(sum.seed).isEqualTo(7);
    assertThat(sum.isHashed).isTrue();
    assertThat(sum.group).isEqualTo(1);
    assertThat(sum.groups).isEqualTo(4);
    assertThat(sum.level).isEqualTo(1);
    assertThat(sum.specOffset).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 1, 2.5})
  void costsTheLossOfItsChoice(double epsilon) {
    AccountingEvent event =
        judge(
            vote("screen", 2, epsilon, 3), spec("limits { epsilon: 10 delta: 1e-6 } black_box {}"));
    assertAdmitted(event);
    Cost cost = new HashedResponseMechanism(epsilon, 3).cost();
    Spend spent = event.getSpent();
    assertThat(spent.getEpsilon()).isEqualTo(epsilon);
    assertThat(spent.getRho()).isEqualTo(DecimalUnits.toDouble(cost.rhoPicos(), 12));
    assertThat(spent.getMuOfAll()).isEqualTo(DecimalUnits.rootUp(cost.pureMuSquaredPicos()));
    assertThat(cost.rhoPicos()).isLessThan(Cost.ofEpsilon(epsilon).rhoPicos());
    assertThat(event.getHashedResponse().getGroups()).isEqualTo(3);
  }

  @Test
  void anUnknownStatisticIsRefusedAndCharged() {
    AccountingEvent event = judge(vote("color", 0, 1, 3), spec("black_box {}"));
    assertOutcome(event, REFUSED_DIMENSION)
        .isEqualTo("vote.statistic must be one of the model's: it has screen, day");
    assertThat(event.getSpent().getEpsilon()).isEqualTo(1);
  }

  /** Any others would let a sender move an estimate by more than the groups of the others do. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "screen | 1 | 4 | | groups is 4, and the vote has no seed: it must have 3 groups and no"
            + " seed",
        "screen | 1 | 3 | 7 | groups is 3, and the vote has a seed: it must have 3 groups and no"
            + " seed",
        "screen | 1 | 4 | 7 | groups is 4, and the vote has a seed: it must have 3 groups and no"
            + " seed",
        "many | 1 | 11 | | groups is 11, and the vote has no seed: it must have 4 groups and a"
            + " seed",
        "many | 1 | 4 | | groups is 4, and the vote has no seed: it must have 4 groups and a seed",
        "many | 1 | 2 | 7 | groups is 2, and the vote has a seed: it must have 4 groups and a seed",
        "many | 1 | 3 | 7 | groups is 3, and the vote has a seed: it must have 4 groups and a seed",
        "many | 1 | 1024 | 7 | groups is 1024, and the vote has a seed: it must have 4 groups and"
            + " a",
        "many | 1.2 | 4 | 7 | groups is 4, and the vote has a seed: it must have 11 groups and no",
      })
  void groupsFollowFromEpsilonAndCategories(
      String statistic, double epsilon, int groups, Long seed, String reason) {
    String text = vote(statistic, 0, epsilon, groups);
    AccountingEvent event =
        judge(
            seed == null ? text : text.replace("index", "seed: " + seed + " index"),
            spec("black_box {}" + MANY));
    assertOutcome(event, REFUSED_DECLARATION)
        .contains(reason + (reason.endsWith("seed") ? " for epsilon" : ""));
    assertThat(event.getSpent().getEpsilon()).isEqualTo(epsilon);
  }

  /** At a boundary, the exponential functions of devices round to different sides. */
  @ParameterizedTest
  @CsvSource({"true, 8", "false, 23"})
  void bothSidesOfABoundaryAreAdmitted(boolean isHashed, int groups) {
    // 3 * 7 + 2 = 23 categories.
    String text = vote("most", 0, Math.log(7), groups);
    assertAdmitted(
        judge(
            isHashed ? text.replace("index", "seed: 7 index") : text, spec("black_box {}" + MANY)));
  }

  @Test
  void aCentralModelRefusesVotes() {
    ModelSpec central =
        spec(
                "limits { delta: 1e-6 max_participations: 4 min_separation: 10 } dp_ftrl {"
                    + " clip_norm: 1 noise_multiplier: 2 noise { tree {} } learning_rate: 1 }")
            .toBuilder()
            .clearStatistics()
            .build();
    assertOutcome(judge(vote("screen", 0, 1, 3), central), REFUSED_DIMENSION)
        .endsWith("it has none");
  }

  private static ModelSpec alone(String rest) {
    return Specs.of(3, 0.5, COUNTS + rest).toBuilder()
        .clearDimension()
        .clearGradientBound()
        .clearGridExponent()
        .build();
  }

  /** Votes are the reports of its rounds, and updates have nothing of a gradient. */
  @Test
  void ofAModelWithoutALearnerVotesAreTheRounds() {
    ModelSpec spec = alone("reports_per_round: 2");
    assertThat(ModelSpecs.violations(spec)).isEmpty();
    LiveModel model = LiveModel.begin(spec, 0);
    ModelUpdate first = published(model);
    assertThat(first)
        .isEqualTo(
            ModelUpdate.newBuilder()
                .setModelId(spec.getModelId())
                .setRound(0)
                .setUsed(0)
                .setDroppedStale(0)
                .setDroppedUnpublished(0)
                .setOpen(0)
                .setAnswerProbability(1)
                .setPublishedAtMs(0)
                .setQuestionProbability(1)
                .setAnswers(0)
                .addAllStatistics(first.getStatisticsList())
                .build());
    model.confirm();
    assertThat(model.hasNewRound()).isFalse();
    assertThat(model.add(sum(vote("screen", 0, 1, 3), spec))).isEqualTo(TALLIED);
    assertThat(model.isFull()).isFalse();
    assertThat(model.isAnswered()).isTrue();
    LiveModel restored = restarted(model);
    assertThat(restored.open()).isOne();
    assertThat(restored.add(sum(vote("day", 1, 1, 2), spec))).isEqualTo(TALLIED);
    assertThat(restored.isFull()).isTrue();
    assertThat(restored.hasNewRound()).isTrue();
    ModelUpdate second = published(restored);
    assertThat(second.getRound()).isOne();
    assertThat(second.getUsed()).isEqualTo(2);
    assertThat(second.getOpen()).isZero();
    assertThat(second.getAnswers()).isEqualTo(2);
    assertThat(second.getStatistics(0).getLasting().getVotes()).isOne();
    restored.confirm();
    assertThat(restored.isAnswered()).isFalse();

    LiveModel continued = LiveModel.begin(spec, 0);
    assertThat(LiveModel.continuesFrom(second, spec)).isTrue();
    continued.continueFrom(second);
    assertThat(published(continued).getRound()).isEqualTo(2);
  }

  @Test
  void aModelWithoutALearnerRefusesGradientsAndChargesThem() {
    ModelSpec spec = alone("limits { epsilon: 10 delta: 1e-6 }");
    for (String gradient :
        List.of(
            "grid { values: [1, 2] } l2_laplace { epsilon: 2 }",
            "dense { values: [1] } gaussian { mu: 1 }",
            "candidate { dimension: 3 seed: 1 index: 0 } priv_unit { epsilon: 2 candidates: 256"
                + " top: 90 }")) {
      AccountingEvent event = judge(gradient, spec);
      assertOutcome(event, REFUSED_DIMENSION)
          .contains("must be a vote or an answer, since the model has no");
      assertThat(event.getSpent().getEpsilon() + event.getSpent().getMu()).isBetween(1.0, 2.0);
    }
    AccountingEvent vote = judge(vote("screen", 2, 1, 3), spec);
    assertAdmitted(vote);
    assertThat(vote.getSpent())
        .isEqualTo(
            judge(vote("screen", 2, 1, 3), spec("limits { epsilon: 10 delta: 1e-6 } black_box {}"))
                .getSpent());
  }

  @Test
  void votesMakeEstimatesAndNoSteps() {
    ModelSpec spec = spec("question_probability: 0.1 " + SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    ModelUpdate first = published(model);
    assertThat(first.getQuestionProbability()).isEqualTo(0.1);
    assertThat(first.getStatisticsList())
        .extracting(StatisticEstimate::getStatistic)
        .isEqualTo(spec.getStatisticsList());
    assertThat(first.getStatisticsList()).noneMatch(StatisticEstimate::hasLasting);
    model.confirm();

    for (int i = 0; i < 40; i++) {
      int group = i < 16 ? 0 : i < 28 ? 1 : 2;
      assertThat(model.add(sum(vote("screen", group, Math.log(2), 3), spec))).isEqualTo(TALLIED);
    }
    assertThat(model.hasNewRound()).isFalse();
    ModelUpdate update = published(model);
    assertThat(update.getRound()).isZero();
    assertThat(update.getUsed()).isZero();
    assertThat(update.getAnswers()).isEqualTo(40);
    StatisticEstimate.Fractions screen = update.getStatistics(0).getLasting();
    assertThat(screen.getVotes()).isEqualTo(40);
    assertThat(screen.getFractions(0)).isCloseTo(0.6, within(1e-9));
    assertThat(screen.getFractions(1)).isCloseTo(0.2, within(1e-9));
    assertThat(screen.getFractions(2)).isCloseTo(0.2, within(1e-9));
    assertThat(screen.getLow(0)).isBetween(0.0, 0.4);
    assertThat(screen.getHigh(0)).isBetween(0.8, 1.0);
    assertThat(screen.getProjected(0)).isCloseTo(0.6, within(1e-9));
    assertThat(update.getStatistics(0).getRecent().getVotes()).isEqualTo(40);
    assertThat(update.getStatistics(1).hasLasting()).isFalse();
  }

  /**
   * A device votes on what it was asked, and its vote arrives when another question has the name.
   */
  @Test
  void aLateVoteDoesNotCountForAnotherMeaning() {
    String other = SGD + " statistics { name: 'day' choice { categories: ['c', 'd'] } }";
    ModelSpec asked = spec(SGD);
    ModelSpec anew = Specs.of(3, 0.5, other);
    ModelSpec removed = Specs.of(3, 0.5, SGD);
    for (List<ModelSpec> changes : List.of(List.of(anew), List.of(removed, anew))) {
      LocalModel model = new LocalModel(asked, 0);
      openRound(model);
      changes.forEach(model::respec);
      assertThat(model.add(vote(asked, 0))).isEqualTo(DROPPED_STALE);

      Map<String, byte[]> store = new HashMap<>();
      LocalModels.save(model, store);
      model = LocalModels.restored(anew, store);
      LocalModels.add(model, 0, 1);
      openRound(model);
      assertThat(model.add(vote(asked, 0))).isEqualTo(DROPPED_STALE);
      assertThat(model.add(vote(anew, 1))).isEqualTo(TALLIED);

      for (int round = 1; round <= ModelSpecs.maxStaleness(anew) + 1; round++) {
        LocalModels.add(model, round, 1);
        openRound(model);
      }
      LocalModels.save(model, store);
      assertThat(store.keySet()).noneMatch(name -> name.startsWith("lost-"));
    }
  }

  /** Without weights, votes alone open rounds: those that name the newest one must count. */
  @Test
  void withoutWeightsTheNewestRoundCountsForTheNewMeaning() throws Exception {
    String text = "model_id: 'm' statistics { name: 'day' choice { categories: [%s] } }";
    ModelSpec asked = TextFormat.parse(text.formatted("'a', 'b'"), ModelSpec.class);
    ModelSpec anew = TextFormat.parse(text.formatted("'c', 'd'"), ModelSpec.class);
    LocalModel model = new LocalModel(asked, 0);
    openRound(model);
    assertThat(model.add(vote(asked, 0))).isEqualTo(TALLIED);
    openRound(model);
    model.respec(anew);
    assertThat(model.add(vote(asked, 0))).isEqualTo(DROPPED_STALE);
    assertThat(model.add(vote(anew, 1))).isEqualTo(TALLIED);
  }

  private static void openRound(LocalModel model) {
    ModelUpdateView unused = LocalModels.publish(model, 0);
  }

  private static RoundSum vote(ModelSpec spec, long round) {
    RoundSum sum = sum(vote("day", 1, 1, 2), spec);
    sum.namedRound = round;
    return sum;
  }

  /** Some hashed to 4 groups, with their seeds, of people who are all in category 1. */
  @Test
  void aSeedSaysWhichCategoriesAGroupContains() {
    ModelSpec spec = spec(SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    published(model);
    int n = 3000;
    for (int seed = 0; seed < n; seed++) {
      model.add(
          sum(
              "vote { statistic: 'screen' seed: %d index: %d } hashed_response { epsilon: 16 groups: 4 }"
                  .formatted(seed, SeededGroups.group(seed, 1, 4)),
              spec));
    }
    StatisticEstimate.Fractions screen = published(model).getStatistics(0).getLasting();
    assertThat(screen.getFractions(1)).isCloseTo(1, within(1e-5));
    // Five standard deviations.
    assertThat(screen.getFractions(0)).isCloseTo(0, within(5 * Math.sqrt(1.0 / 3 / n)));
    assertThat(screen.getFractions(2)).isCloseTo(0, within(5 * Math.sqrt(1.0 / 3 / n)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "vote { index: 1 } hashed_response { epsilon: 1 groups: 3 } | vote.statistic must be 1 to"
            + " 100",
        "vote { statistic: 'a' } hashed_response { epsilon: 1 groups: 3 } | vote.index is missing",
        "vote { statistic: 'a' index: 3 } hashed_response { epsilon: 1 groups: 3 } | from 0 to",
        "vote { statistic: 'a' index: -1 } hashed_response { epsilon: 1 groups: 3 } | from 0 to",
        "vote { statistic: 'a' index: 1 } hashed_response { epsilon: 0 groups: 3 } | above 0",
        "vote { statistic: 'a' index: 1 } hashed_response { epsilon: nan groups: 3 } | above 0",
        "vote { statistic: 'a' index: 1 } hashed_response { epsilon: 1 groups: 1 } | from 2 to"
            + " 1024",
        "vote { statistic: 'a' index: 1 } hashed_response { epsilon: 1 } | groups is missing",
        "vote { statistic: 'a' index: 1 } randomised_response { epsilon: 1 } | gradient is",
        "answer { question: 'a' bit: true } hashed_response { epsilon: 1 groups: 3 } | gradient is",
        "vote { statistic: 'a' index: 1 } | declaration is missing",
      })
  void malformedVotesAreDeadLetters(String text, String reason) {
    assertThat(((Received.Malformed) TestIntake.decode(text)).reason()).contains(reason);
  }

  private static final String MINUTES =
      " statistics { name: 'minutes' quantiles { levels: [0.5, 0.9] from: 0 to: 1440 } } ";

  private static String answer(String statistic, boolean isAbove, long round) {
    return "answer { question: '%s' bit: %b } randomised_response { epsilon: 2 } round: %d"
        .formatted(statistic, isAbove, round);
  }

  @Test
  void anAnswerAboutAThresholdIsChargedAsABit() {
    ModelSpec spec = spec(SGD + MINUTES);
    AccountingEvent event = judge(answer("minutes", true, 0), spec);
    assertAdmitted(event);
    assertThat(event.getSpent().getEpsilon()).isEqualTo(2);
    assertThat(event.getSpent().getRho())
        .isEqualTo(DecimalUnits.toDouble(Cost.ofEpsilon(2).rhoPicos(), 12));
    assertOutcome(judge(vote("minutes", 0, 1, 2), spec), REFUSED_DIMENSION);
    assertOutcome(judge(answer("screen", true, 0), spec), REFUSED_DIMENSION)
        .isEqualTo("answer.question must be one of the model's: it asks minutes");
  }

  /** Everyone's value is 100; the threshold moves with each round, and late answers name theirs. */
  @Test
  void thresholdsMoveToTheQuantile() {
    ModelSpec spec = spec(SGD + MINUTES);
    LiveModel model = LiveModel.begin(spec, 0);
    ModelUpdate update = published(model);
    assertThat(update.getStatistics(2).getThreshold()).isCloseTo(0.675 * 1440, within(0.05));
    assertThat(update.getStatistics(2).hasQuantiles()).isFalse();
    Map<Long, Double> thresholds = new HashMap<>();
    for (int round = 0; round < 120; round++) {
      model.confirm();
      thresholds.put(update.getRound(), update.getStatistics(2).getThreshold());
      long named = Math.max(0, update.getRound() - round % 3);
      for (int i = 0; i < 50; i++) {
        // One in nine answers is inverted, which is the share at epsilon 2.08.
        boolean isAbove = (100 > thresholds.get(named)) == (i % 9 != 0);
        assertThat(model.add(sum(answer("minutes", isAbove, named), spec))).isEqualTo(TALLIED);
      }
      assertThat(published(model).getStatistics(2).getThreshold())
          .as("of a round that is published again")
          .isEqualTo(thresholds.get(update.getRound()));
      model.add(sum("grid { values: [0, 0, 0] } l2_laplace { epsilon: 1 } round: " + round, spec));
      update = published(model);
    }
    StatisticEstimate.QuantileValues minutes = update.getStatistics(2).getQuantiles();
    assertThat(minutes.getValuesList()).hasSize(2).allMatch(x -> Math.abs(x - 100) < 60);
    assertThat(minutes.getLow(0)).isLessThanOrEqualTo(minutes.getValues(0));
    assertThat(minutes.getHigh(0)).isGreaterThanOrEqualTo(minutes.getValues(0));
    assertThat(minutes.getAnswers()).isGreaterThan(1000);

    LiveModel restored = restarted(model);
    assertThat(published(restored).getStatisticsList())
        .isEqualTo(published(model).getStatisticsList());

    model.respec(spec.toBuilder().removeStatistics(2).build());
    assertThat(model.isObsolete("thresholds-of-minutes/0")).isTrue();
    assertThat(model.add(sum(answer("minutes", true, update.getRound()), spec)))
        .isEqualTo(DROPPED_STALE);
    // One that is added again has asked at no earlier round.
    model.respec(spec);
    assertThat(model.add(sum(answer("minutes", true, update.getRound() - 1), spec)))
        .isEqualTo(DROPPED_STALE);
    assertThat(model.add(sum(answer("minutes", true, update.getRound()), spec))).isEqualTo(TALLIED);
  }

  private static final String WORDS =
      " statistics { name: 'words' prefixes { alphabet: 'a-z' length: 12 top: 200 } } ";

  /** Of 4,088 candidates: 200 places for texts, and 144 for prefixes with 27 candidates each. */
  @ParameterizedTest
  @CsvSource({"1, 4, 5", "2, 8, 9", "8, 1024, 1023"})
  void theGroupsOfTextsFollowFromTheSpec(double epsilon, int groups, int wrong) {
    ModelSpec spec = spec("black_box {}" + WORDS);
    String text = vote("words", 0, epsilon, groups).replace("index", "seed: 7 index");
    assertAdmitted(judge(text, spec));
    AccountingEvent event = judge(text.replace("groups: " + groups, "groups: " + wrong), spec);
    assertOutcome(event, REFUSED_DECLARATION)
        .contains("it must have " + groups + " groups and a seed");
    assertThat(event.getSpent().getEpsilon()).isEqualTo(epsilon);
  }

  /** Everybody's text is the same, without noise but for the hash; one vote in 5 is late. */
  private static ModelUpdate vote(
      LiveModel model, ModelSpec spec, ModelUpdate update, Map<Long, TextCandidates> lists) {
    TextValues values = update.getStatistics(2).getTexts();
    lists.put(
        update.getRound(),
        new TextCandidates(
            spec.getStatistics(2).getPrefixes(), values.getPrefixesList(), values.getTextsList()));
    for (int i = 0; i < 200; i++) {
      long named = Math.max(0, update.getRound() - (i % 5 == 0 ? 1 : 0));
      long seed = update.getRound() * 1000 + i;
      int group = SeededGroups.group(seed, lists.get(named).of("sun"), 8);
      assertThat(
              model.add(
                  sum(
                      "vote { statistic: 'words' seed: %d index: %d } round: %d hashed_response { epsilon: 2 groups: 8 }"
                          .formatted(seed, i % 4 == 0 ? i / 4 % 8 : group, named),
                      spec)))
          .isEqualTo(TALLIED);
    }
    assertThat(published(model).getStatistics(2).getTexts().getPrefixesList())
        .as("of a round that is published again")
        .isEqualTo(values.getPrefixesList());
    model.add(
        sum(
            "grid { values: [0, 0, 0] } l2_laplace { epsilon: 1 } round: " + update.getRound(),
            spec));
    ModelUpdate next = published(model);
    model.confirm();
    return next;
  }

  @Test
  void textsGrowLetterByLetter() {
    ModelSpec spec = spec(SGD + WORDS);
    LiveModel model = LiveModel.begin(spec, 0);
    ModelUpdate update = published(model);
    model.confirm();
    assertThat(update.getStatistics(2).getTexts().getPrefixesList()).containsExactly("");
    assertThat(update.getStatistics(2).getTexts().getTextsList()).isEmpty();
    Map<Long, TextCandidates> lists = new HashMap<>();
    for (int round = 0; round < 12; round++) {
      update = vote(model, spec, update, lists);
    }
    TextValues words = update.getStatistics(2).getTexts();
    assertThat(words.getPrefixesList()).contains("", "s", "su", "sun");
    assertThat(words.getTextsList()).containsExactly("sun");
    // Three votes in four are as p = 1 instead of 0.51, the others uniform.
    assertThat(words.getFractions(0)).isBetween(1.3, 1.9);
    assertThat(words.getHigh(0)).isEqualTo(1);
    assertThat(words.getVotes()).isGreaterThan(2000);
    assertThat(words.getFractionsCount()).isOne();

    LiveModel restored = restarted(model);
    assertThat(published(restored).getStatisticsList())
        .isEqualTo(published(model).getStatisticsList());
    ModelUpdate continued = vote(restored, spec, update, new HashMap<>(lists));
    assertThat(continued.getStatisticsList())
        .isEqualTo(vote(model, spec, update, lists).getStatisticsList());

    model.respec(spec.toBuilder().removeStatistics(2).build());
    assertThat(model.isObsolete("texts-of-words/0")).isTrue();
    String late =
        "vote { statistic: 'words' seed: 1 index: 1 } hashed_response { epsilon: 2 groups: 8 }"
            + " round: ";
    assertThat(model.add(sum(late + continued.getRound(), spec))).isEqualTo(DROPPED_STALE);
    // One that is added again had a list at no earlier round.
    model.respec(spec);
    assertThat(model.add(sum(late + (continued.getRound() - 1), spec))).isEqualTo(DROPPED_STALE);
    assertThat(model.add(sum(late + continued.getRound(), spec))).isEqualTo(TALLIED);
  }

  @Test
  void anExperimentCountsAllVotesSinceItsStart() {
    ModelSpec spec = spec("experiment: 'first' " + SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    published(model);
    model.add(sum(vote("screen", 0, 1, 3), spec));
    model.add(sum(vote("screen", 1, 1, 3), spec));
    published(model);
    LiveModel restored = restarted(model);
    StatisticEstimate estimate = published(restored).getStatistics(0);
    assertThat(estimate).isEqualTo(published(model).getStatistics(0));
    assertThat(estimate.getAlways().getVotes()).isEqualTo(2);
    assertThat(estimate.getAlways().getFractionsList()).hasSize(3);

    restored.respec(spec.toBuilder().setExperiment("second").build());
    assertThat(published(restored).getStatistics(0).hasAlways()).isFalse();
    restored.respec(spec.toBuilder().clearExperiment().build());
    assertThat(restored.isObsolete("all-votes-of-screen/0")).isTrue();
    assertThat(published(restored).getStatistics(0).getLasting().getVotes()).isEqualTo(2);
  }

  @Test
  void statisticsComeAndGoAndAreRestored() {
    ModelSpec spec = spec(SGD);
    LiveModel model = LiveModel.begin(spec, 0);
    published(model);
    model.add(sum(vote("screen", 0, 1, 3), spec));
    model.add(sum(vote("day", 0, 1, 2), spec));
    LiveModel restored = restarted(model);
    assertThat(published(restored).getStatisticsList())
        .isEqualTo(published(model).getStatisticsList());

    model.respec(spec.toBuilder().removeStatistics(1).build());
    assertThat(model.isObsolete("votes-of-day/0")).isTrue();
    assertThat(model.isObsolete("recent-votes-of-day/0")).isTrue();
    assertThat(model.isObsolete("votes-of-screen/0")).isFalse();
    assertThat(model.add(sum(vote("day", 0, 1, 2), spec))).isEqualTo(DROPPED_STALE);
    ModelUpdate update = published(model);
    assertThat(update.getStatisticsCount()).isOne();
    assertThat(update.getStatistics(0).getLasting().getVotes()).isOne();
    assertThat(update.getAnswers()).isEqualTo(2);

    ModelSpec.Builder changed = spec.toBuilder();
    changed.getStatisticsBuilder(0).getChoiceBuilder().setCategories(0, "start");
    model.respec(changed.build());
    StatisticEstimate anew = published(model).getStatistics(0);
    assertThat(anew.getStatistic()).isEqualTo(changed.getStatistics(0));
    assertThat(anew.hasLasting()).isFalse();
  }
}
