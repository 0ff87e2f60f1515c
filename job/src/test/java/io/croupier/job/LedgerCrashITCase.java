package io.croupier.job;

import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.learner.RoundSum;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job crashes between ledger and learner, at random records ({@code -Dkills=100} for more than
 * 10 times, {@code -Dseed=...} as another run), while people report until their limit and beyond:
 * totals are exact, nobody is charged twice, nobody is used past the limit, and ledger and learner
 * agree on who was used.
 */
class LedgerCrashITCase {
  private static final int PEOPLE = 4;

  /** Of 0.1 each, against a limit of 1.0: the last two of everybody are refused. */
  private static final int REPORTS = 12;

  private static final int ADMITTED = 10;
  private static final int REPORTS_PER_ROUND = 10;

  @TempDir static Path directory;

  private final int crashes = Integer.getInteger("kills", 10);
  private final long seed = Long.getLong("seed", System.nanoTime());

  @Test
  void nobodyIsChargedTwiceOrUsedPastTheLimit() throws Exception {
    ModelSpec spec =
        OneHot.spec("limited", (2 * crashes + 4) * PEOPLE * REPORTS, REPORTS_PER_ROUND).toBuilder()
            .setLimits(Limits.newBuilder().setEpsilon(1))
            .build();
    Crashing.plan(crashes, seed);
    JobClient job = null;
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"));
        Table table = new Table(broker, "crashing")) {
      job = start(table);
      table.publish(spec);
      table.flush();
      table.awaitUpdate(spec.getModelId(), u -> u.getRound() == 0);

      int groups = 0;
      while (Crashing.left() > 0) {
        send(table, spec, groups++);
        int admitted = groups * PEOPLE * ADMITTED;
        table.awaitUpdate(spec.getModelId(), u -> u.getUsed() + u.getOpen() >= admitted);
      }

      System.out.printf("%d crashes between ledger and learner, seed %d%n", crashes, seed);
      check(table, spec, groups);
    } finally {
      if (job != null) {
        job.cancel().get(30, TimeUnit.SECONDS);
      }
    }
  }

  private static void send(Table table, ModelSpec spec, int group) throws Exception {
    for (int k = 0; k < REPORTS; k++) {
      for (int person = 0; person < PEOPLE; person++) {
        int index = (group * PEOPLE + person) * REPORTS + k;
        GradientReport report =
            OneHot.report(spec, index).toBuilder()
                .setUserId("person-" + group + "-" + person)
                .setSequence(k)
                .setL2Laplace(L2Laplace.newBuilder().setEpsilon(0.1))
                .build();
        table.send(report);
        if (index % 3 == 0) {
          table.send(report);
        }
      }
    }
    table.flush();
  }

  private void check(Table table, ModelSpec spec, int groups) throws Exception {
    int reports = groups * PEOPLE * REPORTS;
    List<AccountingEvent> events =
        table.awaitEvents(spec.getModelId(), reports + (reports + 2) / 3);
    Set<Position> positions = new HashSet<>();
    assertThat(events).as("seed %d", seed).allMatch(event -> positions.add(event.getSource()));
    assertThat(events).as("seed %d", seed).hasSize(reports + (reports + 2) / 3);

    Map<String, List<AccountingEvent>> people =
        events.stream()
            .filter(event -> event.getOutcome() != Outcome.DUPLICATE)
            .collect(groupingBy(AccountingEvent::getUserId));
    assertThat(people).hasSize(groups * PEOPLE);
    people.values().forEach(this::checkPerson);

    int admitted = groups * PEOPLE * ADMITTED;
    ModelUpdate last =
        table.awaitUpdate(spec.getModelId(), u -> u.getUsed() + u.getOpen() >= admitted);
    assertThat(last.getUsed() + last.getOpen()).as("seed %d", seed).isEqualTo(admitted);
    int largest = REPORTS_PER_ROUND + REPORTS_PER_ROUND / 4;
    assertThat(OneHot.used(last, REPORTS_PER_ROUND, largest)).isEqualTo((int) last.getUsed());
    for (int index = 0; index < reports; index++) {
      if (index % REPORTS >= ADMITTED) {
        assertThat(last.getWeights(index)).as("past the limit, seed %d", seed).isZero();
      }
    }
  }

  private void checkPerson(List<AccountingEvent> events) {
    assertThat(events).as("seed %d", seed).hasSize(REPORTS);
    for (int k = 0; k < REPORTS; k++) {
      AccountingEvent event = events.get(k);
      BigDecimal spent = new BigDecimal("0.1").multiply(BigDecimal.valueOf(k + 1));
      assertThat(event.getSequence()).as("seed %d", seed).isEqualTo(k);
      assertThat(event.getOutcome())
          .as("seed %d", seed)
          .isEqualTo(k < ADMITTED ? Outcome.ADMITTED : Outcome.REFUSED_BUDGET);
      assertThat(event.getModelTotals().getEpsilon())
          .as("seed %d", seed)
          .isEqualTo(spent.doubleValue());
      assertThat(event.getUserTotals().getEpsilon()).isEqualTo(spent.doubleValue());
      assertThat(event.getLeftModel().getEpsilon())
          .isEqualTo(BigDecimal.ONE.subtract(spent).max(BigDecimal.ZERO).doubleValue());
    }
  }

  /** The job's own stages, which may crash on either side of the pre-aggregation. */
  private JobClient start(Table table) throws Exception {
    Map<String, String> settings = new HashMap<>(table.settings());
    settings.put("checkpoint.directory", directory.resolve("checkpoints").toUri().toString());
    settings.put("flink.restart-strategy.fixed-delay.attempts", String.valueOf(Integer.MAX_VALUE));
    JobConfig config = JobConfig.of(settings);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration());
    BrokerLimits limits = CroupierJob.askBrokers(config);
    CroupierJob.configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    Topology topology = CroupierJob.topology(config, limits);
    DataStream<SpecRecord> models = CroupierJob.models(env, io);
    SingleOutputStreamOperator<Report> reports = topology.decode(CroupierJob.reports(env, io));
    SingleOutputStreamOperator<RoundSum> admitted = topology.ledger(reports, models);
    DataStream<RoundSum> sums = topology.preAggregation(crashing(admitted, "before"));
    topology.outputs(
        reports, admitted, topology.learner(crashing(sums, "behind"), models), io.sink());
    return env.executeAsync("crashing");
  }

  private static DataStream<RoundSum> crashing(DataStream<RoundSum> sums, String where) {
    return sums.map(new Crashing<RoundSum>())
        .returns(TypeInformation.of(RoundSum.class))
        .uid("crashing-" + where);
  }
}
