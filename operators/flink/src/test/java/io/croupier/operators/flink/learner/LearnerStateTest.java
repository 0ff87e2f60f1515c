package io.croupier.operators.flink.learner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.RestoredInEveryBackend;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.model.RoundSum;
import io.croupier.schemas.Banco;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.History;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.StrongestNoise;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A run with snapshots and restores equals an uninterrupted run, bit for bit, for every state of
 * the learner.
 */
class LearnerStateTest {

  private interface Scenario {
    void play(LearnerTasks learner) throws Exception;
  }

  /**
   * Plays a scenario with and without restarts at its barriers and at one more at its end.
   *
   * @return the outputs, which are the same in both
   */
  private static List<OutboundRecord> playTwice(Backend backend, Plan plan, Scenario scenario)
      throws Exception {
    List<OutboundRecord> straight = play(Backend.HASH_MAP, Plan.NEVER_STOPPED, scenario);
    List<OutboundRecord> stopped = play(backend, plan, scenario);
    assertThat(bytesByModel(withNews(stopped))).isEqualTo(bytesByModel(withNews(straight)));
    assertThat(newest(stopped)).isEqualTo(newest(straight));
    return stopped;
  }

  private static List<OutboundRecord> play(Backend backend, Plan plan, Scenario scenario)
      throws Exception {
    try (LearnerTasks learner = new LearnerTasks(backend, plan)) {
      scenario.play(learner);
      learner.barrier();
      learner.advanceTime(10_000);
      learner.barrier();
      return learner.outputs();
    }
  }

  /**
   * Leaves out updates of a round that was published before: a restart publishes counts without
   * waiting.
   */
  private static List<OutboundRecord> withNews(List<OutboundRecord> records) {
    Map<String, Long> rounds = new TreeMap<>();
    List<OutboundRecord> kept = new ArrayList<>();
    for (OutboundRecord record : records) {
      if (record.destination == Destination.UPDATES && record.value != null) {
        ModelUpdate update = TestRecords.update(record);
        Long before = rounds.put(update.getModelId(), update.getRound());
        if (before != null && before == update.getRound()) {
          continue;
        }
      }
      kept.add(record);
    }
    return kept;
  }

  /** The last update of each model, but for its time. */
  private static Map<String, ModelUpdate> newest(List<OutboundRecord> records) {
    Map<String, ModelUpdate> newest = new TreeMap<>();
    TestRecords.updates(records)
        .forEach(
            update ->
                newest.put(update.getModelId(), update.toBuilder().clearPublishedAtMs().build()));
    return newest;
  }

  private static Map<String, List<String>> bytesByModel(List<OutboundRecord> records) {
    return Subtasks.bytesByKey(
        records, OutboundRecord.class, record -> new String(record.key, UTF_8));
  }

  private static ModelUpdate last(List<OutboundRecord> records) {
    List<ModelUpdate> updates = TestRecords.updates(records);
    return updates.get(updates.size() - 1);
  }

  /** Every learner, in rounds of one report and of several; those of BANCO time out too. */
  private static List<ModelSpec.Builder> everyLearner() {
    List<ModelSpec.Builder> specs = new ArrayList<>();
    for (int r : new int[] {1, 7}) {
      StrongestNoise.Builder noise =
          StrongestNoise.newBuilder().setL2Laplace(L2Laplace.newBuilder().setEpsilon(1));
      specs.add(TestRecords.blackBox("black-box-" + r).setReportsPerRound(r));
      specs.add(TestRecords.sgd("sgd-" + r).setReportsPerRound(r));
      specs.add(
          TestRecords.common("banco-" + r)
              .setBanco(Banco.newBuilder().setStrongestNoise(noise))
              .setRoundTimeoutMs(1000)
              .setReportsPerRound(r));
      specs.add(
          TestRecords.asking(TestRecords.blackBox("asking-" + r))
              .setMaxStaleness(0)
              .setReportsPerRound(r));
      specs.add(TestRecords.movingClip("moving-clip-" + r).setReportsPerRound(r));
    }
    return specs;
  }

  private static void playModel(LearnerTasks learner) throws Exception {
    SplittableRandom random = new SplittableRandom(17);
    for (ModelSpec.Builder spec : everyLearner()) {
      learner.publish(0, spec);
    }
    for (int barrier = 0; barrier < 35; barrier++) {
      learner.barrier();
      learner.advanceTime(random.nextInt(600));
      for (ModelSpec.Builder spec : everyLearner()) {
        // Some models have no reports, and no snapshot writes them then.
        for (int i = random.nextInt(12) - 3; i > 0; i--) {
          learner.report(anyReport(spec.getModelId(), learner.updates(), random));
        }
      }
    }
    learner.barrier();
    for (int i = 0; i < 3; i++) {
      learner.report(anyReport("sgd-7", learner.updates(), random));
    }
  }

