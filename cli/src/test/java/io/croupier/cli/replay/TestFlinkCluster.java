package io.croupier.cli.replay;

import java.net.URI;
import java.nio.file.Path;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A Flink cluster with two task managers of one slot each, which tests can kill. */
final class TestFlinkCluster implements AutoCloseable {
  private static final MemorySize MEMORY = MemorySize.ofMebiBytes(16);

  private final MiniCluster cluster;
  private int nextToFail;

  private TestFlinkCluster(MiniCluster cluster) {
    this.cluster = cluster;
  }

  /** Starts a cluster that keeps its files in {@code directory}. */
  static TestFlinkCluster start(Path directory) throws Exception {
    Configuration configuration =
        new Configuration()
            .set(CoreOptions.TMP_DIRS, directory.toString())
            .set(RestOptions.ADDRESS, "127.0.0.1")
            .set(RestOptions.BIND_ADDRESS, "127.0.0.1")
            .set(RestOptions.BIND_PORT, "0")
            .set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MEMORY)
            .set(TaskManagerOptions.NETWORK_MEMORY_MIN, MEMORY)
            .set(TaskManagerOptions.NETWORK_MEMORY_MAX, MEMORY);
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(2)
                .setNumSlotsPerTaskManager(1)
                .build());
    cluster.start();
    return new TestFlinkCluster(cluster);
  }

  /** The environment that submits jobs to the cluster. */
  StreamExecutionEnvironment environment() throws Exception {
    URI rest = cluster.getRestAddress().get();
    return StreamExecutionEnvironment.createRemoteEnvironment(rest.getHost(), rest.getPort());
  }

  /** Kills the oldest task manager with all its tasks, and starts another one. */
  void replaceTaskManager() throws Exception {
    cluster.terminateTaskManager(nextToFail++).get();
    cluster.startTaskManager();
  }

  /** How often the job was restored from a checkpoint. */
  long restores(JobID job) throws Exception {
    return cluster
        .getExecutionGraph(job)
        .get()
        .getCheckpointStatsSnapshot()
        .getCounts()
        .getNumberOfRestoredCheckpoints();
  }

  @Override
  public void close() {
    cluster.closeAsync().join();
  }
}
