package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.TextFormat;
import io.croupier.schemas.Central;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
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
 * People who teach several models one {@link LogisticProblem}, with the default max_staleness: each
 * report is evaluated at a visible publication, as clients do, and enters the model before the next
 * batch is evaluated. A backlog is what they send while no job runs.
 *
 * <p>A savepoint of an earlier release was kept in the middle of this, so specs and users stay as
 * they are.
 */
final class LearningScenario implements AutoCloseable {
  /** The one central model; it has next to no noise, so that updates show its sums. */
  static final String CENTRAL = "tree";

  /** The local model that takes several reports into a round. */
  static final String SEVERAL_A_ROUND = "black-box";

  /** The model that most of the reports are to. */
  static final String ADAPTIVE = "adaptive-radius";

  /** Reports that a round of the central model waits for. */
  static final int CENTRAL_GOAL = 16;

  /** Small whole numbers, so that totals of epsilon are exact whatever the order. */
  private static final double EPSILON = 16;

  private static final double TAU = 2;
  private static final double MU = 4;

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

  private final Table table;
  private final Random random;
  private final FollowedUpdates updates;
  private final Map<String, List<GradientReport>> byUser = new LinkedHashMap<>();
  private final Map<String, List<GradientReport>> byModel = new LinkedHashMap<>();
  private int reports;

  /** People whose data and noise come from {@code seed}, and who have sent nothing yet. */
  LearningScenario(Table table, long seed) {
    this.table = table;
    random = new Random(seed);
    updates = new FollowedUpdates(table);
  }

