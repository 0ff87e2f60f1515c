package io.croupier.cli.follow;

import io.croupier.cli.InputException;
import io.croupier.client.HttpModelSubscriber;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.RoundTerms;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.commons.lang3.StringUtils;
import org.apache.kafka.common.errors.InterruptException;

/** Where the updates of one model come from. */
interface UpdateSource extends AutoCloseable {
  /** The newest update; empty if there is none. */
  Optional<ModelSnapshot> newest();

  /** The terms of a round, where they are known. */
  Optional<RoundTerms> published(long round);

  /**
   * Waits for the first update.
   *
   * @throws InputException if there is none after {@code timeout}; the message has the obstacle
   */
  void await(Duration timeout);

  /** The source, in words. */
  String place();

  @Override
  void close();

  /** The topic of updates. */
  final class KafkaTopic implements UpdateSource {
    private final String modelId;
    private final String topic;
    private final ModelSubscriber subscriber;

    KafkaTopic(
        Map<String, String> kafka, String topic, String modelId, Consumer<ModelSnapshot> listener) {
      this.modelId = modelId;
      this.topic = topic;
      subscriber = new ModelSubscriber(Map.copyOf(kafka), topic, listener);
    }

    @Override
    public Optional<ModelSnapshot> newest() {
      return subscriber.newest(modelId);
    }

    @Override
    public Optional<RoundTerms> published(long round) {
      return subscriber.published(modelId, round);
    }

    @Override
    public void await(Duration timeout) {
      try {
        ModelSnapshot unused = subscriber.await(modelId, timeout);
      } catch (TimeoutException e) {
        throw new InputException(
            StringUtils.capitalize(e.getMessage())
                + ". Publish the model with 'croupier models apply', and run the job with 'croupier"
                + " run'",
            e);
      }
    }

    @Override
    public String place() {
      return "topic " + topic;
    }

    @Override
    public void close() {
      subscriber.close();
    }
  }

  /** A gateway. Answers of other servers are errors of the input, the address. */
  final class GatewayModel implements UpdateSource {
    private final URI address;
    private final HttpModelSubscriber subscriber;

    GatewayModel(URI address, String modelId, Consumer<ModelSnapshot> listener) {
      this.address = address;
      subscriber = new HttpModelSubscriber(address, modelId, listener);
    }

    private static <T> T read(Supplier<T> reading) {
      try {
        return reading.get();
      } catch (IllegalStateException e) {
        throw new InputException("--gateway: " + e.getMessage(), e);
      }
    }

    @Override
    public Optional<ModelSnapshot> newest() {
      return read(subscriber::newest);
    }

    @Override
    public Optional<RoundTerms> published(long round) {
      return read(() -> subscriber.published(round));
    }

    @Override
    public void await(Duration timeout) {
      try {
        ModelSnapshot unused = subscriber.await(timeout);
      } catch (IllegalStateException | TimeoutException e) {
        throw new InputException("--gateway: " + e.getMessage(), e);
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      }
    }

    @Override
    public String place() {
      return "gateway " + address;
    }

    @Override
    public void close() {
      subscriber.close();
    }
  }
}
