package io.croupier.operators.ledger;

import io.croupier.operators.ledger.DeviceWindow.Verdict;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Position;
import io.croupier.schemas.Spend;
import java.util.Optional;

/**
 * Judges reports and charges for them: one event for every well-formed report. The checks run in
 * this order, and the first that fails decides:
 *
 * <ol>
 *   <li>the replay window: DUPLICATE, or REFUSED_SEQUENCE;
 *   <li>the user is not stopped: REFUSED_STOPPED, which costs nothing;
 *   <li>the model is known: REFUSED_UNKNOWN_MODEL;
 *   <li>form and dimension, or the question: REFUSED_DIMENSION;
 *   <li>the declaration, and the bound on the gradient: REFUSED_DECLARATION;
 *   <li>the length: REFUSED_IMPLAUSIBLE;
 *   <li>participations in a central model: REFUSED_PARTICIPATION, then REFUSED_SEPARATION;
 *   <li>the limits, the model's before those over all models: REFUSED_BUDGET.
 * </ol>
 *
 * <p>Noise that has left the device is spent: a noised report is charged whatever its outcome, to
 * the user's totals and, if the model is known, to the model's. Duplicates are free, since their
 * first copy was charged, and so are refused central reports, since they are never used. A stopped
 * user's reports are neither charged nor used, also not after the user has resumed. An admitted
 * central report is charged for its participation in the round before it is used; the charge stays
 * if the learner drops it.
 *
 * <p>{@link AccountRebuild} computes the same accounts from the events.
 */
public final class Ledger {
  /**
   * An upper bound on the size of an event as a record, including its key; a topic that accepts
   * records of this size accepts every event. User and device have at most {@value
   * GradientReports#MAX_ID_BYTES} bytes, reasons are truncated, and all other fields are names and
   * numbers.
   */
  public static final int MAX_EVENT_BYTES = 4096;

  private static final Spend NOTHING = new Totals().toProto().build();

  private static final Judgement DUPLICATE =
      new Judgement(Outcome.DUPLICATE, "these bytes were judged before: they cost nothing");

  private static final Judgement UNKNOWN_MODEL =
      new Judgement(Outcome.REFUSED_UNKNOWN_MODEL, "model_id must name a model that is published");

  private static final Judgement STOPPED =
      new Judgement(Outcome.REFUSED_STOPPED, StoppedUsers.REASON);

  private final Budget perUser;

  /** Creates a ledger without limits over all models. It has no state: the caller keeps it. */
  public Ledger() {
    this(Limits.getDefaultInstance());
  }

  /**
   * Creates a ledger.
   *
   * @param perUser limits on what one user may spend on all models together
   */
  public Ledger(Limits perUser) {
    this.perUser = new Budget("limits.user.", perUser);
  }

  /** Judges a report to a known model, and updates {@code account}. */
  public AccountingEvent judge(Report report, AdmissionRules rules, UserAccount account) {
    String modelId = report.header().modelId();
    Charges charges = new Charges(rules.budget(), modelId, perUser, account, report.source());
    Totals spent = charges.onModel();
    AccountingEvent.Builder event = event(report);
    rules.recordGrid(report.mechanism(), event);
    Judgement judgement =
        judgeNumber(report, rules, account, event)
            .then(() -> rules.judge(report, perUser))
            .then(() -> rules.judgeSender(report, spent, account));
    Optional<Participation> participation =
        judgement.isAdmitted() ? rules.participation(report, spent, account) : Optional.empty();
    DeclaredCost cost =
        participation.isPresent()
            ? DeclaredCost.of(participation.get().cost())
            : rules.cost(report.mechanism());
    judgement =
        judgement
            .then(() -> charges.judge(cost.totals()))
            .then(() -> rules.tokens().admitted(report));
    event.setOutcome(judgement.outcome()).setReason(judgement.reason());
    if (AccountingEvents.isCharged(event)) {
      rules.tokens().grant(report, account);
      participation.ifPresent(part -> store(part, report, spent, account, event));
    }
    rules.tokens().record(modelId, account, event);
    return settle(event, cost, charges);
  }

  private static void store(
      Participation participation,
      Report report,
      Totals spent,
      UserAccount account,
      AccountingEvent.Builder event) {
    participation.store(account, report.header().modelId());
    spent.participate(report.header().round());
    event.setCentralSpend(participation.toProto());
  }