  private static ModelSpec spec(String text) {
    try {
      return TextFormat.parse(
          "dimension: %d %s".formatted(LogisticProblem.DIMENSION, text), ModelSpec.class);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** The models that people add noise for themselves. */
  static List<String> local() {
    return SPECS.stream().map(ModelSpec::getModelId).filter(id -> !id.equals(CENTRAL)).toList();
  }

  /** Reports to each local model in the backlog. */
  static int backlog(String modelId) {
    return modelId.equals(ADAPTIVE) ? 800 : 400;
  }

  /** Publishes the models, and waits until they have begun. */
  void publish() throws Exception {
    SPECS.forEach(table::publish);
    table.flush();
    for (ModelSpec spec : SPECS) {
      updates.await(spec.getModelId(), update -> true);
    }
  }

  /** Takes a report for sent, by these people, before now. */
  void recall(GradientReport report) {
    byUser.computeIfAbsent(report.getUserId(), id -> new ArrayList<>()).add(report);
    byModel.computeIfAbsent(report.getModelId(), id -> new ArrayList<>()).add(report);
    reports++;
  }

  /** How many events there must be. */
  int reports() {
    return reports;
  }

  /** What each person has sent, in order. */
  Map<String, List<GradientReport>> byUser() {
    return byUser;
  }

  /** What was sent to a model, in order. */
  List<GradientReport> to(String modelId) {
    return byModel.getOrDefault(modelId, List.of());
  }

  /** Every visible update of a model that was seen so far, in order. */
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
    return update.getDroppedStale() + update.getDroppedUnpublished();
  }

  /** One batch to every local model, evaluated at the newest visible publication. */
  void teach(int toAdaptive, int toEachOther) throws Exception {
    for (String model : local()) {
      ModelUpdate newest = updates.publication(model, 0);
      for (int i = 0; i < (model.equals(ADAPTIVE) ? toAdaptive : toEachOther); i++) {
        send(noised(model, newest));
      }
    }
    table.flush();
    awaitTaken();
  }

  /** Fills the central model's open round, and waits until it is closed. */
  void finishCentralRound() throws Exception {
    ModelUpdate newest = updates.await(CENTRAL, update -> true);
    answerCentral(CENTRAL_GOAL - answers(newest.getRound()).size());
    table.flush();
    updates.await(CENTRAL, update -> update.getRound() == newest.getRound() + 1);
  }

  /** So many of those answer the central model's open round who haven't yet. */
  void answerCentral(int count) {
    ModelUpdate newest = updates.publication(CENTRAL, 0);
    Set<String> answered = answers(newest.getRound());
    for (int i = 0, left = count; left > 0; i++) {
      // Two groups take turns, as min_separation demands.
      String user = "member-%d-%d".formatted(newest.getRound() % 2, i);
      if (!answered.contains(user)) {
        send(raw(user, newest));
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

  /** Half of a backlog is of the newest publication, the rest of the eight before. */
  void leaveBacklog(int toCentral) throws Exception {
    List<String> models = new ArrayList<>();
    for (String model : local()) {
      models.addAll(Collections.nCopies(backlog(model), model));
    }
    Collections.shuffle(models, random);
    for (String model : models) {
      int before = random.nextBoolean() ? 0 : 1 + random.nextInt(OLDEST_OF_BACKLOG);
      send(noised(model, updates.publication(model, before)));
    }
    answerCentral(toCentral);
    table.flush();
  }

  private void send(GradientReport report) {
    String topic = report.hasCentral() ? table.topics.rawGradients() : table.topics.gradients();
    table.send(topic, report.getUserId().getBytes(UTF_8), report.toByteArray());
    recall(report);
  }

  private GradientReport noised(String model, ModelUpdate at) {
    GradientReport.Builder report = report(model, "person-" + reports % USERS, at);
    double bound = at.getGradientBound();
    double[] gradient = LogisticProblem.gradient(weights(at), random);
    switch (model) {
      case "coordinate-wise" -> {
        report.setCoordinateLaplace(
            CoordinateLaplace.newBuilder()
                .addAllTaus(Collections.nCopies(LogisticProblem.DIMENSION, TAU)));
        for (int j = 0; j < gradient.length; j++) {
          double sign = random.nextBoolean() ? 1 : -1;
          gradient[j] += sign * exponential() * 2 * bound / TAU;
        }
      }
      case "ldp-sgd" -> {
        report.setGaussian(Gaussian.newBuilder().setMu(MU));
        for (int j = 0; j < gradient.length; j++) {
          gradient[j] += random.nextGaussian() * 2 * bound / MU;
        }
      }
      default -> {
        report.setL2Laplace(L2Laplace.newBuilder().setEpsilon(EPSILON));
        addL2Laplace(gradient, 2 * bound / EPSILON);
      }
    }
    return report.setGrid(grid(gradient, at)).build();
  }

  /** Of uniform direction, and a length that is Gamma(d, scale). */
  private void addL2Laplace(double[] gradient, double scale) {
    double length = 0;
    double squares = 0;
    double[] direction = new double[gradient.length];
    for (int j = 0; j < gradient.length; j++) {
      length += scale * exponential();
      direction[j] = random.nextGaussian();
      squares += direction[j] * direction[j];
    }
    for (int j = 0; j < gradient.length; j++) {
      gradient[j] += length / Math.sqrt(squares) * direction[j];
    }
  }

  private double exponential() {
    return -Math.log(1 - random.nextDouble());
  }

  private GradientReport raw(String user, ModelUpdate at) {
    return report(CENTRAL, user, at)
        .setGrid(grid(LogisticProblem.gradient(weights(at), random), at))
        .setCentral(Central.getDefaultInstance())
        .build();
  }

  private GradientReport.Builder report(String model, String user, ModelUpdate at) {
    return GradientReport.newBuilder()
        .setModelId(model)
        .setRound(at.getRound())
        .setUserId(user)
        .setDeviceId("phone")
        .setSequence(byUser.getOrDefault(user, List.of()).size() + 1);
  }

  /** Rounded towards zero, as clients do. */
  private static Grid grid(double[] gradient, ModelUpdate at) {
    Grid.Builder grid = Grid.newBuilder();
    for (double value : gradient) {
      grid.addValues((int) Math.scalb(value, -at.getGridExponent()));
    }
    return grid.build();
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
   * The weights that the central model must have once it has closed all rounds below {@code round},
   * but for its noise.
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