  @RestoredInEveryBackend
  void model(Backend backend, Plan plan) throws Exception {
    List<OutboundRecord> records = playTwice(backend, plan, LearnerStateTest::playModel);
    Map<String, ModelUpdate> newest = new TreeMap<>();
    TestRecords.updates(records).forEach(update -> newest.put(update.getModelId(), update));
    assertThat(newest).hasSize(10);
    assertThat(newest.values()).allSatisfy(update -> assertThat(update.getUsed()).isPositive());
    assertThat(newest.get("asking-1").getDroppedStale()).isPositive();
    assertThat(newest.get("asking-7").getAnswers()).isPositive();
    assertThat(newest.get("asking-7").getEstimatesList()).anyMatch(Estimate::hasFraction);
    assertThat(newest.values()).anySatisfy(update -> assertThat(update.getOpen()).isPositive());
    assertThat(newest.get("moving-clip-1").getGradientBound()).isNotEqualTo(1);
    assertThat(newest.get("moving-clip-1").getQuestionProbability()).isEqualTo(0.02);
    assertThat(newest.get("moving-clip-7").getDroppedBound()).isPositive();
  }

  /** Mostly names one of the last three publications; sometimes one that never was. */
  private static RoundSum anyReport(
      String modelId, List<ModelUpdate> all, SplittableRandom random) {
    List<ModelUpdate> updates = new ArrayList<>();
    for (ModelUpdate update : all) {
      if (update.getModelId().equals(modelId) && isNews(update, updates)) {
        updates.add(update);
      }
    }
    int back = Math.min(updates.size(), 1 + random.nextInt(modelId.startsWith("moving") ? 2 : 3));
    ModelUpdate read = updates.get(updates.size() - back);
    long named = random.nextInt(20) == 0 ? 1_000_000 : read.getRound();
    if (read.hasSize() && random.nextInt(8) < 8 * read.getQuestionProbability()) {
      return TestRecords.clipAnswer(modelId, named, random.nextBoolean());
    }
    if (modelId.startsWith("asking") && random.nextInt(3) == 0) {
      return TestRecords.answer(
          modelId, named, random.nextBoolean() ? "a" : "b", random.nextBoolean());
    }
    RoundSum sum =
        random.nextBoolean()
            ? TestRecords.dense(modelId, named, random.nextGaussian(), random.nextGaussian())
            : TestRecords.grid(modelId, named, random.nextInt(1 << 17), -random.nextInt(1 << 17));
    sum.directionalVariance = 0.5;
    sum.gradientBound = read.hasSize() && random.nextInt(3) > 0 ? read.getGradientBound() : 0;
    return sum;
  }

  /** Not of a round that was published before. */
  private static boolean isNews(ModelUpdate update, List<ModelUpdate> before) {
    return before.isEmpty() || before.get(before.size() - 1).getRound() != update.getRound();
  }

  /** Sparse reports change few chunks of the state, and a publication every average. */
  @RestoredInEveryBackend
  void coordinates(Backend backend, Plan plan) throws Exception {
    int d = 1000;
    List<OutboundRecord> records =
        playTwice(
            backend,
            plan,
            learner -> {
              SplittableRandom random = new SplittableRandom(19);
              for (String model : List.of("words", "boxed", "rounds")) {
                ModelSpec.Builder spec = TestRecords.common(model).setDimension(d);
                spec.getCoordinateWiseBuilder();
                if (model.equals("boxed")) {
                  spec.getCoordinateWiseBuilder().setRadius(0.01);
                }
                spec.setReportsPerRound(model.equals("rounds") ? 3 : 1);
                learner.publish(0, spec);
              }
              learner.barrier();
              for (int barrier = 0; barrier < 30; barrier++) {
                for (String model : List.of("words", "boxed", "rounds")) {
                  long round = lastOf(model, learner.updates()).getRound();
                  for (int i = random.nextInt(6); i > 0; i--) {
                    learner.report(
                        TestRecords.sparse(
                            model, round, d, random.nextInt(d), random.nextDouble() - 0.7));
                  }
                }
                learner.barrier();
              }
            });
    for (String model : List.of("words", "boxed", "rounds")) {
      ModelUpdate update = lastOf(model, TestRecords.updates(records));
      assertThat(update.getUsed()).isGreaterThan(40);
      assertThat(update.getAverageList()).anyMatch(w -> w != 0);
      assertThat(update.getWeightsList()).isNotEqualTo(update.getAverageList());
    }
  }

  private static ModelUpdate lastOf(String modelId, List<ModelUpdate> updates) {
    return updates.stream()
        .filter(update -> update.getModelId().equals(modelId))
        .reduce((former, latter) -> latter)
        .orElseThrow();
  }

  private static void playNextRoundOfARetiredModel(LearnerTasks learner) throws Exception {
    learner.publish(4, TestRecords.sgd("m"));
    learner.barrier();
    for (int i = 0; i < 2; i++) {
      RoundSum sum = TestRecords.dense("m", 0, 1, 0);
      sum.specOffset = 4;
      learner.report(sum);
    }
    learner.retire(5, "m");
    learner.barrier();
    learner.publish(4, TestRecords.sgd("m"));
    learner.barrier();
    learner.publish(6, TestRecords.blackBox("m"));
  }

