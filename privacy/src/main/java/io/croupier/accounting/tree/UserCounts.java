package io.croupier.accounting.tree;

import java.util.Arrays;

/**
 * The users below a node, ascending, the number of each one's contributions there, and each one's
 * zeta from the nodes up to this one. Immutable. Takes 20 bytes per user.
 */
@SuppressWarnings("ArrayRecordComponent") // no two are compared
record UserCounts(long[] users, int[] counts, long[] zetas) {
  static final UserCounts NOBODY = new UserCounts(new long[0], new int[0], new long[0]);

  /** The leaf of one step. */
  static UserCounts leaf(long[] usersOfStep) {
    long[] sorted = usersOfStep.clone();
    Arrays.sort(sorted);
    long[] users = new long[sorted.length];
    int[] counts = new int[sorted.length];
    int size = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        users[size++] = sorted[i];
      }
      counts[size - 1]++;
    }
    return new UserCounts(Arrays.copyOf(users, size), Arrays.copyOf(counts, size), new long[size])
        .withOneMoreNode();
  }

  /** The users of both; O(users). Charges no node above them. */
  UserCounts and(UserCounts other) {
    int mine = 0;
    int theirs = 0;
    int size = unionSize(other);
    UserCounts union = new UserCounts(new long[size], new int[size], new long[size]);
    for (int i = 0; i < size; i++) {
      boolean isMine =
          theirs == other.users.length
              || (mine < users.length && users[mine] <= other.users[theirs]);
      boolean isTheirs =
          mine == users.length
              || (theirs < other.users.length && other.users[theirs] <= users[mine]);
      if (isMine) {
        union.take(i, this, mine++);
      }
      if (isTheirs) {
        union.take(i, other, theirs++);
      }
    }
    return union;
  }

  private int unionSize(UserCounts other) {
    int mine = 0;
    int theirs = 0;
    int size = 0;
    while (mine < users.length && theirs < other.users.length) {
      int order = Long.compare(users[mine], other.users[theirs]);
      mine += order <= 0 ? 1 : 0;
      theirs += order >= 0 ? 1 : 0;
      size++;
    }
    return size + users.length - mine + other.users.length - theirs;
  }

  private void take(int i, UserCounts from, int j) {
    users[i] = from.users[j];
    counts[i] += from.counts[j];
    zetas[i] += from.zetas[j];
  }

  /** Charges one more node above all these users. O(users). */
  UserCounts withOneMoreNode() {
    long[] charged = zetas.clone();
    for (int i = 0; i < charged.length; i++) {
      charged[i] += (long) counts[i] * counts[i];
    }
    return new UserCounts(users, counts, charged);
  }

  int size() {
    return users.length;
  }

  long user(int i) {
    return users[i];
  }

  long zeta(int i) {
    return zetas[i];
  }

  /** The zeta of a user; 0 for a user who is not below the node. */
  long zetaOf(long user) {
    int i = Arrays.binarySearch(users, user);
    return i < 0 ? 0 : zetas[i];
  }
}
