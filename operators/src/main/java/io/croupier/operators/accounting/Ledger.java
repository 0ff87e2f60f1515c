package io.croupier.operators.accounting;

import io.croupier.operators.accounting.ReplayWindow.Verdict;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Central;
import io.croupier.schemas.CoordinateLaplaceTotal;
import io.croupier.schemas.Gaussian;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Position;
import io.croupier.schemas.Undisclosed;

/**
 * Judges reports and charges for them: one event for every well-formed report. In this order, the
 * first that fails decides:
 *
 * <ol>
 *   <li>the replay window: DUPLICATE, or REFUSED_SEQUENCE, also for one device too many;
 *   <li>the model is known: REFUSED_UNKNOWN_MODEL;
 *   <li>form and dimension: REFUSED_DIMENSION;
 *   <li>the declaration: REFUSED_DECLARATION;
 *   <li>the length: REFUSED_IMPLAUSIBLE.
 * </ol>
 *
 * <p>Noise that has left the device is spent: a noised report is charged whatever its outcome, to
 * the user's totals and, if the model is known, to the model's. Free are duplicates, since their
 * first copy was charged, and refused central reports, since nothing of them is ever used.
 */
public final class Ledger {
  /** Most devices of one user. */
  public static final int MAX_DEVICES = 16;

  /** Creates a ledger. It has no state: that is the caller's. */
  public Ledger() {}

  /** Judges a report to a known model, and updates {@code account}. */
  public AccountingEvent judge(Report report, ModelTerms terms, UserAccount account) {
    Judgement judgement = judgeSequence(report, account);
    if (judgement.isAdmitted()) {
      judgement = terms.judge(report);
    }
    Totals cost = cost(report, judgement);
    Totals modelTotals = account.modelTotals(report.modelId);
    if (cost.reports > 0) {
      modelTotals.add(cost);
      account.storeModelTotals(report.modelId, modelTotals);
    }
    return event(report, judgement, cost, account).setModelTotals(modelTotals.toProto()).build();
  }

  /**
   * Judges a report to a model that doesn't exist, or no longer. Nothing is stored under a name
   * that anybody can make up.
   */
  public AccountingEvent judgeUnknownModel(Report report, UserAccount account) {
    Judgement judgement = judgeSequence(report, account);
    if (judgement.isAdmitted()) {
      judgement =
          new Judgement(
              Outcome.REFUSED_UNKNOWN_MODEL, "model_id must name a model that is published");
    }
    return event(report, judgement, cost(report, judgement), account).build();
  }

  private static Judgement judgeSequence(Report report, UserAccount account) {
    ReplayWindow window = account.window(report.deviceId);
    if (window.isNew() && account.devices() >= MAX_DEVICES) {
      return refusedSequence(
          "the user has "
              + MAX_DEVICES
              + " devices, the most there may be: it must be one of them");
    }
    long highest = window.highest;
    Verdict verdict = window.judge(report.sequence, report.digestHigh, report.digestLow);
    if (verdict == Verdict.FRESH) {
      account.storeWindow(report.deviceId, window);
    }
    String sequence = "sequence is " + report.sequence;
    return switch (verdict) {
      case FRESH -> Judgement.ADMITTED;
      case DUPLICATE ->
          new Judgement(Outcome.DUPLICATE, "these bytes were judged before: they cost nothing");
      case CONFLICT ->
          refusedSequence(
              sequence
                  + ", which was used for other bytes: a resend must repeat the bytes, and a new"
                  + " report must take the next number");
      case TOO_OLD ->
          refusedSequence(
              sequence
                  + ": it must be at least "
                  + (highest - ReplayWindow.WIDTH + 1)
                  + ", since "
                  + highest
                  + " was judged");
      case JUMP ->
          refusedSequence(
              sequence
                  + ": it must be at most "
                  + (highest + ReplayWindow.MAX_JUMP)
                  + ", since the highest judged is "
                  + highest);
    };
  }

  private static Judgement refusedSequence(String reason) {
    return new Judgement(Outcome.REFUSED_SEQUENCE, reason);
  }

  private static Totals cost(Report report, Judgement judgement) {
    boolean free =
        judgement.outcome() == Outcome.DUPLICATE
            || (report.declaration == Declaration.CENTRAL && !judgement.isAdmitted());
    return free ? new Totals() : Costs.of(report);
  }

  private static AccountingEvent.Builder event(
      Report report, Judgement judgement, Totals cost, UserAccount account) {
    Totals userTotals = account.userTotals();
    if (cost.reports > 0) {
      userTotals.add(cost);
      account.storeUserTotals(userTotals);
    }
    AccountingEvent.Builder event =
        AccountingEvent.newBuilder()
            .setUserId(report.userId)
            .setDeviceId(report.deviceId)
            .setModelId(report.modelId)
            .setSequence(report.sequence)
            .setOutcome(judgement.outcome())
            .setReason(judgement.reason())
            .setSpent(cost.toProto())
            .setUserTotals(userTotals.toProto())
            .setSource(
                Position.newBuilder()
                    .setTopic(report.topic)
                    .setPartition(report.partition)
                    .setOffset(report.offset));
    declare(report, event);
    return event;
  }

  private static void declare(Report report, AccountingEvent.Builder event) {
    switch (report.declaration) {
      case UNDISCLOSED -> event.setUndisclosed(Undisclosed.getDefaultInstance());
      case L2_LAPLACE -> event.setL2Laplace(L2Laplace.newBuilder().setEpsilon(report.level));
      case COORDINATE_LAPLACE ->
          event.setCoordinateLaplace(
              CoordinateLaplaceTotal.newBuilder()
                  .setEpsilon(DecimalUnits.toDouble(Costs.sumOfFiniteTaus(report.taus), 9))
                  .setNotPrivate(Costs.infiniteTaus(report.taus)));
      case GAUSSIAN -> event.setGaussian(Gaussian.newBuilder().setMu(report.level));
      case CENTRAL -> event.setCentral(Central.getDefaultInstance());
    }
  }
}
