package io.croupier.job;

import io.croupier.job.config.JobConfig;
import io.croupier.job.config.ProcessArguments;
import io.croupier.job.config.UserLimits;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.KafkaRights;
import io.croupier.job.kafka.KafkaSpecReader;
import io.croupier.job.kafka.TopicInspection;
import io.croupier.job.restart.AccountedOffsets;
import io.croupier.job.restart.CompactedAccounts;
import io.croupier.job.restart.KafkaVisibleOutputs;
import io.croupier.job.restart.OutputEnds;
import io.croupier.job.restart.RebuiltOffsets;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.learner.JournalSettings;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.restart.VisibleOutputs;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.report.DigestKey;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The Flink job: parse, validate, build, execute. */
public final class CroupierJob {
  private static final Logger LOG = LoggerFactory.getLogger(CroupierJob.class);
  private static final String NAME = "croupier";

  private CroupierJob() {}

  /**
   * Runs the job: {@code --config FILE}, then any setting as {@code --key value}; {@code --dry-run}
   * prints the settings and the graph instead. {@code --rebuild-ledger} and {@code --new-ledger}
   * choose what a job without state does about existing accounts; a job that restores state ignores
   * both.
   */
  public static void main(String[] args) throws Exception {
    ProcessArguments.requireDecoded(args);
    JobArguments arguments = JobArguments.parse(args);
    JobConfig config = arguments.config();
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    if (arguments.dryRun()) {
      System.out.write(plan(env, config).getBytes(StandardCharsets.UTF_8));
      if (System.out.checkError()) {
        throw new IOException("The plan can't be written to standard output");
      }
    } else {
      prepare(env, config, arguments.start());
      env.execute(NAME);
    }
  }

  /** The same for a job that has no accounts yet, or restores them. */
  public static JobClient submit(StreamExecutionEnvironment env, JobConfig config)
      throws Exception {
    return submit(env, config, LedgerStart.REQUIRE_STATE);
  }

  /**
   * Checks the topics, builds the graph and starts it, without waiting for its end. If the ledger
   * is to be rebuilt, and no state restored, the rebuild runs to its end before.
   *
   * @param start what the job does if it has no state. The configuration file has no such setting,
   *     since it would also apply at every later loss of state.
   * @throws io.croupier.operators.flink.restart.RefusedStartException if a rebuild refuses the
   *     accounting topic
   * @throws IllegalStateException if the job can't run on these topics, or the state that it is to
   *     restore doesn't exist; the message contains the remedy
   */
  public static JobClient submit(
      StreamExecutionEnvironment env, JobConfig config, LedgerStart start) throws Exception {
    prepare(env, config, start);
    return env.executeAsync(NAME);
  }

  /** The effective settings and the graph's operators, as text. Connects to no broker. */
  public static String plan(StreamExecutionEnvironment env, JobConfig config) {
    KafkaIo io = new KafkaIo(config, BrokerLimits.DEFAULTS);
    JobStart start = jobStart(LedgerStart.REQUIRE_STATE, io.visible(OutputEnds.NONE));
    KafkaSource<RawRecord> reports = io.reports(new AccountedOffsets(Map.of()));
    build(env, config, BrokerLimits.DEFAULTS, start, reports);
    StringBuilder text = new StringBuilder("Settings\n").append(config.describe().indent(2));
    text.append("Operators\n");
    StreamGraph graph = env.getStreamGraph(false);
    graph.getStreamNodes().stream()
        .sorted((a, b) -> Integer.compare(a.getId(), b.getId()))
        .forEach(node -> text.append(line(graph, node)));
    return text.toString();
  }

  private static String line(StreamGraph graph, StreamNode node) {
    String inputs =
        String.join(
            ", ",
            node.getInEdges().stream()
                .map(edge -> graph.getStreamNode(edge.getSourceId()).getOperatorName())
                .toList());
    return "  %-20s uid %-18s parallelism %-3d %s%n"
        .formatted(
            node.getOperatorName(),
            node.getTransformationUID(),
            node.getParallelism(),
            inputs.isEmpty() ? "" : "<- " + inputs);
  }

  /** Checks the topics and reads the brokers' limits. */
  static BrokerLimits askBrokers(JobConfig config) throws InterruptedException {
    try (Admin admin = Admin.create(Map.copyOf(config.kafka()))) {
      BrokerLimits limits = TopicInspection.inspect(admin, config.topics(), config.journal());
      if (config.anonymous()) {
        TopicInspection.inspectAnonymous(admin, config.topics());
      }
      TopicInspection.warnOfLongRetention(
          admin, config.topics(), Topic.ofJob(config.anonymous()), config.keepReports());
      KafkaRights.requireGroup(admin, KafkaIo.group(config));
      Optional<String> limited =
          config.limitsUsers() ? Optional.of("limits.user.*") : limitedModel(config, limits);
      if (limited.isPresent()) {
        TopicInspection.requireThatItKeepsAccounts(admin, config.topics(), limited.get());
        new CompactedAccounts(config.kafka(), config.topics().accounting()).requireVersion2();
      }
      return limits;
    } catch (IOException e) {
      throw new IllegalStateException("The topics can't be read: " + e.getMessage(), e);
    } catch (ExecutionException e) {
      throw noAnswer(config, e);
    }
  }

