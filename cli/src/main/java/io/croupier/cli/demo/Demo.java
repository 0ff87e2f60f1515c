package io.croupier.cli.demo;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.cli.InputException;
import io.croupier.cli.Log;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Score;
import io.croupier.cli.io.OutputFile;
import io.croupier.cli.models.ModelsTopic;
import io.croupier.cli.plan.Plan;
import io.croupier.cli.watch.Result;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.model.CentralModel;
import io.croupier.schemas.Accuracy;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.VisibleText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.commons.rng.sampling.PermutationSampler;
import org.apache.commons.rng.simple.RandomSource;

/** Runs one demonstration, from the creation of topics to the table. */
final class Demo {

  private static final Duration FIRST_PUBLICATION = Duration.ofMinutes(3);

  private final Turn turn;
  private final Counts counts;
  private final DemoWindow window;
  private final DataSet data;
  private final DemoParameters parameters;
  private final List<ComparedLearner> learners;
  private final double peoplePerSecond;
  private final Path page;
  private final Recorder recorder;
  private final DemoEnvironment environment;
  private final LivePage livePage;
  private volatile boolean interrupted;

  /**
   * Prepares a demonstration.
   *
   * @param turn of the data's labels
   * @param counts what is counted beside
   * @param window in which people report without identity
   * @param page output file for the curves
   * @param recorder records the run for replays; null if no recording was requested
   */
  Demo(
      Turn turn,
      Counts counts,
      DemoWindow window,
      DemoParameters parameters,
      List<ComparedLearner> learners,
      double peoplePerSecond,
      Path page,
      Recorder recorder,
      DemoEnvironment environment) {
    this.turn = turn;
    this.counts = counts;
    this.window = window;
    this.data = turn.after();
    this.parameters = parameters;
    this.learners = learners;
    this.peoplePerSecond = peoplePerSecond;
    this.page = page;
    this.recorder = recorder;
    this.environment = environment;
    livePage = new LivePage(data, learners, parameters, window, environment.topics());
  }

  /**
   * Runs the demonstration; false if it was interrupted or some reports are unaccounted for.
   *
   * @param verbose whether to print what the numbers mean, too
   */
  boolean run(PrintWriter out, boolean verbose) throws Exception {
    Thread stop = new Thread(this::interrupt, "stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      boolean complete = perform(out, verbose);
      Log.silence();
      close();
      Runtime.getRuntime().removeShutdownHook(stop);
      return complete;
    } catch (Exception | Error e) {
      if (interrupted) {
        // Failures are expected while the environment shuts down.
        return false;
      }
      throw e;
    } finally {
      close();
    }
  }

  private void interrupt() {
    interrupted = true;
    Log.silence();
    close();
  }

  private void close() {
    livePage.close();
    environment.close();
  }

