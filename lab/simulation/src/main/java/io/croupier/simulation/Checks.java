package io.croupier.simulation;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.ledger.AccountRebuild;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Erasure;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Position;
import io.croupier.simulation.SimulatedJob.Checkpoint;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.SimulatedLog.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What holds in any world, whatever fails. The numbers are those of the README. Most of it is
 * checked whenever further records have become visible.
 */
final class Checks {
  /** Why the ledger refuses a report whatever the account of its sender. */
  private static final Set<Outcome> BY_CONTENT =
      Set.of(Outcome.REFUSED_DIMENSION, Outcome.REFUSED_DECLARATION, Outcome.REFUSED_IMPLAUSIBLE);

  private final World world;
  private final Map<Partition, Long> seen = new HashMap<>();
  private final Map<String, Erasure> erasures = new TreeMap<>();

  /** Positions of reports that retention has deleted. */
  private final Set<String> gone = new HashSet<>();

  /** By the key of a deleted event, the offset of the erasure. */
  private final Map<ByteString, Long> deleted = new HashMap<>();

  /** By person and partition, the offset of the newest record that forgets the totals. */
  private final Map<String, Long> forgottenAt = new HashMap<>();

  private final Map<String, ModelUpdate> draws = new HashMap<>();
  private final Map<String, GradientReport> arrived = new TreeMap<>();
  private final Map<String, AccountingEvent> events = new TreeMap<>();
  private final Set<String> admitted = new HashSet<>();
  private final Map<String, Long> admittedOf = new TreeMap<>();
  private final Map<String, ReferenceAccount> accounts = new HashMap<>();
  private final Map<String, Long> lastSource = new HashMap<>();
  private final Map<String, ModelUpdate> newest = new TreeMap<>();
  private final Set<AccountingEvent> lost = new HashSet<>();
  private long counted;
  private int losses;

  Checks(World world) {
    this.world = world;
  }

  private static String position(Partition partition, long offset) {
    return position(partition.topic(), partition.index(), offset);
  }

  /** How positions are written in findings. */
  static String position(String topic, int partition, long offset) {
    return topic + "-" + partition + "@" + offset;
  }

  /** Counts one event. */
  void count() {
    counted++;
  }

  long counted() {
    return counted;
  }

  /** A report leaves a device. */
  void sends(String device, boolean isOnDisk) {
    if (!isOnDisk) {
      throw new WorldFinding(12, device + " sends a report that its disk doesn't have");
    }
  }

  /** A report has arrived at the brokers. */
  void arrived(Partition partition, long offset, byte[] report) {
    try {
      arrived.put(position(partition, offset), GradientReport.parseFrom(report));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Not a report", e);
    }
  }

  /** Retention has deleted the records between two offsets of a partition. */
  void deleted(Partition partition, long from, long to) {
    LongStream.range(from, to).forEach(offset -> gone.add(position(partition, offset)));
  }

  /**
   * How many reports a start has to miss: those that are deleted, and follow its state. Of a
   * partition of which the state has no report it knows nothing.
   */
  long missed(Partition partition, long inState) {
    boolean isKnown =
        LongStream.range(0, inState)
            .anyMatch(offset -> events.containsKey(position(partition, offset)));
    return isKnown
        ? LongStream.range(inState, partition.first())
            .filter(offset -> arrived.containsKey(position(partition, offset)))
            .count()
        : 0;
  }

  /** Whether reports are deleted that the job has never read. */
  private boolean hasUnread() {
    return gone.stream()
        .anyMatch(position -> arrived.containsKey(position) && !events.containsKey(position));
  }

  /** Someone asks that an account is erased. */
  void asksToErase(Partition partition, long offset, Erasure erasure) {
    erasures.put(position(partition, offset), erasure);
  }

  /** Checks what has become visible. */
  void afterEvent() throws InvalidProtocolBufferException {
    counted++;
    readLosses();
    for (Partition partition : world.log().partitions(World.TOPICS.accounting())) {
      for (Entry entry : next(partition)) {
        read(partition, entry);
      }
    }
    for (Partition partition : world.log().partitions(World.TOPICS.updates())) {
      for (Entry entry : next(partition)) {
        if (entry.value() != null) {
          updated(ModelUpdate.parseFrom(entry.value()));
        }
      }
    }
  }

  private void read(Partition partition, Entry entry) throws InvalidProtocolBufferException {
    if (entry.value() != null) {
      AccountingEvent event = AccountingEvents.read(entry.key(), entry.value());
      accounted(entry, event);
      if (entry.isLost()) {
        lost.add(event);
      }
      world.accounts().changed(event.getUserId(), partition, entry.offset());
    } else if (AccountingKey.isOfErasure(entry.key())) {
      String userId = World.text(AccountingKey.user(entry.key()));
      Object unused = accounts.remove(userId);
      forgottenAt.put(userId + " " + partition, entry.offset());
      world.accounts().changed(userId, partition, entry.offset());
    }
  }