  /** A published model that limits what users may spend, if there is one. */
  private static Optional<String> limitedModel(JobConfig config, BrokerLimits limits)
      throws IOException {
    PublishedSpecs specs = new PublishedSpecs(requirements(config, limits));
    for (SpecRecord spec :
        new KafkaSpecReader(config.kafka(), config.topics().models()).readToEnd()) {
      specs.apply(spec.modelId, spec.offset, spec.value);
    }
    return specs.entries().keySet().stream()
        .filter(
            id -> specs.spec(id).map(ModelSpec::getLimits).filter(UserLimits::limit).isPresent())
        .findFirst()
        .map(id -> "limits of model " + id);
  }

  /** Checks the topics, rebuilds the ledger if that is wanted, and builds the graph. */
  private static void prepare(StreamExecutionEnvironment env, JobConfig config, LedgerStart start)
      throws Exception {
    Optional<String> state = JobEnvironment.state(env, config);
    if (state.isPresent()) {
      JobEnvironment.requireState(env, state.get());
    }
    BrokerLimits limits = askBrokers(config);
    KafkaIo io = new KafkaIo(config, limits);
    if (state.isEmpty() && start == LedgerStart.REBUILD) {
      state = Optional.of(new LedgerRebuild(env, config, io).run());
      JobEnvironment.set(env, StateRecoveryOptions.SAVEPOINT_PATH, state.get());
    }
    // After a rebuild, which may take hours.
    KafkaVisibleOutputs visible = io.visible(outputEnds(config));
    Optional<Map<TopicPartition, Long>> rebuilt = state.flatMap(CroupierJob::rebuiltOffsets);
    if (rebuilt.isPresent()) {
      // The sources of the rebuild are not part of this job.
      JobEnvironment.set(env, StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
      AccountedOffsets first = new AccountedOffsets(rebuilt.get());
      build(env, config, limits, jobStart(LedgerStart.REBUILT, visible), io.reports(first));
    } else {
      AccountedOffsets first = new AccountedOffsets(visible, start == LedgerStart.NEW);
      build(env, config, limits, jobStart(start, visible), io.reports(first));
    }
  }

  /** Looks up where the outputs end before the job writes to them. */
  static OutputEnds outputEnds(JobConfig config) throws InterruptedException {
    try (Admin admin = Admin.create(Map.copyOf(config.kafka()))) {
      return OutputEnds.now(admin, config.topics());
    } catch (ExecutionException e) {
      throw noAnswer(config, e);
    }
  }

  private static IllegalStateException noAnswer(JobConfig config, ExecutionException e) {
    return new IllegalStateException(
        "The brokers at kafka.bootstrap.servers=%s don't answer: %s"
            .formatted(config.kafka().get("bootstrap.servers"), e.getCause()),
        e);
  }

  private static Optional<Map<TopicPartition, Long>> rebuiltOffsets(String state) {
    try {
      return RebuiltOffsets.read(state);
    } catch (IOException e) {
      LOG.warn(
          "The state {} can't be read here: if it is the savepoint of a rebuilt ledger, the job"
              + " won't start",
          state,
          e);
      return Optional.empty();
    }
  }

  private static JobStart jobStart(LedgerStart start, VisibleOutputs outputs) {
    return new JobStart(start, outputs, DigestKey.random());
  }

  private static void build(
      StreamExecutionEnvironment env,
      JobConfig config,
      BrokerLimits limits,
      JobStart start,
      KafkaSource<RawRecord> reports) {
    JobEnvironment.configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    topology(config, limits, start).build(JobSources.inputs(env, config, io, reports), io::sink);
  }

  /** The graph's stages for this configuration. */
  static Topology topology(JobConfig config, BrokerLimits limits, JobStart start) {
    return new Topology(
        new KafkaSpecReader(config.kafka(), config.topics().models()),
        requirements(config, limits),
        config.perUser(),
        new DeadLetters(limits.deadLetterBytes()),
        config.topics(),
        config.preAggregationInterval(),
        config.publications(),
        config.journal()
            ? JournalSettings.on(config.topics().gradients(), limits.journalBytes())
            : JournalSettings.OFF,
        start);
  }

  private static SpecRequirements requirements(JobConfig config, BrokerLimits limits) {
    return new SpecRequirements(
        limits.reportBytes(),
        limits.updateBytes(),
        limits.transactionTimeout(),
        config.anonymous());
  }
}
