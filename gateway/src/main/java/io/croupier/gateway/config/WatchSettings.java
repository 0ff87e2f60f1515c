package io.croupier.gateway.config;

import io.croupier.gateway.watch.WatchedTopics;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;

/**
 * The page to watch.
 *
 * @param topics what it follows
 * @param token file with the admin token; empty if only browsers on this machine may see the page
 */
public record WatchSettings(WatchedTopics topics, Optional<Path> token) {

  /** The settings of a page that is served; empty if none is. */
  static Optional<WatchSettings> of(Settings settings) {
    boolean loopback = settings.truth(GatewayKey.WATCH_LOOPBACK);
    if (!settings.truth(GatewayKey.WATCH_ENABLED)) {
      return Optional.empty();
    }
    if (loopback == settings.file(GatewayKey.WATCH_TOKEN_FILE).isPresent()) {
      throw new IllegalArgumentException(
          ("%s is true; then either %s must name the file with the readers' token, or %s be true:"
                  + " each user of this machine may see the page")
              .formatted(
                  GatewayKey.WATCH_ENABLED.key(),
                  GatewayKey.WATCH_TOKEN_FILE.key(),
                  GatewayKey.WATCH_LOOPBACK.key()));
    }
    if (loopback && settings.truth(GatewayKey.LISTEN_PROXY)) {
      throw new IllegalArgumentException(
          "%s and %s are true: through a proxy, all requests come from its machine; set %s"
              .formatted(
                  GatewayKey.WATCH_LOOPBACK.key(),
                  GatewayKey.LISTEN_PROXY.key(),
                  GatewayKey.WATCH_TOKEN_FILE.key()));
    }
    Topics topics =
        settings.topics(
            EnumSet.of(
                Topic.MODELS,
                Topic.UPDATES,
                Topic.ACCOUNTING,
                Topic.GUARANTEES,
                Topic.DEAD_LETTERS,
                Topic.RAW_DEAD_LETTERS,
                Topic.GRADIENTS,
                Topic.RAW_GRADIENTS));
    return Optional.of(
        new WatchSettings(WatchedTopics.of(topics), settings.file(GatewayKey.WATCH_TOKEN_FILE)));
  }
}
