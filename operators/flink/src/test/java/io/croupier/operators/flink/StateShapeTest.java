package io.croupier.operators.flink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.flink.learner.LearnerTasks;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.AnswerContent;
import io.croupier.operators.report.ExampleContent;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.VectorForm;
import io.croupier.operators.report.VoteContent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Names in state must not change. Flink treats a renamed entry as a deleted and a new one, without
 * an error: the old value is lost.
 */
class StateShapeTest {
  private static final String RULE =
      """
      What the state consists of differs from %s, so states of before it lose what was renamed, or
      are refused where a type has changed. lab/state.md says:
       - names of states, timers and chunks are never renamed or reused, and retired ones stay listed;
       - fields may come and go, but never change name or type;
       - one that an old state doesn't have restores as 0, or as its initial value: that must mean 'absent'.
      If the change keeps to that, add its line to the file, and show that an old savepoint restores\
      """;

  private static final List<String> LOCAL =
      List.of(
          "black_box { radius: 3 }",
          "banco { strongest_noise { l2_laplace { epsilon: 1 } } }",
          "ldp_sgd { step_size: 1 decay: 0 }",
          "coordinate_wise {}",
          "combined {}",
          "coordinate_wise { prior { conjugate {} } } averaging { polynomial { degree: 3 } }",
          "black_box {} questions { name: 'a' accuracy {} }",
          "black_box {} statistics { name: 's' choice { categories: ['a', 'b'] } }",
          "black_box {} statistics { name: 'a' quantiles { levels: 0.5 from: 0 to: 1 } }",
          "black_box {} statistics { name: 's' prefixes { alphabet: 'ab' length: 2 top: 1000 } }",
          "statistics { name: 's' choice { categories: ['a', 'b'] } }",
          "black_box {} adaptive_clip { size: FEATURES }",
          "black_box {} memory { half_life: 9 }",
          "coordinate_wise {} memory { half_life: 9 }",
          "combined {} memory { automatic {} }",
          "black_box {} history { averages: 2 }",
          "black_box {} anonymous { publications: 1000 levels { priv_unit { epsilon: 1 } } }");

  private static final List<String> CENTRAL =
      List.of(
          "dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1 momentum: 0.5"
              + " noise { tree { variance_reduced: false } } }",
          "dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1 noise { tree {} } }",
          "dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1"
              + " noise { blt { buffers: 2 horizon: 5 } } }",
          "dp_ftrl_least_squares { x_norm: 1 y_bound: 1 radius: 5 noise_multiplier: 1 lambda: 1"
              + " noise { tree {} } }",
          "dp_ftrl_parameter_free { clip_norm: 1 noise_multiplier: 1 restart_every: 2"
              + " noise { tree {} } }");

  private static final int REPORTS_PER_ROUND = 3;

  /** Three rounds, and two thirds of one more. */
  private static final int REPORTS = 11;

  @Test
  void fieldsKeepTheirNames() throws Exception {
    List<String> lines = new ArrayList<>();
    StatePojosTest.classes()
        .sorted(Comparator.comparing(Class::getName))
        .forEach(
            type -> {
              lines.add(type.getName());
              Arrays.stream(type.getFields())
                  .filter(
                      field -> (field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) == 0)
                  .map(field -> "  " + field.getName() + ": " + text(field.getType()))
                  .sorted()
                  .forEach(lines::add);
            });
    compare("fields.txt", lines);
  }

  /** The names of an enum's constants identify them in state. */
  private static String text(Class<?> type) {
    return type.isEnum()
        ? Arrays.stream(type.getEnumConstants())
            .map(Object::toString)
            .collect(Collectors.joining(" ", type.getName() + " ", ""))
        : type.getCanonicalName();
  }

  @Test
  void statesKeepTheirNames() throws Exception {
    List<String> lines = new ArrayList<>();
    for (Field field : StateNames.class.getDeclaredFields()) {
      lines.add((String) field.get(null));
    }
    lines.sort(Comparator.naturalOrder());
    compare("names.txt", lines);
  }

  @Test
  void chunksKeepTheirNames() throws Exception {
    Map<String, Set<String>> names = new LinkedHashMap<>();
    for (String learner : LOCAL) {
      names.put(learner, chunks(learner, ""));
    }
    for (String learner : CENTRAL) {
      names.put(
          learner,
          chunks(learner, "limits { delta: 1e-6 max_participations: 2 min_separation: 1 }"));
    }
    List<String> lines = new ArrayList<>();
    names.forEach(
        (learner, chunks) -> {
          lines.add(learner);
          chunks.forEach(chunk -> lines.add("  " + chunk));
        });
    compare("chunks.txt", lines);
    try (InputStream in = StateShapeTest.class.getResourceAsStream("/state/former-chunks.txt")) {
      Set<String> current = new TreeSet<>();
      names.values().forEach(current::addAll);
      assertThat(new String(in.readAllBytes(), UTF_8).lines())
          .as("names of chunks up to release 0.2.0 that are retired")
          .hasSizeGreaterThan(50)
          .doesNotContainAnyElementsOf(current);
    }
  }

