package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Simulation;
import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Question;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(600)
class SimulatedClientsTest {

  private static final int PEOPLE = 20;

  private MockProducer<byte[], byte[]> producer = producer(true);
  private final Problem problem = Simulation.logistic(PEOPLE, 1).problem();

  @Test
  void everyPersonReportsOnceToEveryModelInOrder() throws Exception {
    try (SimulatedClients simulatedClients = clients(3, 1, 2)) {
      simulatedClients.start(1e6, () -> false);
      awaitEnd(simulatedClients);
    }

    List<GradientReport> reports = reports();
    assertThat(reports)
        .extracting(report -> report.getUserId() + report.getModelId() + report.getSequence())
        .containsExactly("p3a0", "p3b1", "p1a0", "p1b1", "p2a0", "p2b1");
    assertThat(reports.subList(0, 4)).allMatch(report -> report.getL2Laplace().getEpsilon() == 8);
    assertThat(reports.subList(4, 6)).allMatch(GradientReport::hasUndisclosed);
    assertThat(reports).allMatch(report -> report.getRound() == 7);
  }

  /** A device is not asked with probability 1e-7. */
  @Test
  void thoseWhoDontDiscloseTheirNoiseAnswerNoQuestion() throws Exception {
    Question question =
        Question.newBuilder().setName("a").setAccuracy(Accuracy.getDefaultInstance()).build();
    ModelSnapshot asking = Snapshots.asking("a", 6, question);
    try (SimulatedClients simulatedClients = clients(() -> asking, 8, 3, 1, 2)) {
      simulatedClients.start(1e6, () -> false);
      awaitEnd(simulatedClients);
      spinWhile(() -> simulatedClients.sent() < 5);
      assertThat(simulatedClients.sent()).isEqualTo(5);
      assertThat(simulatedClients.due()).isEqualTo(5);
    }

    assertThat(reports())
        .extracting(
            report -> report.getUserId() + report.getModelId() + report.getDeclarationCase())
        .containsExactly(
            "p3aRANDOMISED_RESPONSE",
            "p3bL2_LAPLACE",
            "p1aRANDOMISED_RESPONSE",
            "p1bL2_LAPLACE",
            "p2bUNDISCLOSED");
  }

  /** Everybody is asked, and answers truthfully up to the noise of epsilon 40. */
  @ParameterizedTest
  @EnumSource(names = {"FEATURES", "GRADIENT"})
  void whileAModelScoutsAllAnswerForTheirSize(AdaptiveClip.Size size) throws Exception {
    ModelSnapshot scouting = Snapshots.scouting("a", 6, size, 0.5);
    int[] order = IntStream.range(0, PEOPLE).toArray();
    try (SimulatedClients simulatedClients = clients(() -> scouting, 40, order)) {
      simulatedClients.start(1e6, () -> false);
      awaitEnd(simulatedClients);
      // Person 2 discloses nothing, and has nothing to report at the second visit either.
      spinWhile(() -> simulatedClients.due() > 39);
      assertThat(simulatedClients.due()).isEqualTo(39);
    }

    List<Boolean> bits = new ArrayList<>();
    List<Boolean> truth = new ArrayList<>();
    for (GradientReport report : reports()) {
      if (report.getModelId().equals("a")) {
        assertThat(report.getAnswer().getQuestion()).isEqualTo("clip");
        bits.add(report.getAnswer().getBit());
        int person = Integer.parseInt(report.getUserId().substring(1));
        truth.add(problem.size(scouting.terms(), person, new double[6]) > 0.5);
      }
    }
    assertThat(bits).hasSize(PEOPLE - 1).isEqualTo(truth);
    assertThat(truth).contains(true, false);
  }

  /** No device is asked while the model scouts, but with a probability of 20 times 1e-12. */
  @Test
  void whomAScoutingModelDoesNotAskComesAgain() throws Exception {
    ModelSnapshot scouting =
        Snapshots.scoutingAmong("a", 6, AdaptiveClip.Size.GRADIENT, 0.5, 1e-12);
    AtomicReference<ModelSnapshot> newest = new AtomicReference<>(scouting);
    int[] order = IntStream.range(0, PEOPLE).toArray();
    AtomicReference<SimulatedClients> started = new AtomicReference<>();
    try (SimulatedClients simulatedClients = clients(newest::get, 8, order)) {
      started.set(simulatedClients);
      simulatedClients.start(
          1e6, () -> started.get().reported() == PEOPLE && newest.get().isScouting());
      awaitEnd(simulatedClients);
      assertThat(simulatedClients.sent()).as("to the other model").isEqualTo(PEOPLE);
      assertThat(simulatedClients.due()).isEqualTo(2 * PEOPLE);
      newest.set(Snapshots.moving("a", 6, AdaptiveClip.Size.GRADIENT));
      spinWhile(() -> simulatedClients.sent() < 2 * PEOPLE);
    }

    List<GradientReport> reports = reports();
    assertThat(reports).hasSize(2 * PEOPLE).noneMatch(GradientReport::hasAnswer);
    assertThat(reports.subList(0, PEOPLE)).allMatch(report -> report.getModelId().equals("b"));
    assertThat(reports.subList(PEOPLE, 2 * PEOPLE))
        .extracting(report -> report.getUserId() + report.getModelId() + report.getSequence())
        .isEqualTo(Arrays.stream(order).mapToObj(person -> "p" + person + "a1").toList());
    assertThat(reports.subList(PEOPLE, 2 * PEOPLE))
        .allMatch(report -> report.getGradientBound() == Snapshots.GRADIENT_BOUND);
  }

