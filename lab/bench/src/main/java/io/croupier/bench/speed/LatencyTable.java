package io.croupier.bench.speed;

import io.croupier.bench.speed.Workload.MeasuredLearner;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * The time from sending a report until a read_committed consumer receives the first update that
 * counts it, as used or in an open round; at half of the rate that the job reaches in a process
 * that has just started. Reports name the newest visible round.
 *
 * @param environment the broker and directories
 * @param scale size of the measurement
 */
record LatencyTable(BenchmarkEnvironment environment, BenchmarkScale scale) {
  static final List<String> COLUMNS =
      List.of(
          "checkpoint interval, ms",
          "reports/s",
          "p50, ms",
          "p99, ms",
          "highest, ms",
          "checkpoint, ms");

  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  List<List<String>> ofIntervals(int dimension, List<Duration> intervals) throws Exception {
    Workload workload = new Workload(MeasuredLearner.BANCO, ReportForm.GRID, dimension, 1, 1);
    Reports reports = new Reports(ReportForm.GRID, dimension, scale.users(), 1);
    long records = scale.records(dimension);
    String backlog = environment.backlog(reports, records, 1);
    BacklogRun atFullLoad = new BacklogRun(environment, 1, scale.interval(), "hashmap");
    double rate = atFullLoad.croupier(workload, backlog, records, 0).pace().perSecond() / 2;
    environment.delete(List.of(backlog));
    // The first runs are for the JIT compiler.
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < scale.warmUps() + intervals.size(); i++) {
      Duration interval = intervals.get(i % intervals.size());
      rows.add(row(new BacklogRun(environment, 1, interval, "hashmap"), workload, reports, rate));
    }
    return rows.subList(scale.warmUps(), rows.size());
  }

  private List<String> row(BacklogRun run, Workload workload, Reports reports, double rate)
      throws Exception {
    String prefix = environment.name("croupier");
    String gradients = environment.name("reports");
    Topics topics = BacklogRun.topics(prefix, gradients);
    environment.create(topics, workload.specs(), 1);
    try (RunningJob job = run.start(prefix, gradients);
        KafkaConsumer<byte[], byte[]> updates = run.consumer(topics.updates());
        Sender sender = environment.sender()) {
      await(updates);
      double[] waits = waits(sender, gradients, updates, reports, rate);
      Arrays.sort(waits);
      return List.of(
          Long.toString(run.interval().toMillis()),
          "%,.0f".formatted(rate),
          "%,.0f".formatted(waits[waits.length / 2]),
          "%,.0f".formatted(waits[waits.length * 99 / 100]),
          "%,.0f".formatted(waits[waits.length - 1]),
          "%,.0f".formatted(job.checkpoints().ms()));
    } finally {
      environment.delete(topics.all());
    }
  }

  /** Waits for the initial weights. */
  private static void await(KafkaConsumer<byte[], byte[]> updates) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (updates.poll(Duration.ofMillis(5)).isEmpty()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("The job publishes no weights");
      }
    }
  }

  /**
   * The delay of each report, in milliseconds. Another thread sends the reports, this one reads the
   * updates.
   */
  private double[] waits(
      Sender sender,
      String gradients,
      KafkaConsumer<byte[], byte[]> updates,
      Reports reports,
      double rate)
      throws Exception {
    int count = (int) Math.max(1, rate * scale.latencySeconds());
    long[] sent = new long[count];
    AtomicLong round = new AtomicLong();
    Thread sending =
        new Thread(
            () -> {
              long start = System.nanoTime();
              for (int i = 0; i < count; i++) {
                long due = start + (long) (i / rate * 1e9);
                while (System.nanoTime() < due) {
                  LockSupport.parkNanos(PAUSE_NANOS);
                }
                // Set before the broker receives the report, and thus before any update counts it.
                sent[i] = System.nanoTime();
                sender.send(gradients, reports.key(i), reports.value(i, round.get()));
              }
            });
    sending.start();
    double[] waits = new double[count];
    int seen = 0;
    long deadline = System.nanoTime() + PATIENCE.plusSeconds(scale.latencySeconds()).toNanos();
    while (seen < count) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "The updates count only %2$d of %1$d reports".formatted(count, seen));
      }
      for (ConsumerRecord<byte[], byte[]> record : updates.poll(Duration.ofMillis(5))) {
        long now = System.nanoTime();
        ModelUpdate update = ModelUpdate.parseFrom(record.value());
        round.set(update.getRound());
        for (long taken = update.getUsed() + update.getOpen(); seen < taken; seen++) {
          waits[seen] = (now - sent[seen]) / 1e6;
        }
      }
    }
    sending.join();
    return waits;
  }
}