  @RestoredInEveryBackend
  void nextRoundOfARetiredModel(Backend backend, Plan plan) throws Exception {
    List<OutboundRecord> records =
        playTwice(backend, plan, LearnerStateTest::playNextRoundOfARetiredModel);
    assertThat(records).hasSize(3);
    assertThat(records.get(1).value).as("tombstone").isNull();
    assertThat(last(records).getRound()).as("the first had no step").isEqualTo(1);
    assertThat(last(records).getUsed()).isZero();
  }

  private static void playLastGoodSpec(LearnerTasks learner) throws Exception {
    learner.publish(0, TestRecords.sgd("m"));
    learner.barrier();
    learner.publish(1, TestRecords.sgd("m").setDimension(3));
    learner.barrier();
    learner.publish(2, TestRecords.sgd("m").setGradientBound(9));
    learner.report(TestRecords.dense("m", 0, 0.5, 0));
  }

  @RestoredInEveryBackend
  void lastGoodSpec(Backend backend, Plan plan) throws Exception {
    List<OutboundRecord> records = playTwice(backend, plan, LearnerStateTest::playLastGoodSpec);
    assertThat(records)
        .extracting(record -> record.destination)
        .containsExactly(
            Destination.UPDATES,
            Destination.DEAD_LETTERS,
            Destination.DEAD_LETTERS,
            Destination.UPDATES);
    assertThat(last(records).getWeightsList()).containsExactly(-0.5, 0.0);
  }

  @RestoredInEveryBackend
  void aRollBackToAnAverageThatIsNotKeptIsADeadLetter(Backend backend, Plan plan) throws Exception {
    History history = History.newBuilder().setAverages(2).build();
    List<OutboundRecord> records =
        playTwice(
            backend,
            plan,
            learner -> {
              learner.publish(0, TestRecords.sgd("m").setHistory(history));
              learner.barrier();
              ModelSpec.Builder back = TestRecords.sgd("m").setHistory(history).setServedRound(7);
              learner.publish(1, back);
              learner.barrier();
            });
    assertThat(records)
        .extracting(record -> record.destination)
        .containsExactly(Destination.UPDATES, Destination.DEAD_LETTERS, Destination.UPDATES);
    assertThat(last(records).hasAverageRound()).isFalse();
  }

  private static void playWaitingForSpec(LearnerTasks learner) throws Exception {
    learner.publish(0, TestRecords.sgd("m"));
    learner.barrier();
    for (int offset : new int[] {3, 1, 3}) {
      RoundSum early = TestRecords.dense("m", 0, offset, 0);
      early.specOffset = offset;
      learner.report(early);
      learner.barrier();
    }
    learner.publish(1, TestRecords.sgd("m").setMaxStaleness(2));
    learner.barrier();
    learner.publish(3, TestRecords.sgd("m").setMaxStaleness(3));
    learner.barrier();
    RoundSum answer = TestRecords.dense("m", 1, 0, 0);
    answer.specOffset = 3;
    learner.report(answer);
  }

  @RestoredInEveryBackend
  void waitingForSpec(Backend backend, Plan plan) throws Exception {
    List<OutboundRecord> records = playTwice(backend, plan, LearnerStateTest::playWaitingForSpec);
    assertThat(TestRecords.updates(records))
        .extracting(ModelUpdate::getUsed)
        .containsExactly(0L, 1L, 1L, 4L);
    assertThat(last(records).getWeights(0)).as("1, and the mean of 3, 3 and 0").isEqualTo(-3);
  }

  private static void playRoundTimeouts(LearnerTasks learner) throws Exception {
    for (String model : List.of("m", "n", "o")) {
      learner.publish(0, TestRecords.sgd(model).setReportsPerRound(4).setRoundTimeoutMs(100));
    }
    learner.barrier();
    for (String model : List.of("m", "n", "o")) {
      learner.report(TestRecords.dense(model, 0, 1, 0));
    }
    learner.advanceTime(60);
    learner.barrier();
    learner.report(TestRecords.grid("n", 0, 1 << 16, 1 << 16));
    learner.advanceTime(39);
    learner.barrier();
    learner.advanceTime(1);
  }

  @RestoredInEveryBackend
  void roundTimeouts(Backend backend, Plan plan) throws Exception {
    List<OutboundRecord> records = playTwice(backend, plan, LearnerStateTest::playRoundTimeouts);
    Map<String, ModelUpdate> newest = new TreeMap<>();
    TestRecords.updates(records).forEach(update -> newest.put(update.getModelId(), update));
    assertThat(newest.get("m").getRound()).isEqualTo(1);
    assertThat(newest.get("n").getWeightsList()).containsExactly(-1.0, -0.5);
    assertThat(newest.get("o").getUsed()).isEqualTo(1);
  }
}
