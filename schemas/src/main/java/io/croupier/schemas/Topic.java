package io.croupier.schemas;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * A topic of a deployment. The key of a record "by model" or "by user" is that id in UTF-8, with
 * nothing added, so different ids have different keys; {@link AccountingKey} is that of an
 * accounting event.
 */
public enum Topic {
  /** {@link ModelSpec}s by model. */
  MODELS(Retention.NEWEST, true),

  /** {@link GradientReport}s with noise from the device, by user. */
  GRADIENTS(Retention.STAMPED),

  /** {@link GradientReport}s declared {@code central}, by user; restricted. */
  RAW_GRADIENTS(Retention.STAMPED),

  /** User ids whose accounts are to be erased, as keys without a value; restricted. */
  ERASURES(Retention.STAMPED),

  /** Users who take no part, as keys: a value stops, a tombstone resumes; restricted. */
  STOPS(Retention.NEWEST, true),

  /** {@link AccountRequest}s by user; restricted. */
  ACCOUNT_REQUESTS(Retention.BRIEFLY),

  /** {@link Account}s by user; restricted. */
  ACCOUNT_ANSWERS(Retention.BRIEFLY),

  /** {@link ModelUpdate}s by model. */
  UPDATES(Retention.NEWEST),

  /** {@link AccountingEvent}s by user. */
  ACCOUNTING(Retention.ALL),

  /** {@link GuaranteeEvent}s by model. */
  GUARANTEES(Retention.ALL),

  /** {@link JournalEntry}s by model; restricted. */
  JOURNAL(Retention.ALL),

  /** Unreadable records of {@link #GRADIENTS} and {@link #MODELS}. */
  DEAD_LETTERS(Retention.REPORTS),

  /** Unreadable records of {@link #RAW_GRADIENTS}; restricted. */
  RAW_DEAD_LETTERS(Retention.REPORTS),

  /** How far the job's outputs are, for its next start. */
  PROGRESS(Retention.NEWEST, true),

  /** {@link AnonymousReport}s by the nonces of their tokens. */
  ANONYMOUS(Retention.REPORTS),

  /** {@link Grant}s by user. */
  GRANTS(Retention.REPORTS),

  /** {@link TokenKey}s by model, window and level. */
  TOKEN_KEYS(Retention.NEWEST, true),

  /** Fingerprints of the gateways' pepper and issuers, which gateways write. */
  GATEWAY(Retention.NEWEST, true);

  /** Which records a topic keeps. */
  public enum Retention {
    /** The newest of each key. */
    NEWEST,

    /** All of them. */
    ALL,

    /** Those of the last days, as many as the job's operator chooses for reports. */
    REPORTS,

    /** The same, with the time at which the broker appended them. */
    STAMPED,

    /** Those of the last minutes, with that time. */
    BRIEFLY
  }

  private final Retention retention;
  private final boolean single;

  Topic(Retention retention) {
    this(retention, false);
  }

  Topic(Retention retention, boolean single) {
    this.retention = retention;
    this.single = single;
  }

  /** Returns the topics of a job. */
  public static Set<Topic> ofJob(boolean anonymous) {
    return Collections.unmodifiableSet(EnumSet.range(MODELS, anonymous ? TOKEN_KEYS : PROGRESS));
  }

  /** Returns the name without its prefix, and the last part of the key of its setting. */
  public String suffix() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns which records it keeps. */
  public Retention retention() {
    return retention;
  }

  /** Returns whether it has one partition. */
  public boolean isSingle() {
    return single;
  }
}
