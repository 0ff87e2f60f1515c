package io.croupier.job.config;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** Every setting of the job that is not passed through, with its default and what it means. */
public enum ConfigKey {
  TOPICS_PREFIX("topics.prefix", "croupier", "Prefix of all topic names."),
  TOPICS_MODELS("topics.models", "<prefix>.models", "Topic of model specs; compacted."),
  TOPICS_GRADIENTS(
      "topics.gradients", "<prefix>.gradients", "Topic of reports with noise from the device."),
  TOPICS_RAW_GRADIENTS(
      "topics.raw-gradients",
      "<prefix>.raw-gradients",
      "Topic of raw reports for central models; restrict its readers."),
  TOPICS_ERASURES(
      "topics.erasures",
      "<prefix>.erasures",
      "Topic of user ids whose accounts are to be erased; restrict its readers and writers."),
  TOPICS_STOPS(
      "topics.stops",
      "<prefix>.stops",
      "Topic of user ids that are stopped; compacted, one partition. Restrict its readers and"
          + " writers."),
  TOPICS_ACCOUNT_REQUESTS(
      "topics.account-requests",
      "<prefix>.account-requests",
      "Topic of people's requests for their accounts; restrict its readers and writers."),
  TOPICS_ACCOUNT_ANSWERS(
      "topics.account-answers",
      "<prefix>.account-answers",
      "Topic of the ledger's answers to them; restrict its readers."),
  TOPICS_UPDATES(
      "topics.updates", "<prefix>.updates", "Topic of each model's latest update; compacted."),
  TOPICS_ACCOUNTING(
      "topics.accounting",
      "<prefix>.accounting",
      "Topic with one event per report; keeps all records."),
  TOPICS_GUARANTEES(
      "topics.guarantees",
      "<prefix>.guarantees",
      "Topic of the guarantees of central releases and of windows."),
  TOPICS_JOURNAL(
      "topics.journal", "<prefix>.journal", "Topic of which reports entered which rounds."),
  TOPICS_DEAD_LETTERS(
      "topics.dead-letters", "<prefix>.dead-letters", "Topic of unreadable records."),
  TOPICS_RAW_DEAD_LETTERS(
      "topics.raw-dead-letters",
      "<prefix>.raw-dead-letters",
      "Topic of unreadable records of raw-gradients; restrict its readers."),
  TOPICS_PROGRESS(
      "topics.progress",
      "<prefix>.progress",
      "Topic with which a start compares its state; compacted."),
  TOPICS_ANONYMOUS(
      "topics.anonymous",
      "<prefix>.anonymous",
      "Topic of anonymous reports; this one and the next two only with `anonymous.enabled`."),
  TOPICS_GRANTS(
      "topics.grants", "<prefix>.grants", "Topic of the verdicts on requests for tokens."),
  TOPICS_TOKEN_KEYS(
      "topics.token-keys",
      "<prefix>.token-keys",
      "Topic of the public keys of tokens; compacted, one partition."),
  KEEP_REPORTS(
      "keep.reports",
      "7 d",
      "How long the topics of reports, dead letters, erasures and verdicts on tokens keep records, at"
          + " least an hour: `topics create` sets it, and a start warns of topics that keep them longer."),
  PARALLELISM(
      "parallelism",
      "",
      "Subtasks of each operator; unset: Flink's own setting (`flink run -p`,"
          + " `job.parallelism` of the Kubernetes operator, `parallelism.default`)."),
  MAX_PARALLELISM(
      "max-parallelism",
      "1024",
      "Number of key groups of a new job, and upper limit of its parallelism. Unset, a job that"
          + " restores state keeps the state's number; Flink refuses to restore it with another."),
  CHECKPOINT_INTERVAL(
      "checkpoint.interval", "1 s", "Time between checkpoints, and thus between publications."),
  CHECKPOINT_DIRECTORY(
      "checkpoint.directory",
      "",
      "URI of the directory for checkpoints; empty: the cluster's setting."),
  PRE_AGGREGATION_INTERVAL(
      "pre-aggregation.interval",
      "50 ms",
      "Longest time that a partial sum of reports waits before it is emitted."),
  PUBLICATION_HOLD(
      "publication.hold",
      "10 min",
      "Longest time that a new round waits because no report has named the last one; with"
          + " anonymous windows also for reports."),
  JOURNAL_ENABLED(
      "journal.enabled", "false", "Whether to record which reports entered which rounds."),
  ANONYMOUS_ENABLED(
      "anonymous.enabled",
      "false",
      "Whether models may take anonymous reports. Not with `journal.enabled`. A job that has state"
          + " of them can't start without it."),
  LIMITS_USER_EPSILON(
      "limits.user.epsilon",
      "",
      "Largest epsilon that one user may spend on all models: pure, or at `limits.user.delta`."),
  LIMITS_USER_MU(
      "limits.user.mu",
      "",
      "Largest mu of one user on all models, as the root of the sum of mu^2; a pure mechanism"
          + " counts by its own."),
  LIMITS_USER_DELTA(
      "limits.user.delta",
      "",
      "The delta of `limits.user.epsilon`; without that limit, totals report epsilon"
          + " at this delta."),
  LIMITS_USER_REPORTS(
      "limits.user.reports", "", "Largest number of reports of one user to all models."),
  LIMITS_USER_PER(
      "limits.user.per",
      "",
      "Period of the user's limits, such as `30d`: from 1 to 370 days. Unset: they hold for life.");

  /** Settings of Kafka's clients, for every client of the job. */
  public static final String KAFKA = "kafka.";

  /** Settings of Flink itself. */
  public static final String FLINK = "flink.";

  /** Settings of earlier releases, which have no effect any more. */
  private static final Set<String> RETIRED = Set.of("publication.max-lag");

  private final String key;
  private final String byDefault;
  private final String meaning;

  ConfigKey(String key, String byDefault, String meaning) {
    this.key = key;
    this.byDefault = byDefault;
    this.meaning = meaning;
  }

  /** The key as written in a file or after {@code --}. */
  public String key() {
    return key;
  }

  /** The default, as text. */
  public String byDefault() {
    return byDefault;
  }

  /** What it means, in one or two sentences. */
  public String meaning() {
    return meaning;
  }

  /**
   * The part of {@code key} before a value that was written after it: keys contain no =, : or
   * blanks.
   */
  public static String withoutValue(String key) {
    return key.split("[=:\\s]", 2)[0];
  }

  static boolean isKnown(String key) {
    return key.startsWith(KAFKA)
        || key.startsWith(FLINK)
        || RETIRED.contains(key)
        || Arrays.stream(values()).anyMatch(k -> k.key.equals(key));
  }

  /** What is wrong with an unknown key, with the known one of the smallest edit distance. */
  static String violation(String unknown) {
    LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
    String right =
        Arrays.stream(values())
            .map(ConfigKey::key)
            .min(Comparator.comparingInt(key -> distance.apply(unknown, key)))
            .filter(key -> distance.apply(unknown, key) < unknown.length())
            .map("the nearest known one is '%s'"::formatted)
            .orElse("docs/run/settings.md lists all");
    return "Unknown setting '%s'; %s".formatted(unknown, right);
  }
}
