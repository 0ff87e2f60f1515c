package io.croupier.operators.report;

import io.croupier.schemas.Violation;
import java.util.List;

/** What a record contains. */
public sealed interface Received
    permits Report, Received.Erasure, Received.AccountQuery, Received.Malformed {

  /**
   * The operator asks to erase a user's account.
   *
   * @param eventKeys keys of the user's accounting events to be deleted
   * @param totals whether the totals are to be forgotten, too
   */
  record Erasure(String userId, List<byte[]> eventKeys, boolean totals, Source source)
      implements Received {

    /** An erasure that deletes no event. */
    public Erasure(String userId, Source source) {
      this(userId, List.of(), false, source);
    }

    /** Without the user. */
    @Override
    public String toString() {
      return "Erasure";
    }
  }

  /**
   * A gateway asks for the account of the user that is the record's key.
   *
   * @param tag identifies the request
   */
  @SuppressWarnings("ArrayRecordComponent") // no two are compared
  record AccountQuery(byte[] tag, Source source) implements Received {}

  /**
   * The record can't be used and becomes a dead letter.
   *
   * @param violations why; never quote a value of the gradient, and follow from no other field if
   *     {@code withheld}
   * @param withheld whether the dead letter must contain neither the record's key nor its value,
   *     nor anything derived from them: it is or may be a raw gradient outside the topic for raw
   *     gradients, or names a user to be erased
   */
  record Malformed(List<Violation> violations, boolean withheld) implements Received {

    /** Copies the list. */
    public Malformed {
      violations = List.copyOf(violations);
    }

    /** A record that is wrong as a whole, for a reason. */
    Malformed(String reason, boolean withheld) {
      this(List.of(new Violation("record", reason)), withheld);
    }

    /** Why, in one text. */
    public String reason() {
      return Violation.text(violations);
    }
  }
}
