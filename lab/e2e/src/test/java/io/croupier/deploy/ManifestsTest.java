package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.croupier.cli.models.ModelsFile;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.flink.SpecRequirements;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.changelog.fs.FsStateChangelogOptions;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.SecurityOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.jobmanager.JobManagerProcessUtils;
import org.apache.flink.state.rocksdb.RocksDBConfigurableOptions;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Flink's settings for one machine, Docker and Kubernetes, as Flink reads them. */
class ManifestsTest {
  private static final List<Class<?>> OPTIONS =
      List.of(
          CheckpointingOptions.class,
          CoreOptions.class,
          FsStateChangelogOptions.class,
          HeartbeatManagerOptions.class,
          HighAvailabilityOptions.class,
          JobManagerOptions.class,
          MetricOptions.class,
          RestOptions.class,
          RestartStrategyOptions.class,
          RocksDBConfigurableOptions.class,
          RocksDBOptions.class,
          SecurityOptions.class,
          StateBackendOptions.class,
          StateChangelogOptions.class,
          StateRecoveryOptions.class,
          TaskManagerOptions.class);

  private static final String DEPLOYMENT = "deploy/kubernetes/flinkdeployment.yaml";

  /** A file with settings of Flink. */
  enum Manifest {
    ONE_MACHINE,
    DOCKER,
    KUBERNETES;

    Map<String, String> settings() throws Exception {
      Map<String, Object> found =
          switch (this) {
            case ONE_MACHINE -> Yaml.documents("deploy/conf/config.yaml").get(0);
            case DOCKER ->
                Yaml.parse(
                        (String)
                            Yaml.map(
                                    Yaml.documents("deploy/docker/compose.yaml").get(0),
                                    "x-flink",
                                    "environment")
                                .get("FLINK_PROPERTIES"))
                    .get(0);
            case KUBERNETES ->
                Yaml.map(Yaml.documents(DEPLOYMENT).get(0), "spec", "flinkConfiguration");
          };
      Map<String, String> settings = new HashMap<>();
      found.forEach((key, value) -> settings.put(key, String.valueOf(value)));
      return settings;
    }
  }

  /** Flink ignores a setting that it doesn't know. */
  @ParameterizedTest
  @EnumSource
  void flinkKnowsEachSettingAndReadsItsValue(Manifest manifest) throws Exception {
    Map<String, ConfigOption<?>> known = options();
    Map<String, String> settings = manifest.settings();
    Configuration configuration = Configuration.fromMap(settings);

    assertThat(settings).hasSizeGreaterThan(10);
    for (String key : settings.keySet()) {
      if (!key.startsWith("metrics.reporter.") && !key.startsWith("kubernetes.operator.")) {
        assertThat(known).containsKey(key);
        assertThatCode(() -> configuration.get(known.get(key))).as(key).doesNotThrowAnyException();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void centralModelsRun(Manifest manifest) throws Exception {
    Configuration configuration = Configuration.fromMap(manifest.settings());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));

    assertThat(
            new SpecRequirements(1 << 20, 1 << 20, Duration.ofDays(1))
                .in(configuration, new BltSearches())
                .apply(ModelsFile.read(Cluster.ROOT.resolve("examples/central.yaml")).get(0)))
        .isEmpty();
  }

  @Test
  void kubernetesHasTheMemoryAndTheSlotsForTheJob() throws Exception {
    Map<String, Object> spec = Yaml.map(Yaml.documents(DEPLOYMENT).get(0), "spec");
    Configuration configuration = Configuration.fromMap(Manifest.KUBERNETES.settings());
    configuration.set(
        TaskManagerOptions.TOTAL_PROCESS_MEMORY, memory(Yaml.map(spec, "taskManager", "resource")));
    TaskExecutorProcessSpec taskManager =
        TaskExecutorProcessUtils.processSpecFromConfig(configuration);

    int slots = configuration.get(TaskManagerOptions.NUM_TASK_SLOTS);
    int parallelism = (int) Yaml.map(spec, "job").get("parallelism");
    assertThat(parallelism % slots).isZero();
    // 10^7 users of 0.3 kB.
    assertThat(taskManager.getManagedMemorySize().getBytes() * parallelism / slots)
        .isGreaterThanOrEqualTo(3_000_000_000L);
    assertThat(taskManager.getTaskHeapSize().getMebiBytes()).isGreaterThanOrEqualTo(900);

    configuration.set(
        JobManagerOptions.TOTAL_PROCESS_MEMORY, memory(Yaml.map(spec, "jobManager", "resource")));
    assertThat(
            JobManagerProcessUtils.processSpecFromConfig(configuration)
                .getJvmHeapMemorySize()
                .getMebiBytes())
        .isGreaterThanOrEqualTo(512);
  }

  private static MemorySize memory(Map<String, Object> resource) {
    return MemorySize.parse((String) resource.get("memory"));
  }

  /** Pods that belong to no scalable controller: only a whole number of minAvailable is allowed. */
  @Test
  void evictionsTakeOneTaskManagerAtATime() throws Exception {
    List<Map<String, Object>> documents = Yaml.documents(DEPLOYMENT);
    Map<String, Object> deployment = documents.get(0);
    Map<String, Object> budget = documents.get(1);
    int slots =
        Integer.parseInt(
            (String)
                Yaml.map(deployment, "spec", "flinkConfiguration")
                    .get("taskmanager.numberOfTaskSlots"));
    int parallelism = (int) Yaml.map(deployment, "spec", "job").get("parallelism");

    assertThat(budget)
        .containsEntry("kind", "PodDisruptionBudget")
        .containsEntry("apiVersion", "policy/v1");
    assertThat(Yaml.map(budget, "spec"))
        .containsEntry("minAvailable", parallelism / slots - 1)
        .doesNotContainKey("maxUnavailable");
    // The labels that Flink gives to the pods of a cluster.
    assertThat(Yaml.map(budget, "spec", "selector", "matchLabels"))
        .containsOnly(
            Map.entry("app", Yaml.map(deployment, "metadata").get("name")),
            Map.entry("component", "taskmanager"));
  }

  private static Map<String, ConfigOption<?>> options() throws IllegalAccessException {
    Map<String, ConfigOption<?>> options = new TreeMap<>();
    for (Class<?> holder : OPTIONS) {
      for (Field field : holder.getFields()) {
        if (Modifier.isStatic(field.getModifiers()) && field.getType() == ConfigOption.class) {
          ConfigOption<?> option = (ConfigOption<?>) field.get(null);
          options.put(option.key(), option);
        }
      }
    }
    return options;
  }
}
