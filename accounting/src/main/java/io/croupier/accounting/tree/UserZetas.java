package io.croupier.accounting.tree;

/** The squared sensitivity of a release to each of its users. Immutable. */
public final class UserZetas {
  private final UserCounts counts;

  UserZetas(UserCounts counts) {
    this.counts = counts;
  }

  /** The largest: the zeta of the release. 0 if nobody took part. */
  public long largest() {
    long largest = 0;
    for (int i = 0; i < counts.size(); i++) {
      largest = Math.max(largest, counts.zeta(i));
    }
    return largest;
  }

  /** That of one user; 0 if they did not take part. O(log users). */
  public long of(long user) {
    return counts.zetaOf(user);
  }

  /** How many users took part. */
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
