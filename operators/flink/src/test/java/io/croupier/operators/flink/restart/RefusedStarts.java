package io.croupier.operators.flink.restart;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts that a start is refused for a reason. */
public final class RefusedStarts {
  private RefusedStarts() {}

  public static void assertRefused(ThrowingCallable start, String... parts) {
    assertThatExceptionOfType(RefusedStartException.class)
        .isThrownBy(start)
        .withMessageContainingAll(parts);
  }
}
