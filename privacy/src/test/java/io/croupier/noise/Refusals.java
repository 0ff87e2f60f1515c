package io.croupier.noise;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions that arguments are refused, for a reason. */
public final class Refusals {
  private Refusals() {}

  /** An {@link IllegalArgumentException} with this message. */
  public static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  /** An {@link IllegalArgumentException} whose message contains these parts. */
  public static void assertRefusedWith(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(parts);
  }
}
