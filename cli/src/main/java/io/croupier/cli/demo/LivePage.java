package io.croupier.cli.demo;

import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Score;
import io.croupier.cli.watch.PageSection;
import io.croupier.cli.watch.Result;
import io.croupier.cli.watch.Scores;
import io.croupier.cli.watch.WatchFeed;
import io.croupier.cli.watch.WatchServer;
import io.croupier.gateway.TrialGateway;
import io.croupier.gateway.trial.Visits;
import io.croupier.schemas.Topics;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The page that shows the demonstration while it runs, on this machine alone. {@link #close} may be
 * called from any thread at any time.
 */
final class LivePage implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final DataSet data;
  private final List<ComparedLearner> learners;
  private final WatchFeed feed;
  private final PageSection takePart;
  private final TrialGateway trial;
  private WatchServer server;
  private boolean closed;

  /**
   * Prepares the page.
   *
   * @param window if it is open, visitors can't take part: it begins before they come
   */
  LivePage(
      DataSet data,
      List<ComparedLearner> learners,
      DemoParameters parameters,
      DemoWindow window,
      Topics topics) {
    this.data = data;
    this.learners =
        Stream.concat(
                learners.stream().filter(learner -> !learner.isCentral()),
                learners.stream().filter(ComparedLearner::isCentral))
            .toList();
    feed =
        new WatchFeed(
            "Croupier: learning from people without seeing their data",
            data.description() + " Kafka and Flink start.");
    takePart = window.isOpen() ? PageSection.NONE : TakePart.section(data, learners, parameters);
    trial = new TrialGateway(topics);
  }

  /** Starts to serve the page, and returns its address. */
  synchronized URI start() {
    if (closed) {
      throw new IllegalStateException("closed while starting");
    }
    server =
        new WatchServer(
            feed, 0, takePart, offersTakingPart() ? List.of(trial.handler()) : List.of());
    return server.address();
  }

  private boolean offersTakingPart() {
    return !takePart.equals(PageSection.NONE);
  }

  /** Follows the topics of the demonstration, which must exist, and takes visitors' reports. */
  void follow(Map<String, Object> kafka, Topics topics) {
    feed.note(data.description());
    feed.follow(kafka, topics);
    if (offersTakingPart()) {
      Map<String, String> settings = new HashMap<>();
      kafka.forEach((name, value) -> settings.put(name, value.toString()));
      trial.open(settings);
    }
  }

  /** The reports of visitors; none if the page has no section in which they take part. */
  Visits visits() {
    return trial.visits();
  }

  /**
   * Shows the scores of the publications as they are evaluated.
   *
   * @param fractions those of the categories of each statistic, in truth
   */
  void show(
      PublicationScores scores, Score nothing, Score optimum, Map<String, List<Double>> fractions) {
    Scores.Point atNothing = new Scores.Point(0, nothing.loss(), nothing.fit());
    Scores.Point atOptimum = new Scores.Point(0, optimum.loss(), optimum.fit());
    feed.show(
        () ->
            new Scores(
                data.problem().fitName(),
                atNothing,
                atOptimum,
                learners.stream()
                    .filter(ComparedLearner::findsClip)
                    .map(ComparedLearner::modelId)
                    .findFirst()
                    .orElse(""),
                learners.stream()
                    .map(learner -> scored(learner, scores.curve(learner.modelId())))
                    .toList(),
                fractions));
  }

  private static Scores.ScoredModel scored(ComparedLearner learner, List<CurvePoint> curve) {
    return new Scores.ScoredModel(
        learner.modelId(),
        learner.label(),
        curve.stream()
            .map(point -> new Scores.Point(point.people(), point.loss(), point.fit()))
            .toList());
  }

  /**
   * Shows the result, once the page has the numbers of all reports, and returns the page as one
   * file that keeps them.
   *
   * @param judged number of reports that the ledger judged
   * @param received number of reports by model
   */
  String conclude(Result result, long judged, Map<String, Long> received)
      throws InterruptedException {
    feed.conclude(result);
    if (!feed.await(judged, received, PATIENCE)) {
      feed.note("The page had not read all reports when it was kept.");
    }
    return feed.page();
  }

  /** Announces the end of the demonstration to open pages, which keep the last numbers. */
  void end(String sentence) {
    feed.end(data.description() + " " + sentence);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (!feed.hasEnded()) {
      feed.end("The demonstration was stopped.");
    }
    if (server != null) {
      server.close();
    }
    trial.close();
    feed.close();
  }
}
