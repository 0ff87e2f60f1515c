package io.croupier.cli.follow;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.RoundTerms;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.errors.InterruptException;

/** A model whose updates are read from Kafka. */
public final class FollowedModel implements PublishedModel {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long a round that another reader has seen may take to reach this one. */
  private static final Duration LAG = Duration.ofSeconds(5);

  /** How often to check whether the model still exists. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private final String modelId;
  private final String topic;
  private final ModelSubscriber subscriber;

  private FollowedModel(Map<String, Object> kafka, String updatesTopic, String modelId) {
    this.modelId = modelId;
    topic = updatesTopic;
    subscriber = new ModelSubscriber(kafka, updatesTopic, this::hear);
  }

  /**
   * Starts to follow a model.
   *
   * @throws InputException if no update of the model is found within 30 s
   */
  public static FollowedModel follow(
      Map<String, String> kafka, String updatesTopic, String modelId) {
    FollowedModel model = new FollowedModel(Map.copyOf(kafka), updatesTopic, modelId);
    try {
      model.subscriber.await(modelId, PATIENCE);
      return model;
    } catch (TimeoutException e) {
      model.close();
      throw new InputException(
          ("No update of model '%s' was found on topic %s within %d s; publish the model with"
                  + " 'croupier models apply', and run the job with 'croupier run'")
              .formatted(modelId, updatesTopic, PATIENCE.toSeconds()),
          e);
    }
  }

  private synchronized void hear(ModelSnapshot snapshot) {
    if (snapshot.modelId().equals(modelId)) {
      notifyAll();
    }
  }

  @Override
  public ModelSnapshot newest() {
    return subscriber
        .newest(modelId)
        .orElseThrow(() -> new InputException("Model '%s' was retired".formatted(modelId)));
  }

  @Override
  public synchronized Optional<ModelSnapshot> after(long round) {
    Optional<ModelSnapshot> newest = subscriber.newest(modelId);
    while (newest.isPresent() && newest.get().round() == round) {
      await(LOOK.toNanos());
      newest = subscriber.newest(modelId);
    }
    return newest;
  }

  @Override
  public synchronized RoundTerms published(long round) {
    long start = System.nanoTime();
    long left = LAG.toNanos();
    Optional<RoundTerms> terms = subscriber.published(modelId, round);
    while (terms.isEmpty()) {
      if (round < newest().round() || left <= 0) {
        throw new InputException(
            "'round' is %d, which is not among the rounds found on topic %s; the newest is %d"
                .formatted(round, topic, newest().round()));
      }
      await(Math.min(left, LOOK.toNanos()));
      left = LAG.toNanos() - (System.nanoTime() - start);
      terms = subscriber.published(modelId, round);
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
    subscriber.close();
  }
}
