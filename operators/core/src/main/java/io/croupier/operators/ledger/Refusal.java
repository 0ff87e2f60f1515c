package io.croupier.operators.ledger;

import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;

/** A refused report, of which its sender learns. In keyed state. */
public final class Refusal {
  /** The model that the report names; the sender may have invented it. */
  public String modelId;

  /** The device. */
  public String deviceId;

  /** The report's number. */
  public long sequence;

  /** The number of the {@link Outcome}. */
  public int outcome;

  /** Why, as in the accounting event. */
  public String reason;

  /** When the broker appended the report, milliseconds since 1970. */
  public long appendedAtMs;

  /** Creates an object without values, for a reader. */
  public Refusal() {}

  /** Creates the refusal that an event states. */
  public Refusal(AccountingEvent event, long appendedAtMs) {
    modelId = event.getModelId();
    deviceId = event.getDeviceId();
    sequence = event.getSequence();
    outcome = event.getOutcomeValue();
    reason = event.getReason();
    this.appendedAtMs = appendedAtMs;
  }

  /** Returns whether an event refuses a report; a resend is no refusal. */
  public static boolean isIn(AccountingEvent event) {
    return switch (event.getOutcome()) {
      case ADMITTED, GRANTED, DUPLICATE, ERASED, OUTCOME_UNSPECIFIED, UNRECOGNIZED -> false;
      default -> true;
    };
  }

  Account.Refusal toProto() {
    return Account.Refusal.newBuilder()
        .setModelId(modelId)
        .setDeviceId(deviceId)
        .setSequence(sequence)
        .setOutcome(Outcome.forNumber(outcome))
        .setReason(reason)
        .setAppendedAtMs(appendedAtMs)
        .build();
  }
}
