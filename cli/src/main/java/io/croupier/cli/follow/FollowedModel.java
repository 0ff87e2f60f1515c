package io.croupier.cli.follow;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.kafka.common.errors.InterruptException;

/** A model whose updates are read from Kafka or from a gateway. */
public final class FollowedModel implements PublishedModel {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long a round that another reader has seen may take to reach this one. */
  private static final Duration LAG = Duration.ofSeconds(5);

  /** How often to check whether the model still exists. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private final String modelId;
  private final UpdateSource source;

  private FollowedModel(String modelId, Function<Consumer<ModelSnapshot>, UpdateSource> opened) {
    this.modelId = modelId;
    source = opened.apply(this::hear);
  }

  /**
   * Starts to follow a model on the topic of updates.
   *
   * @throws InputException if no update of the model is found within 30 s
   */
  public static FollowedModel overKafka(
      Map<String, String> kafka, String updatesTopic, String modelId) {
    return follow(
        modelId, listener -> new UpdateSource.KafkaTopic(kafka, updatesTopic, modelId, listener));
  }

  /**
   * Starts to follow a model over a gateway.
   *
   * @throws InputException if a server answers that is no gateway, or no update of the model is
   *     found within 30 s; the message has the obstacle
   */
  public static FollowedModel overGateway(URI gateway, String modelId) {
    return follow(modelId, listener -> new UpdateSource.GatewayModel(gateway, modelId, listener));
  }

  private static FollowedModel follow(
      String modelId, Function<Consumer<ModelSnapshot>, UpdateSource> opened) {
    FollowedModel model = new FollowedModel(modelId, opened);
    try {
      model.source.await(PATIENCE);
      return model;
    } catch (InputException e) {
      model.close();
      throw e;
    }
  }

  private synchronized void hear(ModelSnapshot snapshot) {
    if (snapshot.modelId().equals(modelId)) {
      notifyAll();
    }
  }

  @Override
  public ModelSnapshot newest() {
    return source
        .newest()
        .orElseThrow(() -> new InputException("Model '%s' was retired".formatted(modelId)));
  }

  @Override
  public synchronized Optional<ModelSnapshot> after(Predicate<ModelSnapshot> isKnown) {
    Optional<ModelSnapshot> newest = source.newest();
    while (newest.isPresent() && isKnown.test(newest.get())) {
      await(LOOK.toNanos());
      newest = source.newest();
    }
    return newest;
  }

  @Override
  public synchronized RoundTerms published(long round) {
    long start = System.nanoTime();
    long left = LAG.toNanos();
    Optional<RoundTerms> terms = source.published(round);
    while (terms.isEmpty()) {
      if (round < newest().round() || left <= 0) {
        throw new InputException(
            "'round' is %d, which is not among the rounds found on %s; the newest is %d"
                .formatted(round, source.place(), newest().round()));
      }
      await(Math.min(left, LOOK.toNanos()));
      left = LAG.toNanos() - (System.nanoTime() - start);
      terms = source.published(round);
    }
    return terms.get();
  }

  private synchronized void await(long nanos) {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
