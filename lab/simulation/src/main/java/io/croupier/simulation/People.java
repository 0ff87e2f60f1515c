package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.simulation.SimulatedLog.Partition;
import java.util.HashSet;
import java.util.Set;

/** What the operator decides about people: whose accounts are erased, and who is stopped. */
final class People {
  private static final byte[] STOPPED = {1};

  private final World world;
  private final Set<String> stopped = new HashSet<>();

  People(World world) {
    this.world = world;
  }

  /** Asks that an account is erased. */
  String erase(String userId) {
    Partition partition = world.log().partition(World.TOPICS.erasures(), 0);
    long offset = world.log().append(partition, userId.getBytes(UTF_8), null, world.nowMs());
    world.checks().asksToErase(partition, offset);
    return "the account of " + userId + " is to be erased";
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
