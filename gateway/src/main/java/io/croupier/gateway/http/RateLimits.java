package io.croupier.gateway.http;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import com.github.benmanes.caffeine.cache.Scheduler;
import io.croupier.gateway.config.LimitSettings.Rate;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;

/**
 * A token bucket for each user, or each address. Memory is bounded: at most {@value #MOST} buckets
 * are kept, and the one that is used least is forgotten first.
 */
final class RateLimits {
  static final int MOST = 200_000;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final LoadingCache<String, Bucket> buckets;
  private final int burst;

  RateLimits(Rate rate) {
    burst = rate.burst();
    // A bucket that was not used for so long is full, so it may be forgotten.
    Duration full = Duration.ofSeconds(1 + 60L * rate.burst() / rate.perMinute());
    buckets =
        Caffeine.newBuilder()
            .maximumSize(MOST)
            .expireAfterAccess(full)
            .scheduler(Scheduler.systemScheduler())
            .build(
                name ->
                    Bucket.builder()
                        .addLimit(
                            limit ->
                                limit.capacity(rate.burst()).refillGreedy(rate.perMinute(), MINUTE))
                        .build());
  }

  /**
   * Takes a token.
   *
   * @throws ProblemException if there is none
   */
  void require(String name) {
    take(name, 1, 1);
  }

  /**
   * Takes tokens of a request that has taken one, at most as many as a full bucket then has.
   *
   * @throws ProblemException if there aren't as many
   */
  void requireMore(String name, int tokens) {
    int more = Math.min(tokens, burst - 1);
    if (more > 0) {
      // The next try takes one first.
      take(name, more, more + 1);
    }
  }

  private void take(String name, int tokens, int nextTime) {
    Bucket bucket = buckets.get(name);
    ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(tokens);
    if (!probe.isConsumed()) {
      long wait = bucket.estimateAbilityToConsume(nextTime).getNanosToWaitForRefill();
      throw new ProblemException(
          ProblemDocument.of(
                  ProblemType.TOO_MANY_REQUESTS,
                  "the sender must wait until its requests are within the limits again")
              .retryAfter(Duration.ofNanos(wait)));
    }
  }
}
