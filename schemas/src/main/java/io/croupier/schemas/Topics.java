package io.croupier.schemas;

import java.io.Serializable;
import java.util.List;

/**
 * The names of Croupier's topics. The key of a record "by model" or "by user" is that id in UTF-8,
 * with nothing added, so different ids have different keys; {@link AccountingKey} is that of an
 * accounting event.
 *
 * @param models {@link ModelSpec}s by model; compacted, one partition
 * @param gradients {@link GradientReport}s with noise from the device, by user
 * @param rawGradients {@link GradientReport}s declared {@code central}, by user; restricted
 * @param erasures user ids whose accounts are to be erased, as keys without a value; restricted
 * @param accountRequests {@link AccountRequest}s by user; restricted
 * @param accountAnswers {@link Account}s by user; restricted
 * @param updates {@link ModelUpdate}s by model; compacted
 * @param accounting {@link AccountingEvent}s by user; never deleted
 * @param guarantees {@link GuaranteeEvent}s by model
 * @param journal {@link JournalEntry}s by model; restricted
 * @param deadLetters unreadable records of {@code gradients} and {@code models}
 * @param rawDeadLetters unreadable records of {@code rawGradients}; restricted
 * @param progress how far the job's outputs are, for its next start; compacted, one partition
 */
public record Topics(
    String models,
    String gradients,
    String rawGradients,
    String erasures,
    String accountRequests,
    String accountAnswers,
    String updates,
    String accounting,
    String guarantees,
    String journal,
    String deadLetters,
    String rawDeadLetters,
    String progress)
    implements Serializable {

  /** The default names with a prefix: {@code croupier} gives {@code croupier.models}, .... */
  public static Topics withPrefix(String prefix) {
    return new Topics(
        prefix + ".models",
        prefix + ".gradients",
        prefix + ".raw-gradients",
        prefix + ".erasures",
        prefix + ".account-requests",
        prefix + ".account-answers",
        prefix + ".updates",
        prefix + ".accounting",
        prefix + ".guarantees",
        prefix + ".journal",
        prefix + ".dead-letters",
        prefix + ".raw-dead-letters",
        prefix + ".progress");
  }

  /**
   * Requires a name that Kafka accepts for a topic.
   *
   * @throws IllegalArgumentException if it isn't one
   */
  public static String requireName(String name) {
    if (!name.matches("(?!\\.{1,2}$)[A-Za-z0-9._-]{1,249}")) {
      throw new IllegalArgumentException(
          ("topics: '%s' is not a valid topic name; use 1 to 249 letters, digits, '.', '_' and '-',"
                  + " other than '.' and '..'")
              .formatted(name));
    }
    return name;
  }

  /** Every name, in the order of the components. */
  public List<String> all() {
    return List.of(
        models,
        gradients,
        rawGradients,
        erasures,
        accountRequests,
        accountAnswers,
        updates,
        accounting,
        guarantees,
        journal,
        deadLetters,
        rawDeadLetters,
        progress);
  }
}
