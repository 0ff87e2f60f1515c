package io.croupier.job;

import com.google.protobuf.TextFormat;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Users who train several models on one {@link LogisticProblem}, with the default max_staleness. As
 * with real clients, each report is evaluated at a visible publication, and enters the model before
 * the next batch is evaluated. A backlog consists of the reports sent while no job runs.
 *
 * <p>An earlier release's savepoint was taken in the middle of this scenario, so specs and users
 * must not change.
 */
final class LearningScenario implements AutoCloseable {
  /** The one central model; its noise is negligible, so that updates show its sums. */
  static final String CENTRAL = "tree";

  /** The local model with several reports per round. */
  static final String SEVERAL_A_ROUND = "black-box";

  /** The model that receives most of the reports. */
  static final String ADAPTIVE = "adaptive-radius";

  /** Number of reports that a round of the central model requires. */
  static final int CENTRAL_GOAL = 16;

  private static final int USERS = 24;
  private static final int OLDEST_OF_BACKLOG = 8;

  private static final List<ModelSpec> SPECS =
      List.of(
          spec("model_id: 'adaptive-radius' gradient_bound: 4 adaptive_radius {}"),
          spec(
              "model_id: 'banco' gradient_bound: 3 initial_wealth: 1000 limits { epsilon: 1000000 }"
                  + " banco { strongest_noise { l2_laplace { epsilon: 16 } } }"),
          spec(
              "model_id: 'coordinate-wise' gradient_bound: 1 initial_wealth: 100 coordinate_wise {}"),
          spec(
              "model_id: 'black-box' gradient_bound: 3 reports_per_round: 8 initial_wealth: 10"
                  + " black_box {}"),
          spec(
              "model_id: 'ldp-sgd' gradient_bound: 3 limits { reports: 1000000 }"
                  + " ldp_sgd { step_size: 0.2 decay: 0.5 radius: 5 }"),
          spec(
              "model_id: 'tree' gradient_bound: 3 reports_per_round: "
                  + CENTRAL_GOAL
                  + " limits { delta: 1e-6 max_participations: 30 min_separation: 1 }"
                  + " dp_ftrl { clip_norm: 3 noise_multiplier: 1e-9 learning_rate: 1"
                  + " noise { tree {} } }"));

  private final TestTopics testTopics;
  private final Random random;
  private final LogisticAnswers people;
  private final FollowedUpdates updates;
  private final Map<String, List<GradientReport>> byUser = new LinkedHashMap<>();
  private final Map<String, List<GradientReport>> byModel = new LinkedHashMap<>();
  private int reports;

  /** Users whose data and noise derive from {@code seed}, and who have sent no report yet. */
  LearningScenario(TestTopics testTopics, long seed) {
    this.testTopics = testTopics;
    random = new Random(seed);
    people = new LogisticAnswers(random);
    updates = new FollowedUpdates(testTopics);
  }

