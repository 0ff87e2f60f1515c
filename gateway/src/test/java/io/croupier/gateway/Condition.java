package io.croupier.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** What a test waits for. */
@FunctionalInterface
public interface Condition {
  boolean holds() throws Exception;

  /** Waits until a condition holds; fails after a time that is long on any machine. */
  static void await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("the time by which it must hold").isLessThan(deadline);
      Thread.sleep(10);
    }
  }
}