  private boolean perform(PrintWriter out, boolean verbose) throws Exception {
    List<ModelSpec> specs = specs();
    Map<String, Randomiser> randomisers = randomisers(specs);
    Problem problem = data.problem();
    long begin = System.nanoTime();
    out.println("Watch: " + livePage.start());
    out.println(data.description());
    data.notes().stream().map(VisibleText::name).forEach(out::println);
    counts.notes().stream().map(VisibleText::name).forEach(out::println);
    tooFew(randomisers).ifPresent(words -> out.println("Warning: " + words + "."));
    if (!window.isOpen()) {
      out.printf(
          "They report within %.0f s; --duration sets another time.%n",
          Math.ceil(parameters.people() / peoplePerSecond));
    }
    Consumer<String> started =
        part -> {
          out.printf(" %s %d s ...", part, elapsed(begin).toSeconds());
          out.flush();
        };
    out.print("Starting:");
    out.flush();
    environment.open(started);
    new ModelsTopic(environment.kafka(), environment.topics().models())
        .publish(specs, "croupier demo");
    livePage.follow(environment.kafka(), environment.topics());

    Score nothing = problem.untrained();
    Score optimum = problem.score(problem.optimum());
    List<String> modelIds = learners.stream().map(ComparedLearner::modelId).toList();
    PublicationScores scores = new PublicationScores(turn::problem, modelIds);
    List<ModelSnapshot> last = new ArrayList<>();
    Reconciliation reconciliation;
    long judged;
    livePage.show(scores, nothing, optimum, counts.truth(order()));
    try (scores;
        SpendTracker spendTracker =
            new SpendTracker(
                environment.kafka(), environment.topics().accounting(), livePage.visits()::judged);
        ModelSubscriber models =
            new ModelSubscriber(
                environment.kafka(), environment.topics().updates(), scores::published)) {
      for (String modelId : modelIds) {
        models.await(modelId, FIRST_PUBLICATION);
      }
      started.accept("first models");
      out.println();
      ReportingPhase people =
          new ReportingPhase(
              turn, counts, parameters, learners, order(), peoplePerSecond, environment, livePage);
      reconciliation =
          window.isOpen()
              ? people.withoutIdentity(scores, spendTracker)
              : people.withIdentity(randomisers, models, scores, spendTracker);
      judged = spendTracker.events() + livePage.visits().judged();
      for (String modelId : modelIds) {
        last.add(models.newest(modelId).orElseThrow());
      }
    }
    Comparison comparison =
        new Comparison(
            data,
            parameters,
            nothing,
            optimum,
            results(scores, reconciliation, last),
            reconciliation,
            guarantees(last),
            windows(specs, reconciliation));
    out.println();
    List<String> recoveries = turn.notes(comparison.results(), nothing.loss());
    Result result = new ResultTable(comparison).result().with(recoveries);
    if (verbose) {
      result.notes().forEach(out::println);
      out.println();
      out.println(reconciliation.admissionsTable());
      if (last.stream().anyMatch(model -> model.droppedStale() + model.droppedBound() > 0)) {
        out.println(
            "Dropped reports came too late for a round, or were made with another clip than their"
                + " round's; the page counts each reason.");
      }
    }
    String counted = counts.text(last, order());
    if (!counted.isEmpty()) {
      out.println();
      out.println(counted);
      out.println(
          "Bars: # up to the lower end of the interval, - up to its upper end, | in truth. Votes"
              + " are those of equal age that the weights correspond to. Votes, answers and"
              + " gradients of a person are charged to one account, the same epsilon for each.");
    }
    reconciliation.remarks().forEach(out::println);
    String kept = livePage.conclude(result, judged, received(last));
    recoveries.forEach(out::println);
    out.printf("Done in %d s.%n", elapsed(begin).toSeconds());
    out.println(new ResultTable(comparison).text());
    out.flush();
    try {
      OutputFile.write("--page", page, file -> Files.writeString(file, kept));
      out.println("Page: " + page.toAbsolutePath());
      out.println("What the numbers mean: the page, or --verbose. More learners: --all.");
      out.flush();
      livePage.end(
          "The demonstration has ended. This page is kept in " + page.toAbsolutePath() + ".");
    } finally {
      if (recorder != null) {
        record(out, noised(specs), noised(specs).size() < specs.size());
      }
    }
    return reconciliation.complete();
  }

  private void record(PrintWriter out, List<ModelSpec> noised, boolean leavesOut)
      throws IOException, InterruptedException {
    environment.endJob();
    recorder.record(environment.kafka(), environment.topics(), noised);
    if (leavesOut) {
      out.println(
          "DP-FTRL is not recorded: raw reports never are, and its noise is not reproducible.");
    }
    out.println("To replay the run: " + recorder.replayCommand());
  }

