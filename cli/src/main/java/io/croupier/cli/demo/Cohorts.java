package io.croupier.cli.demo;

import io.croupier.cli.data.Problem;
import io.croupier.client.ModelSnapshot;
import io.croupier.schemas.Central;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * The people who send raw gradients to one model, in groups. Each person answers the round of their
 * group with one report without noise, as soon as that round is published.
 */
final class Cohorts {

  private final String modelId;
  private final Rounds rounds;
  private final Problem problem;
  private final int[] order;
  private final Supplier<ModelSnapshot> newest;
  private final IntFunction<String> userOf;
  private final String topic;
  private final Function<ProducerRecord<byte[], byte[]>, Future<RecordMetadata>> send;
  private final double[] gradient;
  private int answers;

  /**
   * Makes the groups; sends nothing yet.
   *
   * @param order of the people
   * @param newest returns the model's newest committed publication
   * @param userOf returns the user id of a person
   * @param topic of raw gradients
   */
  Cohorts(
      String modelId,
      Rounds rounds,
      Problem problem,
      int[] order,
      Supplier<ModelSnapshot> newest,
      IntFunction<String> userOf,
      String topic,
      Function<ProducerRecord<byte[], byte[]>, Future<RecordMetadata>> send) {
    this.modelId = modelId;
    this.rounds = rounds;
    this.problem = problem;
    this.order = order;
    this.newest = newest;
    this.userOf = userOf;
    this.topic = topic;
    this.send = send;
    this.gradient = new double[problem.dimension()];
  }

  /** The total number of people in the groups. */
  int size() {
    return rounds.reports();
  }

  /** Whether all people have answered. */
  boolean isOver() {
    return answers == size();
  }

  /**
   * Sends the reports of all people who have arrived and whose round is published.
   *
   * @param come number of people who have arrived so far
   * @param underway receives the future of every report
   * @return the number of reports sent
   */
  int answer(int come, Consumer<Future<RecordMetadata>> underway) {
    int before = answers;
    int most = Math.min(come, size());
    if (answers < most) {
      ModelSnapshot snapshot = newest.get();
      double[] weights = snapshot.weights();
      while (answers < most && rounds.ofPlace(answers) == snapshot.round()) {
        underway.accept(send.apply(report(order[answers], snapshot.round(), weights)));
        answers++;
      }
    }
    return answers - before;
  }

  private ProducerRecord<byte[], byte[]> report(int person, long round, double[] weights) {
    problem.gradient(person, weights, gradient);
    String user = userOf.apply(person);
    GradientReport report =
        GradientReport.newBuilder()
            .setModelId(modelId)
            .setRound(round)
            .setUserId(user)
            // A separate device: the sequence numbers of the person's noised reports are another
            // one's.
            .setDeviceId(modelId)
            .setSequence(0)
            .setDense(Dense.newBuilder().addAllValues(Arrays.stream(gradient).boxed().toList()))
            .setCentral(Central.getDefaultInstance())
            .build();
    return new ProducerRecord<>(topic, user.getBytes(StandardCharsets.UTF_8), report.toByteArray());
  }
}
