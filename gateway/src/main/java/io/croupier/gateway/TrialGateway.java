package io.croupier.gateway;

import io.croupier.gateway.http.TrialHandler;
import io.croupier.gateway.kafka.ReportSender;
import io.croupier.gateway.kafka.TopicFollower;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.gateway.trial.Visits;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.eclipse.jetty.server.Handler;

/**
 * A gateway for the visitors of a page on this machine, as a handler of the page's server. It takes
 * reports as {@link Gateway} does, under identities that it gives itself. It may exist before
 * Kafka: until {@link #open} it answers that models and reports are unavailable.
 */
public final class TrialGateway implements AutoCloseable {
  private static final Duration ACKNOWLEDGED = Duration.ofSeconds(10);

  private final Topics topics;
  private final Visits visits = new Visits();
  private final Specs specs = new Specs();
  private final Updates updates = new Updates();
  private final TrialHandler handler;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private volatile TopicFollower ofSpecs;
  private volatile TopicFollower ofUpdates;
  private boolean closed;

  /** Creates a gateway for the models and reports of these topics. */
  public TrialGateway(Topics topics) {
    this.topics = topics;
    // The pepper is in memory, so it has no topic.
    handler =
        new TrialHandler(
            visits,
            new ReportCheck(topics, false, specs, updates),
            specs,
            updates,
            this::isCaughtUp);
  }

  /** Serves the paths below {@code /v1/} and {@code /trial/}. */
  public Handler handler() {
    return handler;
  }

  /** The visitors' reports. */
  public Visits visits() {
    return visits;
  }

  /** Begins to follow the topics, which must exist, and to take reports. Call it once. */
  public synchronized void open(Map<String, String> kafka) {
    if (closed) {
      return;
    }
    ReportSender sender = new ReportSender(kafka, ACKNOWLEDGED);
    parts.push(sender);
    ofSpecs = new TopicFollower(kafka, topics.models(), specs::apply);
    parts.push(ofSpecs);
    ofUpdates = new TopicFollower(kafka, topics.updates(), updates::apply);
    parts.push(ofUpdates);
    visits.begin(sender);
  }

  private boolean isCaughtUp() {
    return ofUpdates != null && ofSpecs.isCaughtUp() && ofUpdates.isCaughtUp();
  }

  /** Stops to take reports and to follow. */
  @Override
  public synchronized void close() {
    visits.end();
    closed = true;
    while (!parts.isEmpty()) {
      try {
        parts.pop().close();
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException("a part of the trial's gateway can't be closed", e);
      }
    }
  }
}
