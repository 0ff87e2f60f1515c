package io.croupier.job;

import io.croupier.job.config.ConfigKey;
import io.croupier.job.config.JobConfig;
import io.croupier.job.config.ProcessArguments;
import io.croupier.job.config.UserLimits;
import io.croupier.job.kafka.BrokerLimits;
import io.croupier.job.kafka.KafkaIo;
import io.croupier.job.kafka.KafkaRights;
import io.croupier.job.kafka.KafkaSpecReader;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.job.kafka.OutputSink;
import io.croupier.job.restart.AccountedOffsets;
import io.croupier.job.restart.CompactedAccounts;
import io.croupier.job.restart.KafkaVisibleOutputs;
import io.croupier.job.restart.OutputEnds;
import io.croupier.job.restart.RebuiltOffsets;
import io.croupier.job.restart.StateMetadata;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.learner.JournalSettings;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.apache.flink.client.deployment.application.executors.EmbeddedExecutor;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.core.execution.CheckpointingMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobmanager.HighAvailabilityMode;
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
    Arguments arguments = Arguments.parse(args);
    JobConfig config = arguments.config();
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    if (arguments.dryRun()) {
      System.out.write(plan(env, config).getBytes(StandardCharsets.UTF_8));
      if (System.out.checkError()) {
        throw new IOException("The plan can't be written to standard output");
      }
    } else {
      prepare(env, config);
      env.execute(NAME);
    }
  }

  /**
   * Checks the topics, builds the graph and starts it, without waiting for its end. If the ledger
   * is to be rebuilt, and no state restored, the rebuild runs to its end before.
   *
   * @throws io.croupier.operators.flink.restart.RefusedStartException if a rebuild refuses the
   *     accounting topic
   * @throws IllegalStateException if the job can't run on these topics, or the state that it is to
   *     restore doesn't exist; the message contains the remedy
   */
  public static JobClient submit(StreamExecutionEnvironment env, JobConfig config)
      throws Exception {
    prepare(env, config);
    return env.executeAsync(NAME);
  }

  /** The effective settings and the graph's operators, as text. Connects to no broker. */
  public static String plan(StreamExecutionEnvironment env, JobConfig config) {
    build(env, config, BrokerLimits.DEFAULTS, OutputEnds.NONE, io -> io.reports());
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
      BrokerLimits limits = KafkaTopics.inspect(admin, config.topics(), config.journal());
      if (config.anonymous()) {
        KafkaTopics.inspect(admin, config.anonymousTopics(), config.topics().guarantees());
      }
      KafkaRights.requireGroup(admin, KafkaIo.group(config));
      Optional<String> limited =
          config.limitsUsers() ? Optional.of("limits.user.*") : limitedModel(config, limits);
      if (limited.isPresent()) {
        KafkaTopics.requireThatItKeepsAccounts(admin, config.topics(), limited.get());
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
  private static void prepare(StreamExecutionEnvironment env, JobConfig config) throws Exception {
    Optional<String> state = state(env, config);
    if (state.isPresent()) {
      requireState(env, state.get());
    }
    BrokerLimits limits = askBrokers(config);
    if (state.isEmpty() && config.ledgerStart() == LedgerStart.REBUILD) {
      state = Optional.of(new LedgerRebuild(env, config, new KafkaIo(config, limits)).run());
      env.configure(recovery(StateRecoveryOptions.SAVEPOINT_PATH, state.get()));
    }
    // After a rebuild, which may take hours.
    OutputEnds ends = outputEnds(config);
    Optional<Map<TopicPartition, Long>> rebuilt = state.flatMap(CroupierJob::rebuiltOffsets);
    if (rebuilt.isPresent()) {
      // The sources of the rebuild are not part of this job.
      env.configure(recovery(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true));
      build(
          env,
          config.withLedgerStart(LedgerStart.REBUILT),
          limits,
          ends,
          io -> io.reports(new AccountedOffsets(rebuilt.get())));
    } else {
      build(env, config, limits, ends, io -> io.reports());
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

  private static <T> Configuration recovery(ConfigOption<T> option, T value) {
    return new Configuration().set(option, value);
  }

  /** The state that the job restores, if any. */
  private static Optional<String> state(StreamExecutionEnvironment env, JobConfig config) {
    return Configuration.fromMap(config.flink())
        .getOptional(StateRecoveryOptions.SAVEPOINT_PATH)
        .or(() -> env.getConfiguration().getOptional(StateRecoveryOptions.SAVEPOINT_PATH));
  }

  /**
   * Requires that the state exists, as far as this process can look. A JobManager that runs the
   * application again after its restart continues from high availability's newest checkpoint, and
   * the state with which the job began may be deleted by then.
   */
  static void requireState(StreamExecutionEnvironment env, String state) {
    Configuration flink = new Configuration((Configuration) env.getConfiguration());
    if (EmbeddedExecutor.NAME.equals(flink.get(DeploymentOptions.TARGET))
        && HighAvailabilityMode.isHighAvailabilityModeActivated(flink)) {
      return;
    }
    try {
      env.configure(recovery(StateRecoveryOptions.SAVEPOINT_PATH, StateMetadata.requireAny(state)));
    } catch (IOException e) {
      LOG.debug("Only Flink itself can look for the state {}", state, e);
    }
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

  private static void build(
      StreamExecutionEnvironment env,
      JobConfig config,
      BrokerLimits limits,
      OutputEnds ends,
      Function<KafkaIo, KafkaSource<RawRecord>> reports) {
    configure(env, config);
    KafkaIo io = new KafkaIo(config, limits);
    topology(config, limits, ends)
        .build(JobSources.inputs(env, config, io, reports.apply(io)), io::sink);
  }

  /** The graph's stages for this configuration. */
  static Topology topology(JobConfig config, BrokerLimits limits, OutputEnds ends) {
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
        config.ledgerStart(),
        outputs(config, ends));
  }

  static KafkaVisibleOutputs outputs(JobConfig config, OutputEnds ends) {
    return new KafkaVisibleOutputs(
        config.kafka(),
        config.topics(),
        ends,
        OutputSink.allTransactions(config.topics().updates()),
        KafkaIo.inputs(config));
  }

  private static SpecRequirements requirements(JobConfig config, BrokerLimits limits) {
    return new SpecRequirements(
        limits.reportBytes(),
        limits.updateBytes(),
        limits.transactionTimeout(),
        config.anonymous());
  }

  /**
   * Sets the options that the job relies on. If the settings name no parallelism, Flink's own
   * setting applies.
   *
   * @throws IllegalArgumentException if that is above the max parallelism
   */
  static void configure(StreamExecutionEnvironment env, JobConfig config) {
    env.configure(flinkOptions(config));
    if (config.parallelism() > 0) {
      env.setParallelism(config.parallelism());
    }
    setMaxParallelism(env, config);
    env.enableCheckpointing(config.checkpointInterval().toMillis(), CheckpointingMode.EXACTLY_ONCE);
  }

  /**
   * Sets the max parallelism of the settings, or else of the state that the job restores.
   *
   * @throws IllegalArgumentException if it is below the parallelism
   */
  static void setMaxParallelism(StreamExecutionEnvironment env, JobConfig config) {
    int most =
        config.maxParallelism() > 0
            ? config.maxParallelism()
            : state(env, config)
                .flatMap(CroupierJob::restoredMaxParallelism)
                .orElse(JobConfig.NEW_MAX_PARALLELISM);
    if (env.getParallelism() > most) {
      throw new IllegalArgumentException(
          "%s is %d, but the parallelism is %d; set %s to that or more, unless the job has state:"
                  .formatted(
                      ConfigKey.MAX_PARALLELISM.key(),
                      most,
                      env.getParallelism(),
                      ConfigKey.MAX_PARALLELISM.key())
              + " then reduce the parallelism");
    }
    env.setMaxParallelism(most);
  }

  private static Optional<Integer> restoredMaxParallelism(String state) {
    try {
      OptionalInt found = StateMetadata.maxParallelism(state);
      return found.isPresent() ? Optional.of(found.getAsInt()) : Optional.empty();
    } catch (IOException e) {
      LOG.warn(
          "The state {} can't be read here: if it was written by a job with another {} than {},"
              + " Flink refuses it, unless the setting has that number",
          state,
          ConfigKey.MAX_PARALLELISM.key(),
          JobConfig.NEW_MAX_PARALLELISM,
          e);
      return Optional.empty();
    }
  }

  /** The options that the job relies on; they override those that the user passes to Flink. */
  private static Configuration flinkOptions(JobConfig config) {
    Map<String, String> options = new HashMap<>(config.flink());
    Configuration configuration = Configuration.fromMap(options);
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    configuration.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
    // No operator modifies or keeps records that it has emitted, so chained operators need no
    // copies.
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    // A sink in another task may run at another parallelism, and would then mix up the order of one
    // user's events.
    configuration.set(PipelineOptions.OPERATOR_CHAINING, true);
    if (!configuration.contains(CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION)) {
      configuration.set(
          CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
          ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    }
    if (!config.checkpointDirectory().isEmpty()) {
      configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, config.checkpointDirectory());
    }
    return configuration;
  }

  /**
   * The command line of the job.
   *
   * @param config the settings of the file and their overrides
   * @param dryRun whether to print the plan only
   */
  private record Arguments(JobConfig config, boolean dryRun) {
    private static final String REBUILD_LEDGER = "--rebuild-ledger";
    private static final String NEW_LEDGER = "--new-ledger";

    static Arguments parse(String[] args) {
      Map<String, String> settings = new LinkedHashMap<>();
      String file = null;
      boolean dryRun = false;
      LedgerStart start = LedgerStart.REQUIRE_STATE;
      for (int i = 0; i < args.length; i++) {
        if (args[i].equals("--dry-run")) {
          dryRun = true;
          continue;
        }
        if (args[i].equals(REBUILD_LEDGER) || args[i].equals(NEW_LEDGER)) {
          if (start != LedgerStart.REQUIRE_STATE) {
            throw new IllegalArgumentException(
                "Only one of %s and %s may be given".formatted(REBUILD_LEDGER, NEW_LEDGER));
          }
          start = args[i].equals(NEW_LEDGER) ? LedgerStart.NEW : LedgerStart.REBUILD;
          continue;
        }
        if (!args[i].startsWith("--") || i + 1 == args.length) {
          throw new IllegalArgumentException(
              ("%s is unknown; use --config FILE, --dry-run, %s, %s, or --key value for a"
                      + " setting")
                  .formatted(name(args, i), REBUILD_LEDGER, NEW_LEDGER));
        }
        String key = args[i].substring(2);
        String value = args[++i];
        if (key.equals("config")) {
          file = value;
        } else {
          settings.put(key, value);
        }
      }
      JobConfig config =
          file == null ? JobConfig.of(settings) : JobConfig.load(Path.of(file), settings);
      return new Arguments(config.withLedgerStart(start), dryRun);
    }

    /** An argument without any value in it, since a value may be a password. */
    private static String name(String[] args, int i) {
      return args[i].startsWith("--")
          ? "'" + ConfigKey.withoutValue(args[i]) + "'"
          : "Argument %d, which is not a --key,".formatted(i + 1);
    }
  }
}
