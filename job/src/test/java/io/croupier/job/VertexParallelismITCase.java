package io.croupier.job;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.restart.AccountedOffsets;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobResourceRequirements;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The adaptive scheduler gives each vertex another parallelism, again and again, while users
 * report, and a TaskManager is lost between: the outputs of one user and of one model keep their
 * order, whatever the parallelisms.
 */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class VertexParallelismITCase extends JobFixture {
  private static final int[] PARALLELISMS = {2, 4, 3, 1};
  private static final int USERS = 8;
  private static final double EPSILON = 0.25;

  private final ModelSpec spec = OneHotReports.spec("m", 4, 5);

  private MiniCluster cluster;

  @BeforeEach
  void startCluster() throws Exception {
    cluster = cluster();
    cluster.start();
  }

  @AfterEach
  void stopCluster() throws Exception {
    cluster.close();
  }

  @Test
  void outputsKeepTheirOrder() throws Exception {
    JobGraph graph = graph(JobConfig.of(settings()));
    JobID id = cluster.submitJob(graph).get().getJobID();
    testTopics.begin(spec);

    int reports = rescaleWhileUsersReport(graph, id);

    int sent = reports * USERS;
    check(testTopics.awaitEvents("m", sent), reports);
    JournalCheck.check(testTopics, "m", sent);
    ReplayedJournal.check(testTopics, spec, sent);
    assertThat(testTopics.updates("m"))
        .extracting(ModelUpdate::getRound)
        .as("rounds, in the order of the topic")
        .isSorted();
    cluster.cancelJob(id).get();
    cluster.requestJobResult(id).get();
    checkRebuild(reports);
  }

  /** Returns the number of reports of each user. */
  private int rescaleWhileUsersReport(JobGraph graph, JobID id) throws Exception {
    Reporting reporting = new Reporting(testTopics, spec);
    try {
      for (int step = 0; step < PARALLELISMS.length; step++) {
        Map<JobVertex, Integer> wanted = parallelisms(graph, step);
        cluster.updateJobResourceRequirements(id, requirements(wanted)).get();
        awaitRunning(id, wanted);
        if (step == 1) {
          cluster.terminateTaskManager(0).get();
          cluster.startTaskManager();
          awaitRunning(id, wanted);
        }
        reporting.awaitJudged(100);
      }
    } finally {
      reporting.stop();
    }
    return reporting.reports.get();
  }

  private void check(List<AccountingEvent> events, int reports) {
    assertThat(events).hasSize(reports * USERS).allMatch(e -> e.getOutcome() == Outcome.ADMITTED);
    events.stream()
        .collect(groupingBy(AccountingEvent::getUserId))
        .forEach(
            (user, ofUser) -> {
              assertThat(ofUser)
                  .extracting(AccountingEvent::getSequence)
                  .as("events of %s, in the order of the topic", user)
                  .containsExactlyElementsOf(LongStream.range(0, reports).boxed().toList());
              assertThat(ofUser.get(reports - 1).getUserTotals().getEpsilon())
                  .isEqualTo(EPSILON * reports);
            });
  }

  /** The next report of each user is charged in addition to what a rebuild has found. */
  private void checkRebuild(int reports) throws Exception {
    try (LoggedWarnings warnings = new LoggedWarnings("io.croupier")) {
      start(settings(), LedgerStart.REBUILD);
      Reporting.send(testTopics, spec, reports);
      testTopics.flush();
      check(testTopics.awaitEvents("m", (reports + 1) * USERS), reports + 1);
      assertThat(warnings.messages()).noneMatch(message -> message.contains("other totals"));
    }
  }

  private Map<String, String> settings() {
    Map<String, String> settings = withCheckpoints(testTopics.settings());
    settings.put("journal.enabled", "true");
    return settings;
  }

  private static MiniCluster cluster() {
    Configuration configuration =
        new Configuration()
            .set(JobManagerOptions.SCHEDULER, JobManagerOptions.SchedulerType.Adaptive)
            .set(
                JobManagerOptions.SCHEDULER_EXECUTING_COOLDOWN_AFTER_RESCALING,
                Duration.ofMillis(1))
            .set(
                JobManagerOptions.SCHEDULER_EXECUTING_RESOURCE_STABILIZATION_TIMEOUT,
                Duration.ofMillis(1));
    return new MiniCluster(
        new MiniClusterConfiguration.Builder()
            .setConfiguration(configuration)
            .withRandomPorts()
            .setNumTaskManagers(2)
            .setNumSlotsPerTaskManager(2)
            .build());
  }

  private static JobGraph graph(JobConfig config) throws Exception {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration());
    BrokerLimits limits = CroupierJob.askBrokers(config);
    JobEnvironment.configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    InstrumentedTopology.topology(config, limits)
        .build(
            JobSources.inputs(env, config, io, io.reports(new AccountedOffsets(Map.of()))),
            io::sink);
    return env.getStreamGraph().getJobGraph();
  }

  /** In each step, consecutive vertices have different parallelisms. */
  private static Map<JobVertex, Integer> parallelisms(JobGraph graph, int step) {
    Map<JobVertex, Integer> wanted = new HashMap<>();
    int place = step;
    for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
      boolean isModels = vertex.getName().contains("models");
      wanted.put(vertex, isModels ? 1 : PARALLELISMS[place++ % PARALLELISMS.length]);
    }
    return wanted;
  }

  private static JobResourceRequirements requirements(Map<JobVertex, Integer> wanted) {
    JobResourceRequirements.Builder requirements = JobResourceRequirements.newBuilder();
    wanted.forEach(
        (vertex, parallelism) ->
            requirements.setParallelismForJobVertex(vertex.getID(), parallelism, parallelism));
    return requirements.build();
  }

  private void awaitRunning(JobID id, Map<JobVertex, Integer> wanted) throws Exception {
    while (!isRunning(cluster.getExecutionGraph(id).get(), wanted)) {
      Thread.sleep(20);
    }
  }

  private static boolean isRunning(AccessExecutionGraph graph, Map<JobVertex, Integer> wanted) {
    return wanted.entrySet().stream()
        .allMatch(
            entry -> {
              AccessExecutionJobVertex vertex = graph.getJobVertex(entry.getKey().getID());
              return vertex != null
                  && vertex.getParallelism() == entry.getValue()
                  && vertex.getAggregateState() == ExecutionState.RUNNING;
            });
  }

  /** A thread in which all users report, each with increasing sequences. */
  private static final class Reporting {
    private final TestTopics testTopics;
    private final ModelSpec spec;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread = new Thread(this::run);
    private final AtomicInteger reports = new AtomicInteger();

    Reporting(TestTopics testTopics, ModelSpec spec) {
      this.testTopics = testTopics;
      this.spec = spec;
      thread.start();
    }

    private void run() {
      try {
        while (!stopped.get()) {
          send(testTopics, spec, reports.get());
          reports.incrementAndGet();
          Thread.sleep(10);
        }
        testTopics.flush();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** Sends the report with a sequence of each user. */
    static void send(TestTopics testTopics, ModelSpec spec, int sequence) {
      for (int user = 0; user < USERS; user++) {
        testTopics.send(
            OneHotReports.report(
                spec, 0, user % spec.getDimension(), "person-" + user, sequence, EPSILON));
      }
    }

    /** Waits until the ledger has judged this many reports of each user that are sent from now. */
    void awaitJudged(int more) throws Exception {
      testTopics.awaitEvents("m", (reports.get() + more) * USERS);
    }

    /** Waits until all reports are sent, and sends no more. */
    void stop() throws InterruptedException {
      stopped.set(true);
      thread.join();
    }
  }
}