  private static ModelSpec spec(String text) {
    try {
      return TextFormat.parse(
          "dimension: %d %s".formatted(LogisticProblem.DIMENSION, text), ModelSpec.class);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** The models whose users add noise themselves. */
  static List<String> local() {
    return localSpecs().stream().map(ModelSpec::getModelId).toList();
  }

  /** Their specs. */
  private static List<ModelSpec> localSpecs() {
    return SPECS.stream().filter(spec -> !spec.getModelId().equals(CENTRAL)).toList();
  }

  /**
   * The same with the default initial wealth. That of the scenario suits rounds of one report:
   * rounds of many have much less noise, and bettors bet a larger part of their wealth on them.
   */
  static List<ModelSpec> specsForManyReports() {
    return localSpecs().stream()
        .map(spec -> spec.toBuilder().clearInitialWealth().build())
        .toList();
  }

  /** Reports to each local model in the backlog. */
  static int backlog(String modelId) {
    return modelId.equals(ADAPTIVE) ? 800 : 400;
  }

  /** Publishes the models, and waits for their first updates. */
  void publish() throws Exception {
    SPECS.forEach(testTopics::publish);
    testTopics.flush();
    for (ModelSpec spec : SPECS) {
      updates.await(spec.getModelId(), update -> true);
    }
  }

  /** Records a report as already sent by these users. */
  void recall(GradientReport report) {
    byUser.computeIfAbsent(report.getUserId(), id -> new ArrayList<>()).add(report);
    byModel.computeIfAbsent(report.getModelId(), id -> new ArrayList<>()).add(report);
    reports++;
  }

  /** The number of expected events. */
  int reports() {
    return reports;
  }

  /** The reports of each user, in order. */
  Map<String, List<GradientReport>> byUser() {
    return byUser;
  }

  /** The reports to a model, in order. */
  List<GradientReport> to(String modelId) {
    return byModel.getOrDefault(modelId, List.of());
  }

  /** Every visible update of a model that was read so far, in order. */
  List<ModelUpdate> updates(String modelId) {
    return updates.of(modelId);
  }

  /** Waits until every report has entered its model, and returns the newest update of each. */
  Map<String, ModelUpdate> awaitTaken() throws Exception {
    Map<String, ModelUpdate> newest = new LinkedHashMap<>();
    for (String model : local()) {
      newest.put(model, updates.await(model, update -> taken(update) == to(model).size()));
    }
    return newest;
  }

  /** Reports that an update accounts for. */
  static long taken(ModelUpdate update) {
    return update.getUsed() + update.getOpen() + dropped(update);
  }

  /** Admitted reports that entered no round. */
  static long dropped(ModelUpdate update) {
    return update.getDroppedStale() + update.getDroppedUnpublished() + update.getDroppedBound();
  }

  /** One batch to every local model, evaluated at the newest visible publication. */
  void teach(int toAdaptive, int toEachOther) throws Exception {
    for (String model : local()) {
      ModelUpdate newest = updates.publication(model, 0);
      for (int i = 0; i < (model.equals(ADAPTIVE) ? toAdaptive : toEachOther); i++) {
        sendNoised(newest);
      }
    }
    testTopics.flush();
    awaitTaken();
  }

  /** Sends answers to the newest publication that is known. */
  void answerNewest(String model, int count) throws Exception {
    updates.catchUp();
    for (int i = 0; i < count; i++) {
      sendNoised(updates.publication(model, 0));
    }
    testTopics.flush();
  }

  /** Fills the central model's open round, and waits until the round is closed. */
  void finishCentralRound() throws Exception {
    ModelUpdate newest = updates.await(CENTRAL, update -> true);
    answerCentral(CENTRAL_GOAL - answers(newest.getRound()).size());
    testTopics.flush();
    updates.await(CENTRAL, update -> update.getRound() == newest.getRound() + 1);
  }

  /**
   * Sends {@code count} answers to the central model's open round from users who haven't answered
   * it.
   */
  void answerCentral(int count) {
    ModelUpdate newest = updates.publication(CENTRAL, 0);
    Set<String> answered = answers(newest.getRound());
    for (int i = 0, left = count; left > 0; i++) {
      // Two groups alternate, as min_separation requires.
      String user = "member-%d-%d".formatted(newest.getRound() % 2, i);
      if (!answered.contains(user)) {
        send(from(user, people.raw(newest)));
        left--;
      }
    }
  }

  private Set<String> answers(long round) {
    Set<String> users = new HashSet<>();
    for (GradientReport report : to(CENTRAL)) {
      if (report.getRound() == round) {
        users.add(report.getUserId());
      }
    }
    return users;
  }

  /** Sends a backlog: half of it names the newest publication, the rest the eight before. */
  void leaveBacklog(int toCentral) throws Exception {
    List<String> models = new ArrayList<>();
    for (String model : local()) {
      models.addAll(Collections.nCopies(backlog(model), model));
    }
    Collections.shuffle(models, random);
    for (String model : models) {
      int before = random.nextBoolean() ? 0 : 1 + random.nextInt(OLDEST_OF_BACKLOG);
      sendNoised(updates.publication(model, before));
    }
    answerCentral(toCentral);
    testTopics.flush();
  }

  private void sendNoised(ModelUpdate at) {
    send(from("person-" + reports % USERS, people.noised(at)));
  }

  private void send(GradientReport report) {
    testTopics.send(report);
    recall(report);
  }

  private GradientReport from(String user, GradientReport.Builder answer) {
    return answer
        .setUserId(user)
        .setDeviceId("phone")
        .setSequence(byUser.getOrDefault(user, List.of()).size() + 1)
        .build();
  }

  /** Shape [d]. */
  static double[] weights(ModelUpdate update) {
    return update.getWeightsList().stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Shape [d]. */
  static double[] average(ModelUpdate update) {
    return update.getAverageList().stream().mapToDouble(Double::doubleValue).toArray();
  }

  /**
   * The weights, without noise, that the central model must have once all rounds below {@code
   * round} are closed.
   */
  double[] centralWeights(long round) {
    ModelSpec spec = SPECS.get(SPECS.size() - 1);
    double step = Math.scalb(1.0, ModelSpecs.gridExponent(spec));
    double[] weights = new double[LogisticProblem.DIMENSION];
    for (GradientReport report : to(CENTRAL)) {
      for (int j = 0; report.getRound() < round && j < weights.length; j++) {
        weights[j] -= report.getGrid().getValues(j) * step / CENTRAL_GOAL;
      }
    }
    return weights;
  }

  @Override
  public void close() {
    updates.close();
  }
}
