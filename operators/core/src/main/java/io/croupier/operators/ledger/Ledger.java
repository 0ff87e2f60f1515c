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
import io.croupier.schemas.Window;
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
    DeclaredCost declared = rules.cost(report.mechanism());
    String modelId = report.header().modelId();
    Totals spent = account.modelTotals(modelId);
    Spending onModel = onModel(report, rules, spent, account);
    Spending onAll = onAllModels(report.source(), account);
    AccountingEvent.Builder event = event(report);
    rules.recordGrid(report.mechanism(), event);
    Judgement judgement =
        judgeNumber(report, rules, account, event)
            .then(() -> rules.judge(report, declared.cost(), perUser))
            .then(() -> rules.judgeSender(report, spent, account));
    Optional<Participation> participation =
        judgement.isAdmitted() ? rules.participation(report, spent, account) : Optional.empty();
    DeclaredCost cost = participation.map(part -> DeclaredCost.of(part.cost())).orElse(declared);
    judgement =
        judgement
            .then(() -> onModel.judge(cost.totals()))
            .then(() -> onAll.judge(cost.totals()))
            .then(() -> rules.tokens().admitted(report));
    event.setOutcome(judgement.outcome()).setReason(judgement.reason());
    boolean charged = AccountingEvents.isCharged(event);
    if (charged) {
      onModel.charge(cost.totals());
      rules.tokens().grant(report, account);
      participation.ifPresent(part -> store(part, report, spent, account, event));
      account.storeModelTotals(modelId, spent);
      if (onModel.hasNewDays()) {
        account.storeModelDays(modelId, onModel.days());
      }
    }
    recordModel(report, rules, onModel, account, event);
    return charge(event, charged, cost, onAll, report, account);
  }

  private static Spending onModel(
      Report report, AdmissionRules rules, Totals spent, UserAccount account) {
    return new Spending(
        rules.budget(),
        spent,
        account.modelDays(report.header().modelId()),
        report.source().appendedAtMs());
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

  /** Records the totals on the model, what its limits leave, and the user's last token. */
  private static void recordModel(
      Report report,
      AdmissionRules rules,
      Spending onModel,
      UserAccount account,
      AccountingEvent.Builder event) {
    rules.tokens().record(report.header().modelId(), account, event);
    Spend recorded = onModel.toProto().build();
    event.setModelTotals(recorded);
    if (onModel.hasWindow()) {
      Window window = onModel.window();
      recorded = window.getTotals();
      event.setModelWindow(window).setAppendedAtMs(report.source().appendedAtMs());
    }
    if (onModel.isLimited()) {
      event.setLeftModel(onModel.left(recorded));
    }
  }

  /**
   * Erases an account: its totals over all models stay, and no later account of its user is less.
   * The charges of the newest window count on the day of the erasure.
   */
  public AccountingEvent erase(Received.Erasure erasure, UserAccount account) {
    Spending onAll = onAllModels(erasure.source(), account);
    account.erase(onAll.daysOnOne());
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(erasure.userId())
            .setOutcome(Outcome.ERASED)
            .setReason("the operator erased the account: its totals stay, without their history")
            .setSource(position(erasure.source()))
            .setAppendedAtMs(erasure.source().appendedAtMs());
    record(event, onAll);
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
    return charge(
        event,
        AccountingEvents.isCharged(event),
        DeclaredCost.of(report.mechanism().cost()),
        onAllModels(report.source(), account),
        report,
        account);
  }

  private Spending onAllModels(Source source, UserAccount account) {
    return new Spending(perUser, account.userTotals(), account.userDays(), source.appendedAtMs());
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

  /** Charges the user, and records the resulting totals in the event. */
  private AccountingEvent charge(
      AccountingEvent.Builder event,
      boolean charged,
      DeclaredCost cost,
      Spending onAll,
      Report report,
      UserAccount account) {
    if (charged) {
      onAll.charge(cost.totals());
      account.storeUserTotals(onAll.all());
      if (onAll.hasNewDays()) {
        account.storeUserDays(onAll.days());
      }
    }
    record(event, onAll);
    if (onAll.hasWindow()) {
      event.setAppendedAtMs(report.source().appendedAtMs());
    }
    return event.setSpent(charged ? cost.spend() : NOTHING).build();
  }

  /** Records the totals over all models and what the limits leave. */
  private static void record(AccountingEvent.Builder event, Spending onAll) {
    Spend recorded = onAll.toProto().build();
    event.setUserTotals(recorded);
    if (onAll.hasWindow()) {
      Window window = onAll.window();
      recorded = window.getTotals();
      event.setUserWindow(window);
    }
    if (onAll.isLimited()) {
      event.setLeftUser(onAll.left(recorded));
    }
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
