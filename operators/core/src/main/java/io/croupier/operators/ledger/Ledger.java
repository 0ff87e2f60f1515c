package io.croupier.operators.ledger;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.ledger.DeviceWindow.Verdict;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
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
 * first copy was charged, and so are refused central reports, since they are never used. An
 * admitted central report is charged for its participation in the round before it is used; the
 * charge stays if the learner drops it.
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

  private static final Judgement GRANTED = new Judgement(Outcome.GRANTED, "");

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
    Mechanism mechanism = Declaration.of(report);
    DeclaredCost declared = rules.cost(mechanism);
    AccountingEvent.Builder event = event(report, mechanism);
    rules.recordGrid(mechanism, event);
    boolean isRequest = report.form == VectorForm.TOKEN;
    Judgement judgement =
        isRequest && isGranted(report, rules, account)
            ? duplicateRequest(report, account, event)
            : judgeSequence(report, account, event);
    if (judgement.isAdmitted()) {
      judgement = rules.judge(report, mechanism, declared.cost(), perUser);
    }
    Totals modelTotals = account.modelTotals(report.modelId);
    Spending onModel =
        new Spending(
            rules.budget(), modelTotals, account.modelDays(report.modelId), report.appendedAtMs);
    Spending onAll = onAllModels(report, account);
    if (judgement.isAdmitted()) {
      judgement =
          isRequest
              ? rules.judgeToken(report, account.token(report.modelId), account.isErased())
              : rules.judgeParticipation(report, modelTotals, account.isErased());
    }
    Optional<Participation> participation =
        judgement.isAdmitted()
            ? rules.participation(report, modelTotals, account)
            : Optional.empty();
    DeclaredCost cost = participation.map(part -> DeclaredCost.of(part.cost())).orElse(declared);
    if (judgement.isAdmitted()) {
      judgement = onModel.judge(cost.totals());
    }
    if (judgement.isAdmitted()) {
      judgement = onAll.judge(cost.totals());
    }
    if (isRequest) {
      judgement = judgement.isAdmitted() ? GRANTED : judgement;
    }
    event.setOutcome(judgement.outcome()).setReason(judgement.reason());
    boolean charged = isCharged(report, judgement);
    if (charged) {
      onModel.charge(cost.totals());
      if (isRequest) {
        account.storeToken(report.modelId, new TokenRecord(rules.tokenWindow(report), report.tag));
      }
      if (participation.isPresent()) {
        participation.get().store(account, report.modelId);
        modelTotals.participate(report.round);
        event.setCentralSpend(participation.get().toProto());
      }
      account.storeModelTotals(report.modelId, modelTotals);
      if (onModel.hasNewDays()) {
        account.storeModelDays(report.modelId, onModel.days());
      }
    }
    if (rules.hasTokens() && account.token(report.modelId) != TokenRecord.NONE) {
      event.setLastTokenWindow(account.token(report.modelId).window());
    }
    Spend recorded = onModel.toProto().build();
    event.setModelTotals(recorded);
    if (onModel.hasWindow()) {
      Window window = onModel.window();
      recorded = window.getTotals();
      event.setModelWindow(window).setAppendedAtMs(report.appendedAtMs);
    }
    if (onModel.isLimited()) {
      event.setLeftModel(onModel.left(recorded));
    }
    return charge(event, charged, cost, onAll, report, account);
  }

  /**
   * Erases an account: its totals over all models stay, and no later account of its user is less.
   * The charges of the newest window count on the day of the erasure.
   */
  public AccountingEvent erase(Report erasure, UserAccount account) {
    Spending onAll = onAllModels(erasure, account);
    account.erase(onAll.daysOnOne());
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(erasure.userId)
            .setOutcome(Outcome.ERASED)
            .setReason("the operator erased the account: its totals stay, without their history")
            .setSource(source(erasure))
            .setAppendedAtMs(erasure.appendedAtMs);
    record(event, onAll);
    return event.setSpent(NOTHING).build();
  }

  /**
   * Judges a report to a model that doesn't exist, or was retired. Nothing is stored under its
   * name, since a sender can invent any name.
   */
  public AccountingEvent judgeUnknownModel(Report report, UserAccount account) {
    Mechanism mechanism = Declaration.of(report);
    AccountingEvent.Builder event = event(report, mechanism);
    Judgement judgement = judgeSequence(report, account, event);
    if (judgement.isAdmitted()) {
      judgement =
          new Judgement(
              Outcome.REFUSED_UNKNOWN_MODEL, "model_id must name a model that is published");
    }
    return charge(
        event.setOutcome(judgement.outcome()).setReason(judgement.reason()),
        isCharged(report, judgement),
        DeclaredCost.of(mechanism.cost()),
        onAllModels(report, account),
        report,
        account);
  }

  /**
   * Returns whether the user is charged for the token that a request asks for: by the request, if
   * it was judged, or by an earlier copy of it.
   */
  public static boolean isGranted(Report request, AdmissionRules rules, UserAccount account) {
    return account.token(request.modelId).isOf(rules.tokenWindow(request), request.tag);
  }

  private Spending onAllModels(Report report, UserAccount account) {
    return new Spending(perUser, account.userTotals(), account.userDays(), report.appendedAtMs);
  }

  /** Judges the number, and records the device's highest where the number doesn't imply it. */
  private static Judgement judgeSequence(
      Report report, UserAccount account, AccountingEvent.Builder event) {
    DeviceWindow window = account.window(report.deviceId);
    long highest = window.highest;
    Verdict verdict = window.judge(report.sequence, report.digest);
    if (verdict == Verdict.FRESH) {
      account.storeWindow(window);
    }
    boolean isRefused = verdict != Verdict.FRESH && verdict != Verdict.DUPLICATE;
    if (isRefused || window.highest != report.sequence) {
      event.setHighestSequence(window.highest);
    }
    return switch (verdict) {
      case FRESH -> Judgement.ADMITTED;
      case DUPLICATE -> DUPLICATE;
      case CONFLICT ->
          refusedSequence(
              report,
              ", which was used for other bytes: a resend must repeat the bytes, and a new"
                  + " report must take the next number");
      case TOO_OLD ->
          refusedSequence(
              report,
              ": it must be at least " + window.least() + ", since " + highest + " was judged");
      case JUMP ->
          refusedSequence(
              report,
              ": it must be at most "
                  + (highest + DeviceWindow.MAX_JUMP)
                  + ", since the highest judged is "
                  + highest);
    };
  }

  /** A copy of a request doesn't use its number again, whatever that is. */
  private static Judgement duplicateRequest(
      Report request, UserAccount account, AccountingEvent.Builder event) {
    event.setHighestSequence(account.window(request.deviceId).highest);
    return DUPLICATE;
  }

  private static Judgement refusedSequence(Report report, String why) {
    return new Judgement(Outcome.REFUSED_SEQUENCE, "sequence is " + report.sequence + why);
  }

  private static boolean isCharged(Report report, Judgement judgement) {
    return AccountingEvents.isCharged(
        judgement.outcome(),
        report.declaration == Declaration.CENTRAL || report.form == VectorForm.TOKEN);
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
      event.setAppendedAtMs(report.appendedAtMs);
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
  private static AccountingEvent.Builder event(Report report, Mechanism mechanism) {
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(report.userId)
            .setDeviceId(report.deviceId)
            .setModelId(report.modelId)
            .setSequence(report.sequence)
            .setSource(source(report));
    if (report.form == VectorForm.TOKEN) {
      event.setTokenRound(report.round);
    }
    Declarations.declare(mechanism, event);
    return event;
  }

  private static Position.Builder source(Report report) {
    return Position.newBuilder()
        .setTopic(report.topic)
        .setPartition(report.partition)
        .setOffset(report.offset);
  }
}