  /** The state of the job contains what is lost, as if it were visible. */
  private void readLosses() throws InvalidProtocolBufferException {
    for (Transaction lost : world.log().losses().subList(losses, world.log().losses().size())) {
      for (Partition partition : world.log().partitions(World.TOPICS.accounting())) {
        for (Entry entry : partition.of(lost, seen.getOrDefault(partition, 0L))) {
          read(partition, entry);
        }
      }
      losses++;
    }
  }

  /** Whether records of a topic are lost. */
  boolean hasLost(String topic) {
    return world.log().losses().stream()
        .anyMatch(lost -> lost.isIn(of -> of.topic().equals(topic)));
  }

  private List<Entry> next(Partition partition) {
    long from = seen.getOrDefault(partition, 0L);
    long to = partition.stableEnd();
    if (from == to) {
      return List.of();
    }
    seen.put(partition, to);
    return partition.settled(from, to);
  }

  private void accounted(Entry entry, AccountingEvent event) {
    Position source = event.getSource();
    String position = position(source.getTopic(), source.getPartition(), source.getOffset());
    GradientReport report = arrived.get(position);
    if (report == null && !erasures.containsKey(position)) {
      throw new WorldFinding(1, "There is an event of " + position + ", where no report is");
    }
    if (events.put(position, event) != null) {
      throw new WorldFinding(1, "The report at " + position + " has two events");
    }
    String number = event.getUserId() + " " + event.getDeviceId() + "#" + event.getSequence();
    if (event.getOutcome() == Outcome.ERASED) {
      // The account doesn't contain the numbers any more.
      admitted.removeIf(other -> other.startsWith(event.getUserId() + " "));
      if (!hasLost(World.TOPICS.accounting())) {
        for (ByteString key : erasures.get(position).getEventKeysList()) {
          deleted.put(key, entry.offset());
        }
      }
    }
    if (Models.isOfPrograms(event.getModelId()) && BY_CONTENT.contains(event.getOutcome())) {
      throw new WorldFinding(
          15, "A gateway has taken the report at " + position + ", which the ledger refuses");
    }
    if (event.getOutcome() == Outcome.REFUSED_UNKNOWN_MODEL
        && world.models().isWhole(event.getModelId())) {
      throw new WorldFinding(
          8, "The report at " + position + " is judged without the spec of its model");
    }
    if (event.getOutcome() == Outcome.ADMITTED) {
      if (!admitted.add(number)) {
        throw new WorldFinding(1, "Report " + number + " is admitted twice");
      }
      admittedOf.merge(event.getModelId(), 1L, Long::sum);
    }
    long last = lastSource.getOrDefault(event.getUserId() + source.getTopic(), -1L);
    if (source.getOffset() <= last) {
      throw new WorldFinding(3, "The event of " + position + " comes after that of offset " + last);
    }
    lastSource.put(event.getUserId() + source.getTopic(), source.getOffset());
    if (!AccountRebuild.apply(event, account(event.getUserId()))) {
      throw new WorldFinding(2, "The totals of the event of " + position + " are no sum");
    }
    if (event.getOutcome() == Outcome.ADMITTED
        && !event.getModelId().equals("sparse")
        && event.getModelTotals().getEpsilon() > Models.MOST_EPSILON) {
      throw new WorldFinding(2, "The report at " + position + " is admitted beyond the limit");
    }
  }

  /** The sum of a person's visible events. */
  ReferenceAccount account(String userId) {
    return accounts.computeIfAbsent(userId, unused -> new ReferenceAccount());
  }

  /** The offset of the newest record that forgot a person's totals; -1 without any. */
  long forgottenAt(String userId, Partition partition) {
    return forgottenAt.getOrDefault(userId + " " + partition, -1L);
  }

  /** Whether all records of a partition before an offset are checked. */
  boolean hasSeen(Partition partition, long end) {
    return seen.getOrDefault(partition, 0L) >= end;
  }

  private void updated(ModelUpdate update) {
    if (Models.isCentral(update.getModelId())) {
      ModelUpdate drawn = draws.putIfAbsent(update.getModelId() + "#" + update.getRound(), update);
      if (drawn != null && !drawn.getWeightsList().equals(update.getWeightsList())) {
        throw new WorldFinding(
            7,
            "Round %d of model %s is visible with two draws of its noise"
                .formatted(update.getRound(), update.getModelId()));
      }
    }
    ModelUpdate before = newest.put(update.getModelId(), update);
    if (before != null && update.getRound() < before.getRound()) {
      throw new WorldFinding(
          4,
          "Model %s has round %d after %d"
              .formatted(update.getModelId(), update.getRound(), before.getRound()));
    }
  }

