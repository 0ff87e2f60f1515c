package io.croupier.gateway.config;

import io.croupier.schemas.Topics;
import java.util.HashSet;
import java.util.List;

/**
 * The topics that the gateway uses.
 *
 * @param models specs, read
 * @param gradients reports, written
 * @param rawGradients raw reports, written
 * @param accountRequests requests for accounts, written
 * @param accountAnswers the ledger's answers, read
 * @param updates updates, read
 * @param gateway the pepper's fingerprint, read and written
 */
public record GatewayTopics(
    String models,
    String gradients,
    String rawGradients,
    String accountRequests,
    String accountAnswers,
    String updates,
    String gateway) {

  /**
   * Checks the names.
   *
   * @throws IllegalArgumentException if two are the same
   */
  public GatewayTopics {
    List<String> all =
        List.of(models, gradients, rawGradients, accountRequests, accountAnswers, updates, gateway);
    if (new HashSet<>(all).size() < all.size()) {
      throw new IllegalArgumentException("topics.* must name different topics");
    }
  }

  static GatewayTopics of(Settings settings) {
    String prefix = settings.text(GatewayKey.TOPICS_PREFIX);
    Topics byDefault = Topics.withPrefix(prefix);
    return new GatewayTopics(
        named(settings, GatewayKey.TOPICS_MODELS, byDefault.models()),
        named(settings, GatewayKey.TOPICS_GRADIENTS, byDefault.gradients()),
        named(settings, GatewayKey.TOPICS_RAW_GRADIENTS, byDefault.rawGradients()),
        named(settings, GatewayKey.TOPICS_ACCOUNT_REQUESTS, byDefault.accountRequests()),
        named(settings, GatewayKey.TOPICS_ACCOUNT_ANSWERS, byDefault.accountAnswers()),
        named(settings, GatewayKey.TOPICS_UPDATES, byDefault.updates()),
        named(settings, GatewayKey.TOPICS_GATEWAY, prefix + ".gateway"));
  }

  static String named(Settings settings, GatewayKey key, String byDefault) {
    String text = settings.text(key);
    return Topics.requireName(text.equals(key.byDefault()) ? byDefault : text);
  }
}
