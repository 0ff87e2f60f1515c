package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** What a test waits for. */
@FunctionalInterface
public interface Condition {
  boolean holds() throws Exception;

  /** Waits until a condition holds; fails after a time that is long on any machine. */
  static void await(Condition condition) throws Exception {
    await("the condition", condition);
  }

  /**
   * The same, and names the condition.
   *
   * @param what has to be there
   */
  static void await(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("the time of %s", what).isLessThan(deadline);
      Thread.sleep(10);
    }
  }
}
