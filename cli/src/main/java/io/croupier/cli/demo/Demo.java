package io.croupier.cli.demo;

import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Score;
import io.croupier.cli.models.ModelsTopic;
import io.croupier.client.GradientReporter;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.L2LaplaceRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.rng.sampling.PermutationSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** One demonstration, from an empty stage to the table. */
final class Demo {

  private static final Duration FIRST_PUBLICATION = Duration.ofSeconds(60);

  private final DataSet data;
  private final Terms terms;
  private final List<Entrant> entrants;
  private final double peoplePerSecond;
  private final Path page;
  private final Recorder recorder;
  private final Stage stage;
  private volatile boolean interrupted;

  /**
   * Starts nothing yet.
   *
   * @param page where the curves go
   * @param recorder what keeps the run for replays; null if nobody asked for that
   */
  Demo(
      DataSet data,
      Terms terms,
      List<Entrant> entrants,
      double peoplePerSecond,
      Path page,
      Recorder recorder,
      Stage stage) {
    this.data = data;
    this.terms = terms;
    this.entrants = entrants;
    this.peoplePerSecond = peoplePerSecond;
    this.page = page;
    this.recorder = recorder;
    this.stage = stage;
  }

  /** Runs it; false if it was interrupted or some reports were never accounted for. */
  boolean run(PrintWriter out) throws Exception {
    Thread stop = new Thread(this::interrupt, "stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      boolean complete = perform(out);
      stage.close();
      Runtime.getRuntime().removeShutdownHook(stop);
      return complete;
    } catch (Exception | Error e) {
      if (interrupted) {
        // What is being taken down fails here and there; that is no news.
        return false;
      }
      throw e;
    } finally {
      stage.close();
    }
  }

  private void interrupt() {
    interrupted = true;
    Log.silence();
    stage.close();
  }

  private boolean perform(PrintWriter out) throws Exception {
    List<ModelSpec> specs = specs();
    Randomiser randomiser = randomiser(specs.get(0));
    Problem problem = data.problem();
    out.println(data.description());
    data.notes().forEach(out::println);
    out.println("Starting Kafka and Flink ...");
    out.flush();
    stage.open();
    new ModelsTopic(stage.kafka(), stage.topics().models()).publish(specs);

    List<String> modelIds = entrants.stream().map(Entrant::modelId).toList();
    Scoreboard scoreboard = new Scoreboard(problem, modelIds);
    List<ModelSnapshot> last = new ArrayList<>();
    Books books;
    try (scoreboard;
        Spending spending = new Spending(stage.kafka(), stage.topics().accounting());
        ModelSubscriber models =
            new ModelSubscriber(stage.kafka(), stage.topics().updates(), scoreboard::published)) {
      for (String modelId : modelIds) {
        models.await(modelId, FIRST_PUBLICATION);
      }
      books = letPeopleReport(randomiser, models, scoreboard, spending);
      for (String modelId : modelIds) {
        last.add(models.newest(modelId).orElseThrow());
      }
    }
    Comparison comparison = comparison(scoreboard, books, last, guarantees(last));
    out.println();
    out.println(new ResultTable(comparison).text());
    books.remarks().forEach(out::println);
    CurvePage.write(comparison, page);
    out.println("Curves: " + page.toAbsolutePath());
    out.flush();
    if (recorder != null) {
      stage.endJob();
      recorder.record(stage.kafka(), stage.topics(), noised(specs));
      if (noised(specs).size() < specs.size()) {
        out.println(
            "Not recorded is DP-FTRL: raw reports never are, and its noise can't be drawn again.");
      }
      out.println("To replay it: " + recorder.replayCommand());
    }
    return books.complete();
  }

  private List<ModelSpec> specs() {
    List<ModelSpec> specs =
        entrants.stream().map(entrant -> entrant.spec(data.problem().dimension(), terms)).toList();
    for (ModelSpec spec : specs) {
      List<String> violations = ModelSpecs.violations(spec);
      if (!violations.isEmpty()) {
        throw new InputException(spec.getModelId() + ": " + String.join("; ", violations));
      }
    }
    return specs;
  }