  @Test
  void gradientsFollowTheClipOfEachModel() throws Exception {
    ModelSnapshot moving = Snapshots.moving("a", 6, AdaptiveClip.Size.FEATURES);
    try (SimulatedClients simulatedClients = clients(() -> moving, 1e12, 1)) {
      simulatedClients.start(1e6, () -> false);
      awaitEnd(simulatedClients);
    }

    double[] gradient = new double[6];
    problem.gradient(1, new double[6], gradient);
    double size = problem.size(moving.terms(), 1, new double[6]);
    assertThat(size).isGreaterThan(Snapshots.GRADIENT_BOUND);
    double[] inSteps = new double[6];
    for (int j = 0; j < 6; j++) {
      inSteps[j] = Math.scalb(gradient[j] * Snapshots.GRADIENT_BOUND / size, 18);
    }
    GradientReport report = reports().get(0);
    assertThat(report.getModelId()).isEqualTo("a");
    assertThat(report.getGradientBound()).isEqualTo(Snapshots.GRADIENT_BOUND);
    assertThat(report.getGrid().getValuesList().stream().mapToDouble(v -> v).toArray())
        .containsExactly(inSteps, within(1.0));
  }

  @Test
  void groupsAnswerThePublishedRoundOnce() throws Exception {
    int[] order = {3, 1, 2, 4, 0};
    AtomicReference<ModelSnapshot> newest = new AtomicReference<>(Snapshots.of("raw", 6, 0, 0));
    Cohorts cohorts =
        new Cohorts(
            "raw",
            new Rounds(2, 2),
            problem,
            order,
            newest::get,
            person -> "p" + person,
            "raw-gradients",
            producer::send);
    List<Future<RecordMetadata>> underway = new ArrayList<>();

    assertThat(cohorts.answer(1, underway::add)).isOne();
    assertThat(cohorts.answer(5, underway::add)).as("the second round isn't published").isOne();
    newest.set(Snapshots.of("raw", 6, 0.5, 1));
    assertThat(cohorts.isOver()).isFalse();
    assertThat(cohorts.answer(5, underway::add)).isEqualTo(2);
    assertThat(cohorts.isOver()).isTrue();
    assertThat(cohorts.answer(5, underway::add)).as("remaining people don't report").isZero();

    double[] gradient = new double[6];
    problem.gradient(2, newest.get().weights(), gradient);
    List<GradientReport> reports = reports();
    assertThat(producer.history()).allMatch(record -> record.topic().equals("raw-gradients"));
    assertThat(underway).hasSize(4);
    assertThat(reports).allMatch(GradientReport::hasCentral);
    assertThat(reports)
        .extracting(report -> report.getUserId() + " in " + report.getRound())
        .containsExactly("p3 in 0", "p1 in 0", "p2 in 1", "p4 in 1");
    assertThat(reports.get(2).getDense().getValuesList())
        .containsExactlyElementsOf(Arrays.stream(gradient).boxed().toList());
  }

  @Test
  void noPersonReportsWhileHeld() throws Exception {
    CountDownLatch asked = new CountDownLatch(3);
    try (SimulatedClients simulatedClients = clients(0, 1)) {
      simulatedClients.start(
          1e6,
          () -> {
            asked.countDown();
            return true;
          });
      assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(simulatedClients.reported()).isZero();
    }
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void aFailedDeliveryIsAnError() throws Exception {
    producer = producer(false);
    try (SimulatedClients simulatedClients = clients(0)) {
      simulatedClients.start(1e6, () -> false);
      spinWhile(() -> !producer.errorNext(new TimeoutException("no broker")));
      assertThatThrownBy(
              () -> {
                while (true) {
                  simulatedClients.reported();
                  Thread.onSpinWait();
                }
              })
          .hasMessageContaining("could not be delivered");
    }
  }

  private List<GradientReport> reports() throws InvalidProtocolBufferException {
    List<GradientReport> reports = new ArrayList<>();
    for (ProducerRecord<byte[], byte[]> sent : producer.history()) {
      reports.add(GradientReport.parseFrom(sent.value()));
    }
    return reports;
  }

  private SimulatedClients clients(int... order) {
    return clients(() -> Snapshots.of("a", 6, 0, 7), 8, order);
  }

  /**
   * Clients of models a and b. Person 2 of the order doesn't disclose the noise.
   *
   * @param newest update of model a
   */
  private SimulatedClients clients(Supplier<ModelSnapshot> newest, double epsilon, int... order) {
    GridRandomiser randomiser =
        new L2LaplaceRandomiser(Snapshots.GRADIENT_BOUND, 6, Snapshots.GRID_EXPONENT, epsilon);
    return new SimulatedClients(
        place -> problem,
        Counts.none(),
        order,
        List.of("a", "b"),
        modelId -> modelId.equals("a") ? newest.get() : Snapshots.of(modelId, 6, 0, 7),
        person ->
            new GradientReporter(
                new KafkaReportTransport(producer, "gradients"),
                LocalLedger.inMemory("p" + person, Limit.NONE)),
        (place, modelId) -> place == 2 ? new UndisclosedRandomiser(randomiser) : randomiser,
        List.of());
  }

  private static MockProducer<byte[], byte[]> producer(boolean completes) {
    return new MockProducer<>(
        completes, null, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void spinWhile(BooleanSupplier condition) {
    while (condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static void awaitEnd(SimulatedClients simulatedClients) {
    spinWhile(() -> simulatedClients.reported() < simulatedClients.size());
  }
}