  private static Duration elapsed(long begin) {
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  /** Why the people are too few to teach two classes by noised reports; empty if they may do. */
  private Optional<String> tooFew(Map<String, Randomiser> randomisers) {
    if (data.problem().classes() != 2 || randomisers.isEmpty()) {
      return Optional.empty();
    }
    Mechanism mechanism = randomisers.values().iterator().next().mechanism();
    return Plan.tooFew(
        parameters.people(), data.problem().dimension(), mechanism, parameters.epsilon());
  }

  /** The reports that each model used or dropped, its answers, and its open round. */
  private static Map<String, Long> received(List<ModelSnapshot> last) {
    return last.stream()
        .collect(
            Collectors.toMap(
                ModelSnapshot::modelId,
                of ->
                    of.used()
                        + of.answers()
                        + of.open()
                        + of.droppedStale()
                        + of.droppedUnpublished()
                        + of.droppedBound()));
  }

  private List<ModelSpec> specs() {
    List<ModelSpec> specs;
    try {
      specs =
          learners.stream()
              .map(
                  comparedLearner ->
                      comparedLearner.spec(
                          data.problem().dimension(), data.problem().adaptiveClip(), parameters))
              .map(this::asking)
              .map(counts::in)
              .map(window::in)
              .toList();
      specs.stream()
          .filter(ModelSpecs::isCentral)
          .forEach(spec -> CentralModel.check(spec, new BltSearches()));
    } catch (IllegalArgumentException e) {
      throw new InputException("--epsilon: " + e.getMessage(), e);
    }
    for (ModelSpec spec : specs) {
      List<String> violations = ModelSpecs.violations(spec);
      if (!violations.isEmpty()) {
        throw new InputException(spec.getModelId() + ": " + String.join("; ", violations));
      }
    }
    return specs;
  }

  /**
   * The spec with a question for the accuracy, where there is one and devices can be asked; before
   * a turn, and without identity, none is, so that all people report gradients.
   */
  private ModelSpec asking(ModelSpec spec) {
    if (ModelSpecs.isCentral(spec)
        || !data.problem().hasClasses()
        || turn.happens()
        || window.isOpen()) {
      return spec;
    }
    ModelSpec.Builder asking = spec.toBuilder();
    asking
        .addQuestionsBuilder()
        .setName(data.problem().fitName())
        .setAccuracy(Accuracy.getDefaultInstance());
    return asking.build();
  }

  /** The specs of models that receive noised reports. */
  private static List<ModelSpec> noised(List<ModelSpec> specs) {
    return specs.stream().filter(spec -> !ModelSpecs.isCentral(spec)).toList();
  }

  private Map<String, GuaranteeEvent> guarantees(List<ModelSnapshot> last)
      throws IOException, InterruptedException {
    Map<String, Long> rounds = new HashMap<>();
    for (int i = 0; i < learners.size(); i++) {
      if (learners.get(i).isCentral()) {
        rounds.put(learners.get(i).modelId(), last.get(i).round());
      }
    }
    return rounds.isEmpty()
        ? Map.of()
        : Guarantees.await(environment.kafka(), environment.topics().guarantees(), rounds);
  }

  /** What the windows guarantee, by model; none if people report with identity. */
  private Map<String, WindowGuarantee> windows(
      List<ModelSpec> specs, Reconciliation reconciliation) {
    Map<String, WindowGuarantee> windows = new HashMap<>();
    for (int i = 0; i < specs.size() && window.isOpen(); i++) {
      long reports = reconciliation.admissions().get(i).status().accounted();
      windows.put(specs.get(i).getModelId(), WindowGuarantee.of(specs.get(i), reports));
    }
    return windows;
  }

  /** The randomisers for the models that receive noised reports. */
  private Map<String, Randomiser> randomisers(List<ModelSpec> specs) {
    try {
      return noised(specs).stream()
          .collect(Collectors.toMap(ModelSpec::getModelId, parameters::randomiser));
    } catch (IllegalArgumentException e) {
      throw new InputException("--epsilon: " + e.getMessage(), e);
    }
  }

  /** The order in which people report. */
  private int[] order() {
    int[] order = PermutationSampler.natural(data.problem().size());
    PermutationSampler.shuffle(RandomSource.XO_SHI_RO_256_PP.create(parameters.seed()), order);
    return Arrays.copyOf(order, parameters.people());
  }

  private List<LearnerResult> results(
      PublicationScores scores, Reconciliation reconciliation, List<ModelSnapshot> last) {
    Problem problem = data.problem();
    List<LearnerResult> results = new ArrayList<>();
    for (int i = 0; i < learners.size(); i++) {
      ComparedLearner comparedLearner = learners.get(i);
      results.add(
          new LearnerResult(
              comparedLearner,
              problem.score(last.get(i).average()),
              problem.score(last.get(i).weights()),
              scores.curve(comparedLearner.modelId()),
              reconciliation.spentPerModel().get(comparedLearner.modelId()),
              last.get(i).gradientBound(),
              last.get(i).isScouting(),
              last.get(i).estimates()));
    }
    return results;
  }
}
