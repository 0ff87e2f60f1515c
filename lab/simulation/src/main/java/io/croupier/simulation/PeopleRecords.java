package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.schemas.AccountingKey;
import io.croupier.schemas.Erasure;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** What the operator decides about people: whose accounts are erased, and who is stopped. */
final class PeopleRecords {
  private static final byte[] STOPPED = {1};

  private final World world;
  private final Set<String> stopped = new HashSet<>();
  private final Set<String> forgotten = new TreeSet<>();

  PeopleRecords(World world) {
    this.world = world;
  }

  /** Asks that an account is erased, with or without its events, and then its totals. */
  String erase(String userId, SplittableRandom random) {
    return random.nextBoolean() ? eraseWithEvents(userId, random.nextBoolean()) : erase(userId);
  }

  private String erase(String userId) {
    ask(userId, null, Erasure.getDefaultInstance());
    return "the account of " + userId + " is to be erased";
  }

  private String eraseWithEvents(String userId, boolean withTotals) {
    Set<ByteString> keys = eventKeys(userId);
    Erasure erasure = Erasure.newBuilder().addAllEventKeys(keys).setTotals(withTotals).build();
    ask(userId, erasure.toByteArray(), erasure);
    if (withTotals) {
      forgotten.add(userId);
    }
    return "the account of %s is to be erased with %d events%s"
        .formatted(userId, keys.size(), withTotals ? " and its totals" : "");
  }

  private void ask(String userId, byte[] value, Erasure erasure) {
    Partition partition = world.log().partition(World.TOPICS.erasures(), 0);
    long offset = world.log().append(partition, userId.getBytes(UTF_8), value, world.nowMs());
    world.checks().asksToErase(partition, offset, erasure);
  }

  /**
   * Forgets also what was judged while it was to be forgotten, as the command asks an operator to.
   *
   * @return whether there was anything
   */
  boolean forgetTheRest() {
    List<String> left = forgotten.stream().filter(userId -> !eventKeys(userId).isEmpty()).toList();
    for (String userId : left) {
      String unused = eraseWithEvents(userId, true);
    }
    return !left.isEmpty();
  }

  /** Whether the totals of a person were ever to be forgotten. */
  boolean isForgotten(String userId) {
    return forgotten.contains(userId);
  }

  /** The keys of the visible events of a person's reports. */
  private Set<ByteString> eventKeys(String userId) {
    Set<ByteString> keys = new LinkedHashSet<>();
    for (Entry entry : world.log().committed(World.TOPICS.accounting())) {
      if (entry.value() == null) {
        keys.remove(ByteString.copyFrom(entry.key()));
      } else if (!AccountingKey.isOfErasure(entry.key())
          && World.text(AccountingKey.user(entry.key())).equals(userId)) {
        keys.add(ByteString.copyFrom(entry.key()));
      }
    }
    return keys;
  }

  /** Stops a person who takes part, or resumes one who is stopped. */
  String stop(String userId) {
    boolean isStop = stopped.add(userId) || !stopped.remove(userId);
    Partition partition = world.log().partition(World.TOPICS.stops(), 0);
    byte[] value = isStop ? STOPPED : null;
    long unused = world.log().append(partition, userId.getBytes(UTF_8), value, world.nowMs());
    return userId + (isStop ? " is stopped" : " is resumed");
  }

  boolean isStopped(String userId) {
    return stopped.contains(userId);
  }
}
