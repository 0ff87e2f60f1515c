package io.croupier.job;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Every setting of the job that is not passed through, with its default and what it means. */
public enum ConfigKey {
  TOPICS_PREFIX("topics.prefix", "croupier", "First part of every topic's name."),
  TOPICS_MODELS("topics.models", "<prefix>.models", "Model specs, by model; compacted."),
  TOPICS_GRADIENTS("topics.gradients", "<prefix>.gradients", "Reports noised on the device."),
  TOPICS_RAW_GRADIENTS(
      "topics.raw-gradients", "<prefix>.raw-gradients", "Reports of central models; restricted."),
  TOPICS_UPDATES("topics.updates", "<prefix>.updates", "The newest iterate of each model."),
  TOPICS_ACCOUNTING("topics.accounting", "<prefix>.accounting", "One event per report; kept."),
  TOPICS_GUARANTEES("topics.guarantees", "<prefix>.guarantees", "What each central release holds."),
  TOPICS_JOURNAL("topics.journal", "<prefix>.journal", "Which reports entered which rounds."),
  TOPICS_DEAD_LETTERS("topics.dead-letters", "<prefix>.dead-letters", "What can't be read."),
  TOPICS_RAW_DEAD_LETTERS(
      "topics.raw-dead-letters", "<prefix>.raw-dead-letters", "The same of raw-gradients."),
  PARALLELISM(
      "parallelism",
      "",
      "Subtasks of each operator; unset: what Flink is given (`flink run -p`, `job.parallelism` of"
          + " the Kubernetes operator, `parallelism.default`)."),
  MAX_PARALLELISM(
      "max-parallelism",
      "128",
      "Key groups: the highest parallelism ever. Flink refuses to restore state with another one."),
  CHECKPOINT_INTERVAL(
      "checkpoint.interval", "1 s", "Time between checkpoints, and so between publications."),
  CHECKPOINT_DIRECTORY(
      "checkpoint.directory",
      "",
      "Where checkpoints are kept, as a URI; empty: what the cluster is configured with."),
  PRE_AGGREGATION_INTERVAL(
      "pre-aggregation.interval", "50 ms", "Longest that a sum of reports waits to be passed on."),
  PUBLICATION_MAX_LAG(
      "publication.max-lag",
      "",
      "How old the next report may be before no new rounds are published, so that those who answered"
          + " the last one are not too late; empty: 2 s or two checkpoint intervals, the larger."),
  PUBLICATION_HOLD(
      "publication.hold",
      "10 min",
      "Longest that a new round waits because the job is behind or the last one is unanswered."),
  JOURNAL_ENABLED(
      "journal.enabled", "false", "Whether to write down which reports entered which rounds."),
  LIMITS_USER_EPSILON(
      "limits.user.epsilon",
      "",
      "Most that one user may spend on all models: pure epsilon, or at `limits.user.delta`."),
  LIMITS_USER_MU("limits.user.mu", "", "Most by Gaussian mu, the root of the sum of mu^2."),
  LIMITS_USER_DELTA(
      "limits.user.delta", "", "The delta of `limits.user.epsilon`; alone, totals tell epsilon."),
  LIMITS_USER_REPORTS("limits.user.reports", "", "Most reports of one user to all models.");

  /** Settings of Kafka's clients, for every client of the job. */
  public static final String KAFKA = "kafka.";

  /** Settings of Flink itself. */
  public static final String FLINK = "flink.";

  private final String key;
  private final String byDefault;
  private final String meaning;

  ConfigKey(String key, String byDefault, String meaning) {
    this.key = key;
    this.byDefault = byDefault;
    this.meaning = meaning;
  }

  /** The key as it is written in a file or behind {@code --}. */
  public String key() {
    return key;
  }

  /** The default, as text. */
  public String byDefault() {
    return byDefault;
  }

  /** What it means, in a sentence. */
  public String meaning() {
    return meaning;
  }

  /**
   * What there is of a key before a value that was written behind it: no key has =, : or blanks.
   */
  static String withoutValue(String key) {
    return key.split("[=:\\s]", 2)[0];
  }

  static boolean isKnown(String key) {
    return key.startsWith(KAFKA)
        || key.startsWith(FLINK)
        || Arrays.stream(values()).anyMatch(k -> k.key.equals(key));
  }

  /** The known key that is the fewest edits away. */
  static String nearest(String unknown) {
    LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
    List<String> known = Arrays.stream(values()).map(ConfigKey::key).toList();
    return known.stream()
        .min((a, b) -> Integer.compare(distance.apply(unknown, a), distance.apply(unknown, b)))
        .orElseThrow();
  }
}
