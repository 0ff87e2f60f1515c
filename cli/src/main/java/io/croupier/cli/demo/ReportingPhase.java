package io.croupier.cli.demo;

import io.croupier.cli.data.DataSet;
import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Lets the people of a demonstration report, with identity over Kafka or without it over a gateway,
 * until every report is accounted for.
 *
 * @param order rows of the people in the data, in the order in which they come
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
record ReportingPhase(
    Turn turn,
    Counts counts,
    DemoParameters parameters,
    List<ComparedLearner> learners,
    int[] order,
    double peoplePerSecond,
    DemoEnvironment environment,
    LivePage livePage) {
  /** Lets each person report with identity, at a steady rate. */
  Reconciliation withIdentity(
      Map<String, Randomiser> randomisers,
      ModelSubscriber models,
      PublicationScores scores,
      SpendTracker spendTracker)
      throws InterruptedException {
    Map<String, Randomiser> undisclosed = new HashMap<>(randomisers);
    undisclosed.replaceAll((modelId, randomiser) -> undisclosed(randomiser));
    String topic = environment.topics().gradients();
    try (Producer<byte[], byte[]> producer =
            new KafkaProducer<>(KafkaReportTransport.producerProperties(environment.kafka()));
        SimulatedClients simulatedClients =
            new SimulatedClients(
                turn::problem,
                counts,
                order,
                learners.stream()
                    .filter(comparedLearner -> !comparedLearner.isCentral())
                    .map(ComparedLearner::modelId)
                    .toList(),
                modelId -> models.newest(modelId).orElseThrow(),
                person ->
                    new GradientReporter(
                        new KafkaReportTransport(producer, topic),
                        LocalLedger.inMemory(user(person), Limit.NONE)),
                (place, modelId) ->
                    (parameters.isUndisclosed(place) ? undisclosed : randomisers).get(modelId),
                groups(models, producer));
        Progress progress = progress()) {
      CompletionMonitor monitor = monitor(simulatedClients, scores, spendTracker);
      simulatedClients.start(peoplePerSecond, monitor::isStalled);
      return monitor.untilSettled(progress);
    }
  }

  /** Lets each person get a token, and report without identity in one window. */
  Reconciliation withoutIdentity(PublicationScores scores, SpendTracker spendTracker)
      throws InterruptedException {
    DemoGateway gateway = environment.gateway();
    try (AnonymousPeople people =
            new AnonymousPeople(
                gateway.address(),
                person -> gateway.identity(user(person)),
                data().problem(),
                order,
                spendTracker::addAnonymous);
        Progress progress = progress()) {
      CompletionMonitor monitor = monitor(people, scores, spendTracker);
      List<String> modelIds = learners.stream().map(ComparedLearner::modelId).toList();
      people.requestTokens(
          modelIds, granted -> progress.showTokens(granted, (long) order.length * modelIds.size()));
      people.start();
      Reconciliation reconciliation = monitor.untilSettled(progress);
      return people.late() == 0
          ? reconciliation
          : reconciliation.with(
              "%s came too late for a round of the window; their tokens stay charged."
                  .formatted(NumberFormats.counted(people.late(), "report")));
    }
  }

  private DataSet data() {
    return turn.after();
  }

  private Progress progress() {
    return Progress.on(learners, parameters, data().problem().fitName());
  }

  private CompletionMonitor monitor(
      Arrivals arrivals, PublicationScores scores, SpendTracker spendTracker) {
    return new CompletionMonitor(
        learners, environment, arrivals, scores, spendTracker, livePage.visits());
  }

  /** The same noise without a declaration; the command refuses forms that disclose themselves. */
  private static Randomiser undisclosed(Randomiser randomiser) {
    return randomiser instanceof GridRandomiser onGrid
        ? new UndisclosedRandomiser(onGrid)
        : randomiser;
  }

  /** The groups that send raw reports. */
  private List<Cohorts> groups(ModelSubscriber models, Producer<byte[], byte[]> producer) {
    return learners.stream()
        .filter(ComparedLearner::isCentral)
        .map(
            comparedLearner ->
                new Cohorts(
                    comparedLearner.modelId(),
                    parameters.rounds(),
                    data().problem(),
                    order,
                    () -> models.newest(comparedLearner.modelId()).orElseThrow(),
                    ReportingPhase::user,
                    environment.topics().rawGradients(),
                    producer::send))
        .toList();
  }

  private static String user(int person) {
    return "person-%06d".formatted(person + 1);
  }
}