  /** The newest visible round of a model; -1 without any. */
  long round(String modelId) {
    return newest.containsKey(modelId) ? newest.get(modelId).getRound() : -1;
  }

  /** Whether events are visible of reports that a state hasn't read. */
  boolean isBeyond(Checkpoint old) throws IOException {
    List<AccountingEvent> comparable = new ArrayList<>(events.values());
    comparable.removeAll(lost);
    if (!world.brokers().keptProgressSince(old.id())) {
      // Then only events that are still on their topic can be compared.
      comparable.clear();
      for (Entry entry : world.log().committed(World.TOPICS.accounting())) {
        if (entry.value() != null) {
          comparable.add(AccountingEvents.read(entry.key(), entry.value()));
        }
      }
    }
    int source = 0;
    for (String topic : world.sources()) {
      for (Partition partition : world.log().partitions(topic)) {
        long position = old.positions().get(source++);
        if (comparable.stream()
            .map(AccountingEvent::getSource)
            .anyMatch(
                at ->
                    at.getTopic().equals(topic)
                        && at.getPartition() == partition.index()
                        && at.getOffset() >= position)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether nothing is left to happen. */
  boolean isQuiet(SimulatedJob job) {
    return unsettled(job).isEmpty();
  }

  /** What still waits. */
  List<String> unsettled(SimulatedJob job) {
    List<String> waits = new ArrayList<>();
    if (!job.isRunning()) {
      waits.add("the job doesn't run");
    }
    if (world.accounts().waiting() > 0 && !hasLost(World.TOPICS.accountAnswers())) {
      waits.add(world.accounts().waiting() + " requests for accounts have no answer");
    }
    if (world.tokens().waiting() > 0 && !hasLost(World.TOPICS.grants()) && !hasUnread()) {
      waits.add(world.tokens().waiting() + " requests for tokens have no answer");
    }
    world.log().open().forEach(open -> waits.add("transaction " + open.name() + " is open"));
    Stream.concat(arrived.keySet().stream(), erasures.keySet().stream())
        .filter(position -> !events.containsKey(position) && !gone.contains(position))
        .forEach(position -> waits.add("the report at " + position + " has no event"));
    world.devices().stream()
        .filter(device -> device.pending() > 0)
        .forEach(device -> waits.add(device.name() + " has pending reports"));
    return waits;
  }

  /** The reports that an update has taken note of. */
  private static long counted(ModelUpdate update) {
    return update.getUsed()
        + update.getAnswers()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound()
        + update.getOpen();
  }

  /** Checks what holds once everything has happened. */
  void settled() throws InvalidProtocolBufferException {
    ModelUpdate anonymous = newest.remove(Tokens.MODEL);
    if (anonymous != null) {
      world.tokens().check(counted(anonymous));
    }
    newest.forEach(
        (modelId, update) -> {
          if (world.models().isWhole(modelId) && update.getDroppedUnpublished() > 0) {
            throw new WorldFinding(
                7, "A report to model " + modelId + " names a round that no one could see");
          }
          long counted = counted(update);
          long expected = admittedOf.getOrDefault(modelId, 0L);
          // A central model shows only what its rounds contain, and a lost update is not repeated.
          boolean isOlder = Models.isCentral(modelId) || hasLost(World.TOPICS.updates());
          boolean isCounted = isOlder ? counted <= expected : counted == expected;
          if (world.models().isWhole(modelId) && !isCounted) {
            throw new WorldFinding(
                5,
                "Model %s counts %d reports, of %d that were admitted"
                    .formatted(modelId, counted, expected));
          }
        });
    for (ModelSpec spec : world.models().unchanged()) {
      String modelId = spec.getModelId();
      if (!Models.isCentral(modelId)
          && !modelId.equals(Tokens.MODEL)
          && !hasLost(World.TOPICS.journal())
          && !hasLost(World.TOPICS.updates())) {
        new JournalCheck(spec, arrived::get)
            .check(
                world.parts().journal(world.log()),
                newest.get(modelId),
                admittedOf.getOrDefault(modelId, 0L));
      }
    }
    Map<ByteString, Long> last = new HashMap<>();
    for (Entry entry : world.log().committed(World.TOPICS.accounting())) {
      last.put(ByteString.copyFrom(entry.key()), entry.offset());
    }
    deleted.forEach(
        (key, erasedAt) -> {
          if (last.get(key) < erasedAt) {
            throw new WorldFinding(10, "An event stays that an erasure has named");
          }
        });
    for (SimulatedDevice device : world.devices()) {
      if (device.spentReports() < device.released()) {
        throw new WorldFinding(12, device.name() + " has charged fewer reports than it has sent");
      }
    }
  }
}
