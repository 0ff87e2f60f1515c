package io.croupier.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.flink.api.common.JobInfo;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.common.serialization.SerializationSchema.InitializationContext;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.InitContext;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SinkCommitterMetricGroup;
import org.apache.flink.metrics.groups.SinkWriterMetricGroup;
import org.apache.flink.runtime.metrics.groups.MetricsGroupTestUtils;
import org.apache.flink.streaming.runtime.tasks.StreamTaskActionExecutor;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.mailbox.MailboxExecutorImpl;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailboxImpl;
import org.apache.flink.util.SimpleUserCodeClassLoader;
import org.apache.flink.util.UserCodeClassLoader;

/**
 * One subtask of Flink's Kafka sink: its real writer and committer. The test decides when they
 * pre-commit and commit, as the operators around them do.
 */
final class RealSink {
  /** The state of both, as bytes: no object of one attempt reaches the next. */
  record State(List<byte[]> writer, List<Due> committer) {
    static final State NONE = new State(List.of(), List.of());
  }

  /** What is to be committed once a checkpoint is complete. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Due(long checkpoint, byte[] committable) {}

  private static final SinkWriter.Context NO_CONTEXT =
      new SinkWriter.Context() {
        @Override
        public long currentWatermark() {
          return Long.MIN_VALUE;
        }

        @Override
        public Long timestamp() {
          return null;
        }
      };

  private final KafkaSink<String> sink;
  private final Committer<KafkaCommittable> committer;
  private final PrecommittingStatefulSinkWriter<String, KafkaWriterState, KafkaCommittable> writer;
  private final TreeMap<Long, List<KafkaCommittable>> committables = new TreeMap<>();

  /** Starts a subtask: commits what its state lists, and aborts what it doesn't. */
  RealSink(
      KafkaSink<String> sink,
      TaskInfo task,
      long restored,
      Collection<byte[]> writerStates,
      List<Due> due)
      throws IOException, InterruptedException {
    this.sink = sink;
    committer = sink.createCommitter(new CommitterContext(task, restored));
    for (Due each : due) {
      committables
          .computeIfAbsent(each.checkpoint(), unused -> new ArrayList<>())
          .add(read(sink.getCommittableSerializer(), each.committable()));
    }
    commitUpTo(restored);
    List<KafkaWriterState> states =
        writerStates.stream().map(bytes -> read(sink.getWriterStateSerializer(), bytes)).toList();
    WriterContext context = new WriterContext(task, restored);
    writer = states.isEmpty() ? sink.createWriter(context) : sink.restoreWriter(context, states);
  }

  static TaskInfo task(int subtask, int parallelism, int attempt) {
    return new TaskInfoImpl("sink", 128, subtask, parallelism, attempt);
  }

  void write(String value) throws IOException, InterruptedException {
    writer.write(value, NO_CONTEXT);
  }

  /** Pre-commits, and returns the state at a checkpoint. */
  State checkpoint(long checkpoint) throws IOException, InterruptedException {
    writer.flush(false);
    List<KafkaCommittable> next = new ArrayList<>(writer.prepareCommit());
    committables.computeIfAbsent(checkpoint, unused -> new ArrayList<>()).addAll(next);
    List<byte[]> states = new ArrayList<>();
    for (KafkaWriterState state : writer.snapshotState(checkpoint)) {
      states.add(bytes(sink.getWriterStateSerializer(), state));
    }
    List<Due> due = new ArrayList<>();
    committables.forEach(
        (id, all) ->
            all.forEach(
                each -> due.add(new Due(id, bytes(sink.getCommittableSerializer(), each)))));
    return new State(states, due);
  }

  void commitUpTo(long checkpoint) throws IOException, InterruptedException {
    List<CommitRequest<KafkaCommittable>> requests = new ArrayList<>();
    var due = committables.headMap(checkpoint, true);
    due.values().forEach(all -> all.forEach(each -> requests.add(new Request(each))));
    committer.commit(requests);
    due.clear();
  }

  /** Ends as a task that Flink cancels. */
  void cancel() throws Exception {
    writer.close();
    committer.close();
  }

  private static <T> byte[] bytes(SimpleVersionedSerializer<T> serializer, T value) {
    try {
      return serializer.serialize(value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> T read(SimpleVersionedSerializer<T> serializer, byte[] bytes) {
    try {
      return serializer.deserialize(serializer.getVersion(), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A request whose failure is final: the operator counts it, and forgets the committable. */
  private record Request(KafkaCommittable committable) implements CommitRequest<KafkaCommittable> {
    @Override
    public KafkaCommittable getCommittable() {
      return committable;
    }

    @Override
    public int getNumberOfRetries() {
      return 0;
    }

    @Override
    public void signalFailedWithKnownReason(Throwable reason) {
      // Fenced or aborted: readers won't see it.
    }

    @Override
    public void signalFailedWithUnknownReason(Throwable reason) {
      throw new AssertionError(reason);
    }

    @Override
    public void retryLater() {
      throw new AssertionError("The broker doesn't answer");
    }

    @Override
    public void updateAndRetryLater(KafkaCommittable next) {
      throw new AssertionError("The broker doesn't answer");
    }

    @Override
    public void signalAlreadyCommitted() {
      // So it is visible.
    }
  }

  /** Where writer and committer run. */
  private static class Context implements InitContext {
    private final TaskInfo task;
    private final long restored;

    private Context(TaskInfo task, long restored) {
      this.task = task;
      this.restored = restored;
    }

    @Override
    public OptionalLong getRestoredCheckpointId() {
      return restored == 0 ? OptionalLong.empty() : OptionalLong.of(restored);
    }

    @Override
    public TaskInfo getTaskInfo() {
      return task;
    }

    @Override
    public JobInfo getJobInfo() {
      throw new UnsupportedOperationException("no job");
    }
  }

  private static final class CommitterContext extends Context implements CommitterInitContext {
    private CommitterContext(TaskInfo task, long restored) {
      super(task, restored);
    }

    @Override
    public SinkCommitterMetricGroup metricGroup() {
      return MetricsGroupTestUtils.mockCommitterMetricGroup();
    }
  }

  private static final class WriterContext extends Context
      implements WriterInitContext, InitializationContext {
    private WriterContext(TaskInfo task, long restored) {
      super(task, restored);
    }

    @Override
    public UserCodeClassLoader getUserCodeClassLoader() {
      return SimpleUserCodeClassLoader.create(RealSink.class.getClassLoader());
    }

    @Override
    public MailboxExecutor getMailboxExecutor() {
      return new MailboxExecutorImpl(new TaskMailboxImpl(), 0, StreamTaskActionExecutor.IMMEDIATE);
    }

    @Override
    public ProcessingTimeService getProcessingTimeService() {
      return new TestProcessingTimeService();
    }

    @Override
    public SinkWriterMetricGroup metricGroup() {
      return MetricsGroupTestUtils.mockWriterMetricGroup();
    }

    @Override
    public MetricGroup getMetricGroup() {
      return metricGroup();
    }

    @Override
    public InitializationContext asSerializationSchemaInitializationContext() {
      return this;
    }

    @Override
    public boolean isObjectReuseEnabled() {
      return true;
    }

    @Override
    public <T> TypeSerializer<T> createInputSerializer() {
      throw new UnsupportedOperationException("records aren't copied");
    }
  }
}
