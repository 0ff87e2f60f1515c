package io.croupier.operators.ledger;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The users who take no part, as the records of their topic state: the newest record of a user
 * decides. The topic alone keeps them, so every start reads it. One thread applies records; any may
 * ask.
 */
public final class StoppedUsers {
  /** Why nothing of a stopped user is taken. */
  public static final String REASON =
      "the person is stopped: no report is used or charged until an operator resumes the person";

  private final Predicate<String> kept;
  private final Set<String> stopped = ConcurrentHashMap.newKeySet();

  /** The last offset of each partition. */
  private final Map<Integer, Long> last = new HashMap<>();

  /** Creates the set without any user. */
  public StoppedUsers() {
    this(user -> true);
  }

  /**
   * The same for some users.
   *
   * @param kept whether the caller may ask for a user
   */
  public StoppedUsers(Predicate<String> kept) {
    this.kept = kept;
  }

  /**
   * Takes a record; one that was taken before has no effect, since it may be older than others that
   * were.
   *
   * @param userId the record's key
   * @param isStop whether it has a value
   */
  public void apply(int partition, long offset, String userId, boolean isStop) {
    if (offset <= last.getOrDefault(partition, -1L)) {
      return;
    }
    last.put(partition, offset);
    if (!isStop) {
      stopped.remove(userId);
    } else if (kept.test(userId)) {
      stopped.add(userId);
    }
  }

  /** Returns whether a user is stopped. */
  public boolean contains(String userId) {
    return stopped.contains(userId);
  }
}