  /**
   * Erases an account: its totals over all models stay, and no later account of its user is less.
   * The charges of the newest window count on the day of the erasure.
   */
  public AccountingEvent erase(Received.Erasure erasure, UserAccount account) {
    Charges charges = new Charges(perUser, account, erasure.source());
    charges.erase();
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(erasure.userId())
            .setOutcome(Outcome.ERASED)
            .setReason("the operator erased the account: its totals stay, without their history")
            .setSource(position(erasure.source()))
            .setAppendedAtMs(erasure.source().appendedAtMs());
    charges.record(event);
    return event.setSpent(NOTHING).build();
  }

  /**
   * Judges a report to a model that doesn't exist, or was retired. Nothing is stored under its
   * name, since a sender can invent any name.
   */
  public AccountingEvent judgeUnknownModel(Report report, UserAccount account) {
    return refuse(report, account, UNKNOWN_MODEL);
  }

  /** Judges a report of a user who is stopped, to any model. Its number counts as used. */
  public AccountingEvent judgeStopped(Report report, UserAccount account) {
    return refuse(report, account, STOPPED);
  }

  private AccountingEvent refuse(Report report, UserAccount account, Judgement refusal) {
    AccountingEvent.Builder event = event(report);
    Judgement judgement = judgeSequence(report, account, event).then(() -> refusal);
    event.setOutcome(judgement.outcome()).setReason(judgement.reason());
    return settle(
        event,
        DeclaredCost.of(report.mechanism().cost()),
        new Charges(perUser, account, report.source()));
  }

  /** A copy of a granted request doesn't use its number again, whatever that is. */
  private static Judgement judgeNumber(
      Report report, AdmissionRules rules, UserAccount account, AccountingEvent.Builder event) {
    if (rules.tokens().isGranted(report, account)) {
      event.setHighestSequence(account.window(report.header().deviceId()).highest);
      return DUPLICATE;
    }
    return judgeSequence(report, account, event);
  }

  /** Judges the number, and records the device's highest where the number doesn't imply it. */
  private static Judgement judgeSequence(
      Report report, UserAccount account, AccountingEvent.Builder event) {
    long sequence = report.header().sequence();
    DeviceWindow window = account.window(report.header().deviceId());
    long highest = window.highest;
    Verdict verdict = window.judge(sequence, report.digest());
    if (verdict == Verdict.FRESH) {
      account.storeWindow(window);
    }
    boolean isRefused = verdict != Verdict.FRESH && verdict != Verdict.DUPLICATE;
    if (isRefused || window.highest != sequence) {
      event.setHighestSequence(window.highest);
    }
    return switch (verdict) {
      case FRESH -> Judgement.ADMITTED;
      case DUPLICATE -> DUPLICATE;
      case CONFLICT ->
          refusedSequence(
              sequence,
              ", which was used for other bytes: a resend must repeat the bytes, and a new"
                  + " report must take the next number");
      case TOO_OLD ->
          refusedSequence(
              sequence,
              ": it must be at least " + window.least() + ", since " + highest + " was judged");
      case JUMP ->
          refusedSequence(
              sequence,
              ": it must be at most "
                  + (highest + DeviceWindow.MAX_JUMP)
                  + ", since the highest judged is "
                  + highest);
    };
  }

  private static Judgement refusedSequence(long sequence, String why) {
    return new Judgement(Outcome.REFUSED_SEQUENCE, "sequence is " + sequence + why);
  }

  /** Charges what the outcome requires, and records the resulting totals in the event. */
  private static AccountingEvent settle(
      AccountingEvent.Builder event, DeclaredCost cost, Charges charges) {
    boolean charged = AccountingEvents.isCharged(event);
    if (charged) {
      charges.charge(cost.totals());
    }
    charges.record(event);
    return event.setSpent(charged ? cost.spend() : NOTHING).build();
  }

  /** Creates the event of a report, without its outcome. */
  private static AccountingEvent.Builder event(Report report) {
    Header header = report.header();
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(header.userId())
            .setDeviceId(header.deviceId())
            .setModelId(header.modelId())
            .setSequence(header.sequence())
            .setSource(position(report.source()));
    TokenGrants.describe(report, event);
    Declarations.declare(report.mechanism(), event);
    return event;
  }

  private static Position.Builder position(Source source) {
    return Position.newBuilder()
        .setTopic(source.topic())
        .setPartition(source.partition())
        .setOffset(source.offset());
  }
}
