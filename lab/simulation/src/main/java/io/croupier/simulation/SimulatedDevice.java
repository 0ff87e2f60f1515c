package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.GradientReporter;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.NotChosenException;
import io.croupier.client.ReportTransport;
import io.croupier.client.SimulatedReporters;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.SimulatedStore;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.SimulatedRandomisers;
import io.croupier.noise.SecureBits;
import io.croupier.noise.SimulatedBits;
import io.croupier.schemas.GradientReport;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A person's device: the client's ledger and reporter over the simulated log. */
final class SimulatedDevice implements ReportTransport {
  /** A report on its way to the broker. */
  private static final class Message {
    private final byte[] report;
    private final CompletableFuture<Void> future;
    private final boolean isOfThisProcess;

    private Message(byte[] report, CompletableFuture<Void> future, boolean isOfThisProcess) {
      this.report = report;
      this.future = future;
      this.isOfThisProcess = isOfThisProcess;
    }

    private Message orphan() {
      return new Message(report, new CompletableFuture<>(), false);
    }
  }

  private final World world;
  private final String userId;
  private final String deviceId;
  private final SecureBits bits;
  private final SimulatedStore store = new SimulatedStore();
  private final Deque<Message> sent = new ArrayDeque<>();
  private final Map<Long, byte[]> released = new HashMap<>();
  private final Map<String, ModelSnapshot> models = new TreeMap<>();
  private final Map<Partition, Long> positions = new HashMap<>();
  private LocalLedger ledger;
  private GradientReporter reporter;
  private int data;

  SimulatedDevice(World world, String userId, String deviceId, int seed) {
    this.world = world;
    this.userId = userId;
    this.deviceId = deviceId;
    bits = SimulatedBits.seeded(seed);
    open();
  }

  private void open() {
    ledger = store.open(userId, deviceId, Limit.NONE);
    reporter = SimulatedReporters.of(this, ledger, new WorldClock(world));
  }

  String name() {
    return deviceId;
  }

  String userId() {
    return userId;
  }

  @Override
  public boolean namesUser() {
    return true;
  }

  /** Reads some updates that are committed by now. */
  Optional<String> follow(SplittableRandom random) {
    int read = 0;
    for (Partition partition : world.log().partitions(World.TOPICS.updates())) {
      long from = positions.getOrDefault(partition, 0L);
      for (Entry entry : world.parts().followed(partition, from)) {
        if (random.nextInt(8) == 0) {
          break;
        }
        take(entry);
        positions.put(partition, entry.offset() + 1);
        read++;
      }
    }
    return read == 0 ? Optional.empty() : Optional.of("reads " + read + " updates");
  }

  private void take(Entry entry) {
    String modelId = World.text(entry.key());
    if (entry.value() == null) {
      models.remove(modelId);
      return;
    }
    ModelSnapshot next = ModelSnapshot.parse(entry.value());
    models.put(modelId, next);
  }

  /** Reports to one of the models that it knows. */
  Optional<String> report(SplittableRandom random) {
    if (models.isEmpty() || hasFullWindow()) {
      return Optional.empty();
    }
    ModelSnapshot model = World.pick(random, models.values().stream().toList());
    if (Models.isOfPrograms(model.modelId())) {
      return Optional.empty();
    }
    double[] gradient = new double[model.dimension()];
    gradient[random.nextInt(gradient.length)] = random.nextBoolean() ? 1 : -1;
    Randomiser randomiser =
        SimulatedRandomisers.l2Laplace(
            model.gradientBound(), model.dimension(), model.gridExponent(), 1, bits);
    boolean fails = random.nextInt(30) == 0;
    if (fails) {
      store.failNext();
    }
    try {
      CompletableFuture<Void> unused =
          reporter.report(model, DataKey.of("data " + data++), gradient, randomiser);
    } catch (NotChosenException | LimitReachedException e) {
      return Optional.of("has nothing to report");
    } catch (UncheckedIOException e) {
      restart(random);
      return Optional.of("dies while it writes a report");
    }
    return Optional.of("reports to " + model.modelId() + " at round " + model.round());
  }

  /**
   * Whether the ledger may soon draw no report before the oldest one that is pending is settled.
   * Numbers whose report was never written aren't released, so half of the window is left.
   */
  private boolean hasFullWindow() {
    List<StoredReport> pending = ledger.pending();
    return !pending.isEmpty()
        && released.size() >= pending.get(0).sequence() + LocalLedger.WINDOW / 2;
  }

  @Override
  public CompletableFuture<Void> send(String user, byte[] report) {
    GradientReport parsed;
    try {
      parsed = GradientReport.parseFrom(report);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Not a report", e);
    }
    world.checks().sends(parsed.getDeviceId(), store.hasForced(parsed.getSequence(), report));
    byte[] before = released.putIfAbsent(parsed.getSequence(), report);
    if (before != null && !Arrays.equals(before, report)) {
      throw new WorldFinding(12, deviceId + " draws report " + parsed.getSequence() + " again");
    }
    CompletableFuture<Void> future = new CompletableFuture<>();
    sent.add(new Message(report, future, true));
    return future;
  }

  boolean hasSent() {
    return !sent.isEmpty();
  }

  /** The oldest report on its way arrives or doesn't, and the device hears of it or doesn't. */
  String deliver(SplittableRandom random) {
    return deliver(random.nextInt(10));
  }

  private String deliver(int fate) {
    Message message = sent.remove();
    if (fate == 0) {
      message.future.completeExceptionally(new IOException("lost"));
      return "loses a report";
    }
    Partition partition = world.gradients(userId);
    long offset =
        world.log().append(partition, userId.getBytes(UTF_8), message.report, world.nowMs());
    world.checks().arrived(partition, offset, message.report);
    if (fate == 1) {
      message.future.completeExceptionally(new IOException("no acknowledgement"));
      return "gets no acknowledgement of the report at " + partition + "@" + offset;
    }
    boolean isKnown = message.isOfThisProcess && message.future.complete(null);
    return "has a report at " + partition + "@" + offset + (isKnown ? "" : ", as before its death");
  }

  /** The oldest report on its way arrives, and the device hears of it. */
  String arrive() {
    return deliver(9);
  }

  /** Sends again what failed. */
  void resend(SplittableRandom random) {
    restart(random);
  }

  /** Ends the process, and starts it again with what is on the disk. */
  void restart(SplittableRandom random) {
    Deque<Message> late = new ArrayDeque<>();
    for (Message message : sent) {
      if (random.nextBoolean()) {
        late.add(message.orphan());
      }
    }
    sent.clear();
    sent.addAll(late);
    world.parts().crash(store, random);
    open();
  }

  int pending() {
    return ledger.pending().size();
  }

  long spentReports() {
    return ledger.spent().reports();
  }

  /** How many reports have ever left the device. */
  int released() {
    return released.size();
  }

  /** The clock of the simulation. */
  private static final class WorldClock extends Clock {
    private final World world;

    private WorldClock(World world) {
      this.world = world;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(world.nowMs());
    }
  }
}
