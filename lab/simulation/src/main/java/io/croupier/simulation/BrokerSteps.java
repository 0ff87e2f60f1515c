package io.croupier.simulation;

import static io.croupier.simulation.World.TOPICS;

import io.croupier.simulation.SimulatedLog.Partition;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** What brokers do by themselves, and what an operator does to topics, one step at a time. */
final class BrokerSteps {
  /** Of the topics that keep records for a time only, those whose records have events. */
  private static final List<String> RETAINED = List.of(TOPICS.gradients(), TOPICS.rawGradients());

  /** How long a transaction may be open once the faults stop. */
  private static final long LIMIT_MS = 300_000;

  private final World world;

  /** The last checkpoint before the topic of progress was created again. */
  private long newProgressSince = -1;

  BrokerSteps(World world) {
    this.world = world;
  }

  /** The brokers abort transactions, also some that are to be committed; the job may fail. */
  Optional<String> timeOut(SplittableRandom random) throws Exception {
    List<String> aborted = world.log().abortOlder(world.nowMs() - random.nextInt(2_000));
    if (aborted.isEmpty()) {
      return Optional.empty();
    }
    String what = "the brokers abort transactions " + aborted;
    return Optional.of(random.nextBoolean() ? world.crash(random, what + "; ") : what);
  }

  Optional<String> compact(SplittableRandom random) {
    String topic = World.pick(random, TopicLayout.COMPACTED);
    world.log().compact(topic, partition -> random.nextBoolean());
    return Optional.of(topic + " is compacted");
  }

  /** Deletes old reports: mostly those that the newest state contains. */
  Optional<String> retain(SplittableRandom random) {
    Partition partition = World.pick(random, world.log().partitions(World.pick(random, RETAINED)));
    long most = random.nextInt(4) == 0 ? partition.end() : world.inState(partition);
    long first = partition.first();
    if (most <= first) {
      return Optional.empty();
    }
    long to = first + 1 + random.nextLong(most - first);
    partition.deleteBefore(to);
    world.checks().deleted(partition, first, to);
    return Optional.of(partition + " now begins at " + to);
  }

  /** Someone deletes the topic of progress while the job is down, and creates it again. */
  Optional<String> recreateProgress(SplittableRandom random) throws Exception {
    if (!world.job().isRunning()) {
      return Optional.empty();
    }
    world.commitAll();
    String what = world.crash(random, "");
    if (!world.log().open().isEmpty()) {
      // The start compares events, so it waits until the brokers abort what is left open.
      return Optional.of(what);
    }
    world.log().create(TOPICS.progress(), 1);
    newProgressSince = world.lastCheckpointId();
    return Optional.of(what + "; " + TOPICS.progress() + " is created again");
  }

  /**
   * Ends old transactions, if the job compares events: such a start doesn't know which of them no
   * one will commit, so it waits for the brokers' time limit.
   */
  void endWhatStartsWaitFor() {
    if (!keptProgressSince(world.job().restoredId())) {
      List<String> unused = world.log().abortOlder(world.nowMs() - LIMIT_MS);
    }
  }

  /** Whether the topic of progress has been the same since a checkpoint. */
  boolean keptProgressSince(long checkpoint) {
    return checkpoint > newProgressSince;
  }

  /** How many offsets of reports retention has deleted. */
  long deleted() {
    return RETAINED.stream()
        .flatMap(topic -> world.log().partitions(topic).stream())
        .mapToLong(Partition::first)
        .sum();
  }

  /** How many reports a start from a checkpoint has to miss, at least. */
  long missed(SimulatedJob job) {
    return RETAINED.stream()
        .flatMap(topic -> world.log().partitions(topic).stream())
        .mapToLong(partition -> world.checks().missed(partition, job.restored(partition)))
        .sum();
  }
}
