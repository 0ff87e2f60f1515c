package io.croupier.cli.account;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.operators.accounting.AccountRebuild;
import io.croupier.operators.accounting.Totals;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Spend;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Everybody's accounts, added up from what reports declared: by the ledger's rules, but from
 * nothing that it added up. What events say of costs and totals is compared with that.
 */
final class RecomputedAccounts {
  private static final int MISMATCHES = 20;
  private static final JsonFormat.Printer JSON =
      JsonFormat.printer().omittingInsignificantWhitespace();

  private final Map<String, RecomputedAccount> accounts = new HashMap<>();
  private final List<String> mismatches = new ArrayList<>();
  private long mismatched;
  private long events;

  /**
   * Adds what a ledger judged. What an event doesn't tell, as one of an older ledger, is not held
   * against it, unless it tells no cost or no total at all.
   *
   * @param place where the event stands, in words
   */
  void addEvent(AccountingEvent event, String place) {
    RecomputedAccount recomputedAccount = recomputedAccount(event.getUserId());
    long before = recomputedAccount.userTotals().reports;
    boolean agrees;
    try {
      agrees =
          AccountRebuild.apply(event, recomputedAccount)
              && event.hasSpent()
              && event.hasUserTotals();
    } catch (IllegalArgumentException e) {
      throw new InputException(place + ": " + e.getMessage(), e);
    }
    events++;
    if (recomputedAccount.userTotals().reports > before) {
      recomputedAccount.count(event);
    }
    if (!agrees && ++mismatched <= MISMATCHES) {
      mismatches.add(mismatch(event, recomputedAccount, place));
    }
  }

  /** Adds reports that declare the same. */
  void addDeclared(AccountingEvent event, long count) {
    RecomputedAccount recomputedAccount = recomputedAccount(event.getUserId());
    for (long i = 0; i < count; i++) {
      AccountRebuild.apply(event, recomputedAccount);
      recomputedAccount.count(event);
    }
  }

  /** Adds mechanisms of which only a rho is known. */
  void addRho(String userId, String modelId, BigDecimal rho, long count) {
    for (long i = 0; i < count; i++) {
      recomputedAccount(userId).addRho(modelId, rho);
    }
  }

  private RecomputedAccount recomputedAccount(String userId) {
    return accounts.computeIfAbsent(userId, id -> new RecomputedAccount());
  }

  private static String mismatch(
      AccountingEvent event, RecomputedAccount recomputedAccount, String place) {
    String text =
        "%s: user %s, model %s, sequence %d, %s: spent %s; of the user %s, by the declarations %s"
            .formatted(
                place,
                event.getUserId(),
                event.getModelId(),
                event.getSequence(),
                event.getOutcome(),
                json(event.getSpent()),
                json(event.getUserTotals()),
                json(recomputedAccount.userTotals()));
    return event.hasModelTotals()
        ? "%s; of the model %s, by the declarations %s"
            .formatted(
                text,
                json(event.getModelTotals()),
                json(recomputedAccount.modelTotals(event.getModelId())))
        : text;
  }

  private static String json(Totals totals) {
    return json(totals.toProto().build());
  }

  private static String json(Spend spend) {
    try {
      return JSON.print(spend);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a message without Any has a JSON form", e);
    }
  }

  /** The account of each user. */
  Map<String, RecomputedAccount> all() {
    return accounts;
  }

  /** How many events a ledger told; 0: there were declarations only. */
  long events() {
    return events;
  }

  /** How many of the events tell other costs or totals than their declarations add up to. */
  long mismatched() {
    return mismatched;
  }

  /** The first of them, in words. */
  List<String> mismatches() {
    return mismatches;
  }
}
