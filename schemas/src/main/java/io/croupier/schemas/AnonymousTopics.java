package io.croupier.schemas;

import java.io.Serializable;
import java.util.List;

/**
 * The names of the topics that a deployment has besides {@link Topics} if it takes anonymous
 * reports.
 *
 * @param reports {@link AnonymousReport}s by the nonces of their tokens
 * @param grants {@link Grant}s by user
 * @param tokenKeys {@link TokenKey}s by model, window and level; compacted, one partition
 */
public record AnonymousTopics(String reports, String grants, String tokenKeys)
    implements Serializable {

  /** The default names with a prefix: {@code croupier} gives {@code croupier.anonymous}, .... */
  public static AnonymousTopics withPrefix(String prefix) {
    return new AnonymousTopics(prefix + ".anonymous", prefix + ".grants", prefix + ".token-keys");
  }

  /** Every name, in the order of the components. */
  public List<String> all() {
    return List.of(reports, grants, tokenKeys);
  }
}
