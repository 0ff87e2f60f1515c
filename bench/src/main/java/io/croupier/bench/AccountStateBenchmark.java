package io.croupier.bench;

import com.sun.management.OperatingSystemMXBean;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.flink.ledger.AccountTurns;
import io.croupier.operators.flink.ledger.AccountTurns.Layout;
import io.croupier.operators.flink.ledger.AccountTurns.Turn;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.commons.io.FileUtils;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Access to a user's account in keyed state for a report, in the layout of release 0.1.0 and in
 * today's, in both state backends. Users take turns in an order that is the same for all, and no
 * report of a user follows another one of the same user soon.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class AccountStateBenchmark {
  private static final int REPORTS = 1000;
  private static final int KEY_GROUPS = 128;

  /** Prime, and larger than any number of users: a step of this permutes the users. */
  private static final long STEP = 1_000_000_007;

  /** The state backend: {@code heap} or {@code rocksdb}. */
  @Param({"heap", "rocksdb"})
  public String backend;

  /** The number of users, each with one device and one model. */
  @Param({"10000", "1000000"})
  public int users;

  /** How many reports each user has sent before. */
  @Param({"1"})
  public int before;

  /** The layout. */
  @Param({"FORMER", "OWN"})
  public Layout layout;

  private KeyedOneInputStreamOperatorTestHarness<String, Turn, Long> harness;
  private Path directory;
  private long next;

  /** Processor time in nanoseconds, and the reports that it was for. */
  @AuxCounters(AuxCounters.Type.EVENTS)
  @State(Scope.Thread)
  public static class Processor {
    /** Of the thread that accesses the state. */
    public long threadNanos;

    /** Of the whole process: with the backend's own threads and garbage collection. */
    public long processNanos;

    /** The number of reports. */
    public long reports;
  }

  /** Creates the accounts. */
  @Setup
  public void prepare() throws Exception {
    directory = Files.createTempDirectory("accounts");
    AccountTurns turns = new AccountTurns(layout, Totals.of(Cost.ofEpsilon(0.5)));
    harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            turns, Turn::userId, Types.STRING, KEY_GROUPS, 1, 0);
    harness.setStateBackend(stateBackend());
    harness.open();
    for (long i = 0; i < (long) before * users; i++) {
      turn();
    }
  }

  private StateBackend stateBackend() {
    if (backend.equals("heap")) {
      return new HashMapStateBackend();
    }
    EmbeddedRocksDBStateBackend rocksDb = new EmbeddedRocksDBStateBackend(true);
    rocksDb.setDbStoragePath(directory.toString());
    rocksDb.getMemoryConfiguration().setFixedMemoryPerSlot("256mb");
    return rocksDb;
  }

  /** Deletes the accounts. */
  @TearDown
  public void close() throws Exception {
    harness.close();
    FileUtils.deleteDirectory(directory.toFile());
  }

  private void turn() throws Exception {
    long user = next % users * (STEP % users) % users;
    harness.processElement(new Turn("user-" + user, next / users), 0);
    next++;
  }

  /** A thousand reports. */
  @Benchmark
  @OperationsPerInvocation(REPORTS)
  public void report(Processor processor) throws Exception {
    long thread = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long process = processNanos();
    for (int i = 0; i < REPORTS; i++) {
      turn();
    }
    processor.threadNanos += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - thread;
    processor.processNanos += processNanos() - process;
    processor.reports += REPORTS;
  }

  private static long processNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
