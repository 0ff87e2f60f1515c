package io.croupier.simulation;

import io.croupier.client.ledger.SimulatedStore;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.operators.flink.PreAggregator;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.operators.flink.SpecRequirements;
import io.croupier.operators.flink.learner.JournalSettings;
import io.croupier.operators.flink.learner.LearnerOperator;
import io.croupier.operators.flink.learner.PublicationSettings;
import io.croupier.operators.flink.ledger.LedgerOperator;
import io.croupier.operators.flink.restart.JobStart;
import io.croupier.operators.flink.restart.LedgerStart;
import io.croupier.operators.flink.spend.SpendOperator;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.DigestKey;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Limits;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.TransactionalSink.SinkState;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;

/**
 * What runs in the simulated world: the product's operators. Planted faults replace one of them.
 */
class Parts {
  static final SpecRequirements REQUIREMENTS =
      new SpecRequirements(1 << 20, 1 << 20, Duration.ofHours(24), true);
  static final JournalSettings JOURNAL = JournalSettings.on(World.TOPICS.gradients(), 2_000);

  private static final DeadLetters DEAD_LETTERS = new DeadLetters(1 << 20);
  private static final PublicationSettings PUBLICATIONS =
      new PublicationSettings(Duration.ofMinutes(1));

  LedgerOperator ledger(World world, StartOutputs outputs, LedgerStart start) {
    return new LedgerOperator(
        () -> specs(world),
        () -> stops(world),
        REQUIREMENTS,
        World.TOPICS,
        DEAD_LETTERS,
        Limits.getDefaultInstance(),
        true,
        new JobStart(start, outputs, new DigestKey(1, 2)));
  }

  SpendOperator spend(World world) {
    return new SpendOperator(
        () -> specs(world),
        () -> world.followed(World.TOPICS.tokenKeys()),
        World.TOPICS.tokenKeys(),
        REQUIREMENTS);
  }

  PreAggregator preAggregator(Duration interval) {
    return new PreAggregator(interval, JOURNAL.mostPositions());
  }

  LearnerOperator learner(World world, StartOutputs outputs) {
    return new LearnerOperator(
        () -> specs(world),
        REQUIREMENTS,
        DEAD_LETTERS,
        World.TOPICS.models(),
        JOURNAL,
        PUBLICATIONS,
        new JobStart(LedgerStart.REQUIRE_STATE, outputs, new DigestKey(1, 2)));
  }

  TransactionalSink sink(
      SimulatedLog log, String prefix, int subtask, int parallelism, SinkState restored) {
    return new TransactionalSink(log, prefix, subtask, parallelism, restored);
  }

  /** A gateway that starts. */
  SimulatedGateway gateway(World world) {
    return new SimulatedGateway(world);
  }

  /** The record of a report with a token that isn't signed. */
  Tokens.PaddedReport forged(Tokens.PaddedReport unsigned, Tokens.PaddedReport signed) {
    return unsigned;
  }

  /** The brokers. */
  SimulatedLog log() {
    return new SimulatedLog();
  }

  /** What a subtask of the ledger restores; null without state. */
  OperatorSubtaskState ledgerState(OperatorSubtaskState state) {
    return state;
  }

  /** What a subtask of the learner restores; null without state. */
  OperatorSubtaskState learnerState(OperatorSubtaskState state) {
    return state;
  }

  /** What a subtask that admits anonymous reports restores; null without state. */
  OperatorSubtaskState spendState(OperatorSubtaskState state) {
    return state;
  }

  /** What arrives of a sum that a ledger sends to a learner. */
  List<RoundSum> onEdge(RoundSum sum) {
    return List.of(sum);
  }

  /** Whether an edge waits for the other edges once its barrier has arrived. */
  boolean aligns() {
    return true;
  }

  /** Lets the pre-aggregation emit its sums before a barrier. */
  void flush(OperatorTask<RoundSum> sums, long checkpoint) throws Exception {
    sums.prepareSnapshotPreBarrier(checkpoint);
  }

  /** The position of a source in a checkpoint, of those at its barrier and at the end. */
  long position(long atBarrier, long atCompletion) {
    return atBarrier;
  }

  /** The part of an accounting event's key by which its partition is chosen. */
  byte[] orderedBy(byte[] accountingKey) {
    return AccountingKey.user(accountingKey);
  }

  /** The specs that an operator reads at its start. */
  List<SpecRecord> specs(World world) {
    return world.followed(World.TOPICS.models());
  }

  /** What a ledger reads at its start of who is stopped. */
  List<SpecRecord> stops(World world) {
    return world.followed(World.TOPICS.stops());
  }

  /** The events of a partition that a rebuild adds up. */
  List<Entry> rebuilt(Partition partition) {
    return partition.committed(0);
  }

  /** The journal that a replay reads. */
  List<Entry> journal(SimulatedLog log) {
    return log.committed(World.TOPICS.journal());
  }

  /** The updates that a device reads from an offset on. */
  List<Entry> followed(Partition partition, long from) {
    return partition.committed(from);
  }

  /** What the disk of a device loses when its process ends. */
  void crash(SimulatedStore store, SplittableRandom random) {
    store.crash(random::nextBoolean);
  }

  StartOutputs outputs(SimulatedJob job) {
    return new StartOutputs(job);
  }
}
