package io.croupier.operators.ledger;

import io.croupier.operators.ledger.DeviceWindow.Verdict;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.TokenContent;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Limits;
import io.croupier.schemas.Position;

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
    AccountingEvent.Builder event = event(report);
    TokenGrants tokens = rules.tokens();
    tokens.record(report.header().modelId(), account, event);
    Judgement judgement =
        judgeNumber(report, tokens.isGranted(report, account), account, event)
            .then(() -> tokens.judgeFields(report));
    AccountClaim claim = rules.judge(report, judgement, perUser, account);
    Charges charges = new Charges(perUser, account, report.source());
    charges.settle(claim, rules.budget(), event);
    return event.build();
  }

  /**
   * Erases an account: its totals over all models stay, and no later account of its user is less.
   * The charges of the newest window count on the day of the erasure.
   */
  public AccountingEvent erase(Received.Erasure erasure, UserAccount account) {
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(erasure.userId())
            .setOutcome(Outcome.ERASED)
            .setReason("the operator erased the account: its totals stay, without their history")
            .setSource(position(erasure.source()));
    new Charges(perUser, account, erasure.source()).erase(event);
    return event.build();
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
    Judgement judgement = judgeNumber(report, false, account, event).then(() -> refusal);
    AccountClaim claim = new AccountClaim(judgement, DeclaredCost.of(report.mechanism().cost()));
    new Charges(perUser, account, report.source()).settle(claim, null, event);
    return event.build();
  }

  /**
   * Judges the number, and records the device's highest where the number doesn't imply it.
   *
   * @param isGranted whether the report is a copy of a granted request, which doesn't use its
   *     number again, whatever that is
   */
  private static Judgement judgeNumber(
      Report report, boolean isGranted, UserAccount account, AccountingEvent.Builder event) {
    long sequence = report.header().sequence();
    DeviceWindow window = account.window(report.header().deviceId());
    long highest = window.highest;
    Verdict verdict = isGranted ? Verdict.DUPLICATE : window.judge(sequence, report.digest());
    if (verdict == Verdict.FRESH) {
      account.storeWindow(window);
    }
    boolean isRefused = verdict != Verdict.FRESH && verdict != Verdict.DUPLICATE;
    if (isGranted || isRefused || window.highest != sequence) {
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
    if (report.content() instanceof TokenContent) {
      event.setTokenRound(header.round());
    }
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
