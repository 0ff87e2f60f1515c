package io.croupier.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.croupier.gateway.config.LimitSettings.Rate;
import io.croupier.gateway.problem.ProblemException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimitsTest {
  /** The next token comes after a minute; the test takes less. */
  private static final int BURST = 3;

  private final RateLimits limits = new RateLimits(new Rate(1, BURST));

  @Test
  void eachNameHasItsOwnBucket() {
    for (int i = 0; i < BURST; i++) {
      limits.require("ada");
    }
    ProblemException refused =
        catchThrowableOfType(ProblemException.class, () -> limits.require("ada"));
    assertThat(refused.problem().type().status()).isEqualTo(429);
    assertThat(refused.problem().retryAfter().orElseThrow())
        .isBetween(Duration.ZERO, Duration.ofMinutes(1));
    assertThat(refused.problem().detail()).doesNotContain("ada");
    assertThatCode(() -> limits.require("grace")).doesNotThrowAnyException();
  }

  /** A large request passes with a full bucket, and after the wait that a refusal names. */
  @Test
  void moreTokensFitBesideTheFirst() {
    limits.require("ada");
    assertThatCode(() -> limits.requireMore("ada", 16)).doesNotThrowAnyException();
    limits.require("grace");
    limits.require("grace");
    ProblemException refused =
        catchThrowableOfType(ProblemException.class, () -> limits.requireMore("grace", 16));
    assertThat(refused.problem().retryAfter().orElseThrow())
        .as("one token is there, and the next try takes three")
        .isBetween(Duration.ofSeconds(110), Duration.ofMinutes(2));
    RateLimits single = new RateLimits(new Rate(1, 1));
    single.require("ada");
    assertThatCode(() -> single.requireMore("ada", 16)).doesNotThrowAnyException();
  }
}
