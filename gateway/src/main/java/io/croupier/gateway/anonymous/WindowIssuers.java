package io.croupier.gateway.anonymous;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.token.TokenIssuer;
import java.util.Optional;

/** What signs the tokens of windows. Safe for use by several threads. */
@FunctionalInterface
public interface WindowIssuers {
  /**
   * What signs the tokens of a window and a level; empty unless its key is the published one, so
   * that all devices have tokens of one key.
   */
  Optional<TokenIssuer> issuer(String modelId, long window, Mechanism level);
}