  /** Those of models that take noised reports. */
  private static List<ModelSpec> noised(List<ModelSpec> specs) {
    return specs.stream().filter(spec -> !ModelSpecs.isCentral(spec)).toList();
  }

  private Map<String, GuaranteeEvent> guarantees(List<ModelSnapshot> last)
      throws InterruptedException {
    Map<String, Long> rounds = new HashMap<>();
    for (int i = 0; i < entrants.size(); i++) {
      if (entrants.get(i).isCentral()) {
        rounds.put(entrants.get(i).modelId(), last.get(i).round());
      }
    }
    return rounds.isEmpty()
        ? Map.of()
        : Guarantees.await(stage.kafka(), stage.topics().guarantees(), rounds);
  }

  private Randomiser randomiser(ModelSpec spec) {
    try {
      return new L2LaplaceRandomiser(
          terms.clip(), spec.getDimension(), ModelSpecs.gridExponent(spec), terms.epsilon());
    } catch (IllegalArgumentException e) {
      throw new InputException("--epsilon: " + e.getMessage(), e);
    }
  }

  private Books letPeopleReport(
      Randomiser randomiser, ModelSubscriber models, Scoreboard scoreboard, Spending spending)
      throws InterruptedException {
    Randomiser undisclosed = new UndisclosedRandomiser(randomiser);
    String topic = stage.topics().gradients();
    int[] order = order();
    try (Producer<byte[], byte[]> producer =
            new KafkaProducer<>(GradientReporter.producerProperties(stage.kafka()));
        Crowd crowd =
            new Crowd(
                data.problem(),
                order,
                entrants.stream()
                    .filter(entrant -> !entrant.isCentral())
                    .map(Entrant::modelId)
                    .toList(),
                modelId -> models.newest(modelId).orElseThrow(),
                person ->
                    new GradientReporter(
                        producer, topic, LocalLedger.inMemory(user(person), Limit.NONE)),
                place -> terms.isUndisclosed(place) ? undisclosed : randomiser,
                groups(order, models, producer));
        Progress progress = Progress.on(entrants, terms, data.problem().fitName())) {
      Watch watch = new Watch(entrants, stage, crowd, scoreboard, spending);
      crowd.start(peoplePerSecond, watch::isStalled);
      return watch.untilSettled(progress);
    }
  }

  /** Whom the models of raw reports ask. */
  private List<Groups> groups(
      int[] order, ModelSubscriber models, Producer<byte[], byte[]> producer) {
    return entrants.stream()
        .filter(Entrant::isCentral)
        .map(
            entrant ->
                new Groups(
                    entrant.modelId(),
                    terms.rounds(),
                    data.problem(),
                    order,
                    () -> models.newest(entrant.modelId()).orElseThrow(),
                    Demo::user,
                    stage.topics().rawGradients(),
                    producer::send))
        .toList();
  }

  private static String user(int person) {
    return "person-%06d".formatted(person + 1);
  }

  /** Who comes when. */
  private int[] order() {
    int[] order = PermutationSampler.natural(data.problem().size());
    PermutationSampler.shuffle(RandomSource.XO_SHI_RO_256_PP.create(terms.seed()), order);
    return Arrays.copyOf(order, terms.people());
  }

  private Comparison comparison(
      Scoreboard scoreboard,
      Books books,
      List<ModelSnapshot> last,
      Map<String, GuaranteeEvent> guarantees) {
    Problem problem = data.problem();
    List<Result> results = new ArrayList<>();
    for (int i = 0; i < entrants.size(); i++) {
      Entrant entrant = entrants.get(i);
      results.add(
          new Result(
              entrant,
              problem.score(last.get(i).average()),
              problem.score(last.get(i).weights()),
              scoreboard.curve(entrant.modelId()),
              books.spentPerModel().get(entrant.modelId())));
    }
    Score nothing = problem.score(new double[problem.dimension()]);
    Score optimum = problem.score(problem.optimum());
    return new Comparison(data, terms, nothing, optimum, results, books, guarantees);
  }
}
