package io.croupier.gateway.config;

import io.croupier.gateway.watch.WatchedTopics;
import io.croupier.schemas.Topics;
import java.nio.file.Path;
import java.util.List;
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
    Topics byDefault = Topics.withPrefix(settings.text(GatewayKey.TOPICS_PREFIX));
    return Optional.of(
        new WatchSettings(
            new WatchedTopics(
                GatewayTopics.named(settings, GatewayKey.TOPICS_MODELS, byDefault.models()),
                GatewayTopics.named(settings, GatewayKey.TOPICS_UPDATES, byDefault.updates()),
                GatewayTopics.named(settings, GatewayKey.TOPICS_ACCOUNTING, byDefault.accounting()),
                GatewayTopics.named(settings, GatewayKey.TOPICS_GUARANTEES, byDefault.guarantees()),
                List.of(
                    GatewayTopics.named(
                        settings, GatewayKey.TOPICS_DEAD_LETTERS, byDefault.deadLetters()),
                    GatewayTopics.named(
                        settings, GatewayKey.TOPICS_RAW_DEAD_LETTERS, byDefault.rawDeadLetters())),
                List.of(
                    GatewayTopics.named(
                        settings, GatewayKey.TOPICS_GRADIENTS, byDefault.gradients()),
                    GatewayTopics.named(
                        settings, GatewayKey.TOPICS_RAW_GRADIENTS, byDefault.rawGradients()))),
            settings.file(GatewayKey.WATCH_TOKEN_FILE)));
  }
}
