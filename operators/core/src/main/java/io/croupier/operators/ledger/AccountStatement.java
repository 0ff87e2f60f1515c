package io.croupier.operators.ledger;

import com.google.protobuf.ByteString;
import io.croupier.schemas.Account;
import io.croupier.schemas.Limits;
import java.util.function.Function;

/**
 * States a user's account, for the user: what is spent and left, and what was refused. It changes
 * nothing. Not safe for use by several threads.
 */
public final class AccountStatement {
  /**
   * An upper bound on the size of a statement as a record, including its key; a topic that accepts
   * records of this size accepts every statement.
   */
  public static final int MAX_BYTES = 1 << 17;

  /** The most models in a statement, so that its size is bounded. */
  static final int MODELS = 100;

  private static final Budget NO_LIMITS = new Budget("", Limits.getDefaultInstance());

  private final Limits limits;
  private final Budget perUser;

  /**
   * Creates statements.
   *
   * @param perUser limits on what one user may spend on all models together
   */
  public AccountStatement(Limits perUser) {
    limits = perUser;
    this.perUser = new Budget("limits.user.", perUser);
  }

  /**
   * Returns the statement of an account.
   *
   * @param tag of the request
   * @param further the models that the account has no room for
   * @param rules of a model; null if it is not published
   * @param asOfMs when the broker appended the request
   */
  public Account of(
      byte[] tag,
      StoredAccount account,
      Iterable<ModelAccount> further,
      Function<String, AdmissionRules> rules,
      long asOfMs) {
    Spending onAll = spending(perUser, account.totals, account.days, asOfMs);
    Account.Builder statement =
        Account.newBuilder().setTag(ByteString.copyFrom(tag)).setAsOfMs(asOfMs);
    onAll.record(statement::setSpent, statement::setWindow, statement::setLeft);
    if (onAll.isLimited()) {
      statement.setLimits(limits);
    }
    if (account.erased != null) {
      statement.setErased(true);
    }
    for (ModelAccount model : account.models) {
      statement.addModels(onModel(model, rules.apply(model.modelId), asOfMs));
    }
    for (ModelAccount model : further) {
      if (statement.getModelsCount() < MODELS) {
        statement.addModels(onModel(model, rules.apply(model.modelId), asOfMs));
      }
    }
    for (DeviceWindow window : account.windows) {
      statement.addDevicesBuilder().setDeviceId(window.deviceId).setHighestSequence(window.highest);
    }
    for (Refusal refusal : account.refusals) {
      statement.addRefusals(refusal.toProto());
    }
    return statement.build();
  }

  private static Account.OnModel onModel(ModelAccount model, AdmissionRules rules, long asOfMs) {
    Budget budget = rules == null ? NO_LIMITS : rules.budget();
    Spending spending = spending(budget, model.totals, model.days, asOfMs);
    Account.OnModel.Builder onModel = Account.OnModel.newBuilder().setModelId(model.modelId);
    spending.record(onModel::setSpent, onModel::setWindow, onModel::setLeft);
    if (spending.isLimited()) {
      onModel.setLimits(rules.spec().getLimits());
    }
    return onModel.build();
  }

  private static Spending spending(Budget budget, Totals totals, DailyTotals days, long asOfMs) {
    return new Spending(budget, totals, days == null ? DailyTotals.NONE : days, asOfMs);
  }
}
