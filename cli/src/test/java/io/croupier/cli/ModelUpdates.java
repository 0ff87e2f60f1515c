package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Waits for committed updates of models. */
final class ModelUpdates {

  private ModelUpdates() {}

  /** Waits for an update of a model that satisfies {@code wanted}; returns the newest update. */
  static ModelSnapshot await(
      Map<String, Object> kafka,
      String topic,
      String modelId,
      Duration patience,
      Predicate<ModelSnapshot> wanted)
      throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    try (ModelSubscriber subscriber =
        new ModelSubscriber(
            kafka,
            topic,
            update -> {
              if (update.modelId().equals(modelId) && wanted.test(update)) {
                seen.countDown();
              }
            })) {
      assertThat(seen.await(patience.toSeconds(), TimeUnit.SECONDS)).as(modelId).isTrue();
      return subscriber.await(modelId, patience);
    }
  }
}
