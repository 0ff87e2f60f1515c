package io.croupier.accounting.tree;

/** The squared sensitivity of a release to each of its users. Immutable. */
public final class UserZetas {
  private final UserCounts counts;

  UserZetas(UserCounts counts) {
    this.counts = counts;
  }

  /** The largest zeta, which is that of the release; 0 without participants. */
  public long largest() {
    long largest = 0;
    for (int i = 0; i < counts.size(); i++) {
      largest = Math.max(largest, counts.zeta(i));
    }
    return largest;
  }

  /** The zeta of one user; 0 if the user did not participate. O(log users). */
  public long of(long user) {
    return counts.zetaOf(user);
  }

  /** Number of participating users. */
  public int users() {
    return counts.size();
  }

  /**
   * One of the users, in ascending order.
   *
   * @param i from 0 to {@link #users} - 1
   */
  public long user(int i) {
    return counts.user(i);
  }
}
