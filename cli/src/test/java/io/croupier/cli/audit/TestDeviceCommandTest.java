package io.croupier.cli.audit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.cli.CommandRun;
import io.croupier.cli.InputException;
import io.croupier.cli.audit.TrialChecks.Line;
import io.croupier.client.GradientReporter;
import io.croupier.client.HttpReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.NotChosenException;
import io.croupier.client.Participant;
import io.croupier.client.ReportRefusedException;
import io.croupier.client.ReportTransport;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.noise.CandidateVectors;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A right device in Java passes, and wrong ones fail with the line that is about what is wrong. A
 * right one fails with a probability of 1e-6.
 */
class TestDeviceCommandTest {
  /** Where the noise is wrong; what else is wrong shows at once. */
  private static final int MANY = 300;

  private static final int FEW = 20;
  private static final double EPSILON = 2;
  private static final PrivUnitLaw LAW = new PrivUnitRandomiser(1, 3, EPSILON).law();

  private final HttpClient http = HttpClient.newHttpClient();

  private static ModelSpec spec(boolean movesClip) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setModelId("felt-well").setDimension(3);
    spec.getCombinedBuilder();
    spec.addFeaturesBuilder().setName("one").getInterceptBuilder();
    spec.addFeaturesBuilder().setName("walked").getRangeBuilder().setFrom(0).setTo(180);
    spec.addFeaturesBuilder().setName("night").getYesNoBuilder();
    spec.getPredictsBuilder().setLabel("feltWell").getLogisticBuilder();
    spec.addQuestionsBuilder().setName("accuracy").getAccuracyBuilder();
    if (movesClip) {
      spec.getAdaptiveClipBuilder().setSize(AdaptiveClip.Size.FEATURES);
      return spec.build();
    }
    return spec.setGradientBound(1).build();
  }

  private static ModelSpec counting() {
    ModelSpec.Builder spec = spec(true).toBuilder();
    spec.addStatisticsBuilder()
        .setName("minutes")
        .getQuantilesBuilder()
        .addLevels(0.5)
        .setFrom(0)
        .setTo(90);
    return spec.build();
  }

  private static ModelSpec choosing() {
    ModelSpec.Builder spec = spec(false).toBuilder();
    spec.addStatisticsBuilder()
        .setName("shift")
        .getChoiceBuilder()
        .addAllCategories(List.of("day", "night", "none"));
    return spec.build();
  }

  /** A person, right but for what subclasses replace. */
  private static class Person implements Participant {
    private final Participant right;

    Person(Participant right) {
      this.right = right;
    }

    @Override
    public DataKey key() {
      return right.key();
    }

    @Override
    public double[] gradient() {
      return right.gradient();
    }

    @Override
    public double size() {
      return right.size();
    }

    @Override
    public boolean canAnswer(Question question) {
      return right.canAnswer(question);
    }

    @Override
    public boolean answer(Question question) {
      return right.answer(question);
    }
  }

  /** A person who votes. */
  private static final class Voter extends Person {
    private final JsonObject categories;

    Voter(Participant data, JsonObject categories) {
      super(data);
      this.categories = categories;
    }

    @Override
    public boolean canVote(Statistic statistic) {
      return categories.has(statistic.getName());
    }

    @Override
    public String category(Statistic statistic) {
      return categories.get(statistic.getName()).getAsString();
    }

    @Override
    public double value(Statistic statistic) {
      return categories.get(statistic.getName()).getAsDouble();
    }
  }

  /** A device, right but for what tests replace. */
  private class Device {
    private final Map<String, LocalLedger> ledgers = new HashMap<>();
    private final Map<String, HttpReportTransport> transports = new HashMap<>();
    TrialServer server;
    TrialModel model;
    int releases = FEW;
    double epsilon = EPSILON;
    Function<JsonObject, String> key = task -> task.get("key").getAsString();
    Function<JsonObject, JsonObject> categories = task -> task.getAsJsonObject("categories");
    Function<JsonObject, Limit> limit =
        task ->
            task.has("limit")
                ? Limit.ofEpsilon(epsilon / EPSILON * task.get("limit").getAsDouble())
                : Limit.NONE;
    UnaryOperator<Participant> participant = UnaryOperator.identity();

    /** Changes a report before it is sent; null: none is changed. */
    BiConsumer<JsonObject, GradientReport.Builder> change;

    final void run() throws Exception {
      while (true) {
        JsonObject task =
            JsonParser.parseString(new String(get("/trial/next"), UTF_8)).getAsJsonObject();
        if (task.get("done").getAsBoolean()) {
          transports.values().forEach(HttpReportTransport::close);
          return;
        }
        take(task);
      }
    }

    final byte[] get(String path) throws Exception {
      HttpRequest request =
          HttpRequest.newBuilder(server.address().resolve(path))
              .header("Accept", "application/x-protobuf")
              .build();
      return http.send(request, BodyHandlers.ofByteArray()).body();
    }

    void take(JsonObject task) throws Exception {
      String person = task.get("person").getAsString();
      LocalLedger ledger =
          ledgers.computeIfAbsent(person, name -> LocalLedger.inMemory(name, limit.apply(task)));
      ModelSnapshot snapshot =
          ModelSnapshot.parse(get("/v1/models/" + task.get("model").getAsString()));
      Map<?, ?> row = new Gson().fromJson(task.get("row"), Map.class);
      Map<String, Object> values = new HashMap<>();
      row.forEach((name, value) -> values.put((String) name, value));
      Participant data =
          participant.apply(snapshot.participant(values, DataKey.of(key.apply(task))));
      HttpReportTransport transport =
          transports.computeIfAbsent(
              person, name -> new HttpReportTransport(server.address(), () -> name));
      try {
        new GradientReporter(through(transport, task), ledger)
            .respond(
                snapshot,
                new Voter(data, categories.apply(task)),
                snapshot.calibration(1).privUnit(epsilon))
            .get();
      } catch (AlreadyReportedException | LimitReachedException | NotChosenException e) {
        // As the task wants, or as a device does that can't vote.
      }
    }

    ReportTransport through(ReportTransport transport, JsonObject task) {
      if (change == null) {
        return transport;
      }
      return new ReportTransport() {
        @Override
        public boolean namesUser() {
          return transport.namesUser();
        }

        @Override
        public CompletableFuture<Void> send(String userId, byte[] bytes) {
          try {
            GradientReport.Builder report = GradientReport.parseFrom(bytes).toBuilder();
            change.accept(task, report);
            return transport.send(userId, report.build().toByteArray());
          } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
          }
        }
      };
    }
  }

  private Map<String, Line> lines(ModelSpec spec, Device device) throws Exception {
    return lines(new TrialModel(spec), device);
  }

  private Map<String, Line> lines(TrialModel model, Device device) throws Exception {
    device.model = model;
    DeviceTrial trial = new DeviceTrial(device.model, EPSILON, device.releases);
    try (TrialServer server = new TrialServer(trial, 0)) {
      device.server = server;
      device.run();
      server.await();
    }
    Map<String, Line> lines = new HashMap<>();
    TrialChecks.of(trial, 1e-6).forEach(line -> lines.put(line.check(), line));
    assertThat(lines.keySet()).contains("reports", "limit", "once", "resend", "answers", "noise");
    return lines;
  }

  private List<String> failed(boolean movesClip, Device device) throws Exception {
    return failed(spec(movesClip), device);
  }

  private List<String> failed(ModelSpec spec, Device device) throws Exception {
    return lines(spec, device).values().stream()
        .filter(line -> !line.passed())
        .map(Line::check)
        .sorted()
        .toList();
  }

  @Tag("ci")
  @Test
  void aRightDevicePasses() throws Exception {
    Device device = new Device();
    device.releases = MANY / 3;
    assertPassed(lines(spec(true), device));
  }

  private static void assertPassed(Map<String, Line> lines) {
    assertThat(lines.values())
        .allSatisfy(line -> assertThat(line.passed()).as(line.toString()).isTrue());
  }

  private static ModelUpdate recorded(double... weights) {
    List<Double> values = Arrays.stream(weights).boxed().toList();
    return ModelUpdate.newBuilder().addAllWeights(values).addAllAverage(values).build();
  }

  @Tag("thorough")
  @Test
  void aRecordedUpdateIsWhereGradientsAre() throws Exception {
    ModelUpdate update = recorded(1, -2, 0.5);
    for (boolean movesClip : List.of(false, true)) {
      Device right = new Device();
      right.releases = MANY / 2;
      assertPassed(lines(new TrialModel(spec(movesClip), update), right));
    }
  }

  @Test
  void aRecordedUpdateOfAnotherModelIsRefused() {
    ModelUpdate update = recorded(1, -2, 0.5);
    assertThatThrownBy(() -> new TrialModel(spec(false), recorded(1, 2)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("has 2 weights, and an average of 2; the dimension of");
    ModelUpdate.Builder other = update.toBuilder();
    other.getPredictsBuilder().setLabel("feltWell").getHingeBuilder();
    assertThatThrownBy(() -> new TrialModel(spec(false), other.build()))
        .hasMessageContaining(
            "by the hinge loss, but the spec feltWell, true or false, by the log");
    ModelSpec.Builder hinge = spec(false).toBuilder();
    hinge.getPredictsBuilder().getHingeBuilder();
    assertThatThrownBy(() -> new TrialModel(hinge.build(), recorded(9, 0, 0)))
        .hasMessageContaining("has length 0.0; it must be positive");
  }

  @Tag("ci")
  @Test
  void aRightDeviceVotes() throws Exception {
    for (ModelSpec spec : List.of(choosing(), counting())) {
      Map<String, Line> lines = lines(spec, new Device());
      assertThat(lines.get("votes").detail()).contains(" of 40 ");
      assertPassed(lines);
    }
  }

  /** Each person is in the last category, or at the upper end. */
  @Tag("thorough")
  @Test
  void wrongVotesAreFound() throws Exception {
    for (ModelSpec spec : List.of(choosing(), counting())) {
      JsonObject vote = new JsonObject();
      vote.addProperty("shift", "none");
      vote.addProperty("minutes", 90);
      Device device = new Device();
      device.categories = task -> vote;
      device.releases = MANY / 2;
      assertThat(failed(spec, device)).containsExactly("votes");
    }
  }

  @Tag("thorough")
  @Test
  void aVoteWithoutNoiseIsFound() throws Exception {
    Device device = new Device();
    device.change =
        (task, report) -> {
          if (report.hasVote()) {
            String shift = task.getAsJsonObject("categories").get("shift").getAsString();
            report.getVoteBuilder().setIndex(shift.equals("day") ? 0 : 2);
          }
        };
    device.releases = MANY / 2;
    assertThat(failed(choosing(), device)).containsExactly("votes");
  }

  @Tag("ci")
  @Test
  void aDeviceThatDoesNotVoteIsFound() throws Exception {
    Device device = new Device();
    device.categories = task -> new JsonObject();
    Map<String, Line> lines = lines(choosing(), device);
    assertThat(lines.get("votes").passed()).isFalse();
    assertThat(lines.get("reports").detail()).endsWith("(VOTE) brought no report");
  }

  /** It always takes the candidate of its seed that is closest to the gradient. */
  @Tag("ci")
  @Test
  void noNoiseIsFound() throws Exception {
    Device device = new Device();
    device.change =
        (task, report) -> {
          boolean isFirst = task.get("row").getAsJsonObject().get("feltWell").getAsBoolean();
          if (report.hasPrivUnit()) {
            takeClosest(report.getCandidateBuilder(), device.model.direction(isFirst));
          }
        };
    device.releases = MANY * 2 / 3;
    assertThat(failed(false, device)).contains("noise").doesNotContain("reports", "once");
  }

  private static void takeClosest(Candidate.Builder candidate, double[] direction) {
    int best = 0;
    double most = 0;
    for (int pair = 0; pair < LAW.candidates() / 2; pair++) {
      double height = CandidateVectors.height(candidate.getSeed(), pair, direction);
      if (Math.abs(height) > most) {
        most = Math.abs(height);
        best = 2 * pair + (height < 0 ? 1 : 0);
      }
    }
    candidate.setIndex(best);
  }

  @Tag("thorough")
  @Test
  void halfOfTheNoiseIsFound() throws Exception {
    Device device = new Device();
    device.epsilon = 2 * EPSILON;
    device.change =
        (task, report) -> {
          if (report.hasPrivUnit()) {
            report.getPrivUnitBuilder().setEpsilon(EPSILON).setTop(LAW.top());
          }
        };
    device.releases = MANY;
    // So few releases may not show the epsilon; that their mean is too long they do.
    assertThat(failed(false, device)).contains("gradient").doesNotContain("reports", "limit");
  }

  /** Its gradients are longer than the clip of features leaves them. */
  @Tag("thorough")
  @Test
  void aWrongSizeIsFound() throws Exception {
    Device device = new Device();
    device.participant =
        right ->
            new Person(right) {
              @Override
              public double size() {
                return 0;
              }
            };
    device.releases = MANY;
    assertThat(failed(true, device)).contains("gradient", "answers").doesNotContain("reports");
  }

  @Test
  void aWrongLengthIsNamed() throws Exception {
    Device device =
        new Device() {
          @Override
          void take(JsonObject task) throws Exception {
            try {
              super.take(task);
            } catch (ExecutionException e) {
              // The report is refused.
            }
          }
        };
    device.change =
        (task, report) -> {
          if (report.hasPrivUnit()) {
            report.getCandidateBuilder().setDimension(4);
          }
        };
    Map<String, Line> lines = lines(spec(false), device);
    assertThat(lines.get("reports").passed()).isFalse();
    assertThat(lines.get("reports").detail()).contains("task 0: ").contains("dimension");
  }

  @Test
  void aDeviceThatIgnoresItsLimitIsFound() throws Exception {
    Device device = new Device();
    device.limit = task -> Limit.NONE;
    assertThat(failed(false, device)).containsExactly("limit");
  }

  @Tag("ci")
  @Test
  void aDeviceThatReportsDataAgainIsFound() throws Exception {
    AtomicInteger count = new AtomicInteger();
    Device device = new Device();
    device.key = task -> "another " + count.getAndIncrement();
    assertThat(failed(false, device)).containsExactly("once");
  }

  /** It draws anew after a failure, under a new key. */
  @Test
  void aDeviceThatDrawsAgainIsFound() throws Exception {
    Device device =
        new Device() {
          @Override
          ReportTransport through(ReportTransport transport, JsonObject task) {
            return isResend(task) ? once() : transport;
          }

          /** A transport that doesn't repeat. */
          private ReportTransport once() {
            URI reports = server.address().resolve("/v1/reports");
            return new ReportTransport() {
              @Override
              public boolean namesUser() {
                return false;
              }

              @Override
              public CompletableFuture<Void> send(String userId, byte[] report) {
                HttpRequest request =
                    HttpRequest.newBuilder(reports)
                        .header("Authorization", "Bearer " + userId)
                        .header("Content-Type", "application/x-protobuf")
                        .POST(BodyPublishers.ofByteArray(report))
                        .build();
                return http.sendAsync(request, BodyHandlers.discarding())
                    .thenAccept(
                        answer -> {
                          if (answer.statusCode() != 202) {
                            throw new ReportRefusedException("lost", null);
                          }
                        });
              }
            };
          }

          @Override
          void take(JsonObject task) throws Exception {
            try {
              super.take(task);
            } catch (ExecutionException e) {
              super.take(task);
            }
          }
        };
    AtomicInteger count = new AtomicInteger();
    Function<JsonObject, String> right = device.key;
    device.key = task -> right.apply(task) + (isResend(task) ? count.getAndIncrement() : "");
    assertThat(failed(false, device)).containsExactly("resend");
  }

  private static boolean isResend(JsonObject task) {
    return task.get("person").getAsString().endsWith("resend");
  }

  @Test
  void aDeviceThatStopsEarlyFails() throws Exception {
    DeviceTrial trial = new DeviceTrial(new TrialModel(spec(false)), EPSILON, FEW);
    assertThat(trial.next()).isPresent();
    List<Line> lines = TrialChecks.of(trial, 1e-6);
    assertThat(lines.get(0))
        .isEqualTo(new Line("reports", false, "the device ended before the last task"));
    assertThat(lines.get(lines.size() - 1))
        .isEqualTo(new Line("noise", false, "there are no gradients of both rows"));
  }

  @Test
  void aModelMustNameItsLoss() {
    assertThatThrownBy(() -> new TrialModel(spec(false).toBuilder().clearPredicts().build()))
        .isInstanceOf(InputException.class)
        .hasMessageStartingWith("Model 'felt-well' has no predicts; it must name");
    ModelSpec.Builder encoded = spec(false).toBuilder();
    encoded.addFeaturesBuilder().setName("note").getEncoderBuilder().setLength(1);
    assertThatThrownBy(() -> new TrialModel(encoded.build()))
        .hasMessage("Feature 'note' has an encoder, for which the test has no value");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--epsilon 0 --releases 1000 | --epsilon is 0.0; it must be from 0.001 to 16",
        "--epsilon 1 --releases 10 | --releases is 10; it must be from 1000 to 1000000",
        "--epsilon 1 --model other | has 0 models 'other'; --model must name the one to test",
        "--epsilon 1 --update no-such-file | --update: no-such-file: no such file",
        "--epsilon 1 --update src/test | --update: src/test: can't be read: Is a directory",
        "--epsilon 1 --update /dev/null | --update: /dev/null is empty; it must have one line of",
        "--epsilon 1 --update pom.xml | --update: pom.xml is no update (",
        "--epsilon 1 no-such-program-here | The device can't be started",
      })
  void wrongOptionsAreNamed(String options, String message) {
    String arguments = "--file ../examples/wellbeing.yaml " + options;
    CommandRun.of(new TestDeviceCommand(), arguments).assertRefused(message);
  }

  @Test
  void theLimitIsADecimalMultipleOfEpsilon() {
    assertThat(new DeviceTrial(new TrialModel(spec(false)), 0.3, FEW).limit())
        .isEqualByComparingTo("0.9");
  }

  @Test
  void aCommandThatDoesNothingFailsInJson() {
    String arguments = "--file ../examples/wellbeing.yaml --epsilon 2 --json true";
    CommandRun run = CommandRun.of(new TestDeviceCommand(), arguments);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.json().get("passed").getAsBoolean()).isFalse();
    JsonObject first = run.json().getAsJsonArray("checks").get(0).getAsJsonObject();
    assertThat(first.get("check").getAsString()).isEqualTo("reports");
  }
}