  /**
   * Returns the names of all chunks of a model with a partly full round; numbers in them become
   * {@code N}.
   */
  private static Set<String> chunks(String learner, String more) throws Exception {
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setDimension(2)
            .setGradientBound(1)
            .setMaxStaleness(1000)
            .setReportsPerRound(REPORTS_PER_ROUND);
    TextFormat.merge(learner + more, spec);
    boolean learns = ModelSpecs.hasLearner(spec.build());
    if (spec.hasAdaptiveClip() || !learns) {
      spec.clearGradientBound();
    }
    if (!learns) {
      spec.clearDimension();
    }
    boolean central = ModelSpecs.isCentral(spec.build());
    if (!central) {
      spec.setRoundTimeoutMs(1000);
    }
    Set<String> stored = new TreeSet<>();
    try (LearnerTasks tasks = new LearnerTasks(Backend.HASH_MAP, Plan.NEVER_STOPPED)) {
      tasks.publish(0, spec);
      tasks.barrier();
      ReportIntake intake = new ReportIntake(spec.build(), 0);
      if (spec.hasAdaptiveClip()) {
        scout(tasks);
      }
      ModelUpdate first = tasks.lastUpdate();
      for (int i = 0; i < REPORTS; i++) {
        RoundSum sum = intake.withoutUser(learns ? report(spec, central, i, first) : vote());
        sum.namedRound = central ? i / REPORTS_PER_ROUND : sum.namedRound;
        sum.anonymousLevel = spec.hasAnonymous() ? 1 : 0;
        tasks.report(sum);
        tasks.barrier();
        stored.addAll(tasks.stored("m"));
      }
      if (!central) {
        if (spec.getQuestionsCount() > 0) {
          tasks.report(intake.withoutUser(answer()));
        }
        if (spec.getStatisticsCount() > 0 && spec.getStatistics(0).hasQuantiles()) {
          tasks.report(intake.withoutUser(answer()));
        } else if (spec.getStatisticsCount() > 0) {
          tasks.report(intake.withoutUser(vote()));
        }
        tasks.barrier();
        stored.addAll(tasks.stored("m"));
      }
      if (spec.getQuestionsCount() > 0) {
        // The name loses its meaning, and late answers may still name rounds of it.
        tasks.publish(1, spec.clearQuestions());
        tasks.barrier();
        stored.addAll(tasks.stored("m"));
      }
    }
    assertThat(stored).as(learner).anyMatch(name -> name.matches("model/(open|round-0).*"));
    return stored.stream()
        .map(name -> name.replaceAll("(?<![a-z])\\d+", "N"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Answers until the model asks for gradients. */
  private static void scout(LearnerTasks tasks) throws Exception {
    while (tasks.lastUpdate().getQuestionProbability() == 1) {
      for (int i = 0; i < 4; i++) {
        tasks.report(TestRecords.clipAnswer("m", tasks.lastUpdate().getRound(), i % 2 == 0));
      }
      tasks.barrier();
    }
  }

  /** A report of the round of an update, with its bound. */
  private static Report report(ModelSpec.Builder spec, boolean central, int i, ModelUpdate update) {
    ReportDraft report = TestRecords.report("ada", i, "m", 0.5, -0.25);
    report.round = update.getRound();
    report.gradientBound = update.getGradientBound();
    if (central) {
      report.mechanism = CentralNoise.CENTRAL;
    }
    if (spec.hasDpFtrlLeastSquares()) {
      report.content = new ExampleContent(report.values, 0.5);
    } else if (spec.hasCoordinateWise() && i % REPORTS_PER_ROUND == 0) {
      report.form = VectorForm.SPARSE;
      report.values = PackedVectors.encode(new double[] {0.5});
      report.indices = new int[] {1};
    } else if (i % REPORTS_PER_ROUND == 1) {
      report.form = VectorForm.GRID;
      report.values = PackedVectors.encode(new int[] {1 << 15, 1});
    }
    return report.build();
  }

  private static Report answer() {
    ReportDraft report = TestRecords.report("ada", 0, "m");
    report.content = new AnswerContent("a", false);
    report.mechanism = new RandomisedResponseMechanism(1, false);
    return report.build();
  }

  private static Report vote() {
    ReportDraft report = TestRecords.report("ada", 0, "m");
    report.content = new VoteContent("s", false, 0, 0);
    report.mechanism = new HashedResponseMechanism(1, 2);
    return report.build();
  }

  private static void compare(String file, List<String> lines) throws IOException {
    try (InputStream in = StateShapeTest.class.getResourceAsStream("/state/" + file)) {
      List<String> kept = Stream.of(new String(in.readAllBytes(), UTF_8).split("\n")).toList();
      assertThat(lines)
          .as(RULE.formatted("operators/flink/src/test/resources/state/" + file))
          .containsExactlyElementsOf(kept);
    }
  }
}
