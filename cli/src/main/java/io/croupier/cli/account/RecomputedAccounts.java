package io.croupier.cli.account;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.operators.ledger.AccountRebuild;
import io.croupier.operators.ledger.Totals;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.Spend;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The accounts of all users, recomputed by the ledger's rules from the declarations of reports
 * alone, and compared with the costs and totals in accounting events.
 */
final class RecomputedAccounts {
  private static final JsonFormat.Printer JSON =
      JsonFormat.printer().omittingInsignificantWhitespace();

  private final Map<String, RecomputedAccount> accounts = new HashMap<>();
  private final AnonymousTotals anonymous = new AnonymousTotals();
  private final Mismatches mismatches = new Mismatches();
  private long events;

  /**
   * Adds an event of a ledger and compares its costs and totals. Fields that events of older
   * ledgers lack are not counted as mismatches; an event without any cost or without any total is.
   *
   * @param place of the event, for messages
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
      boolean isReport = event.getOutcome() != AccountingEvent.Outcome.ERASED;
      if (isReport && recomputedAccount.userTotals().reports > before) {
        recomputedAccount.count(event);
      }
    } catch (IllegalArgumentException e) {
      throw new InputException(place + ": " + e.getMessage(), e);
    }
    anonymous.addEvent(event);
    events++;
    if (!agrees) {
      mismatches.add(() -> mismatch(event, recomputedAccount, place));
    }
  }

  /** Forgets a user whose totals an erasure has deleted: a later event begins a new account. */
  void forget(String userId) {
    accounts.remove(userId);
    anonymous.forget(userId);
  }

  /** Adds {@code count} reports with the same declaration. */
  void addDeclared(AccountingEvent event, long count) {
    RecomputedAccount recomputedAccount = recomputedAccount(event.getUserId());
    for (long i = 0; i < count; i++) {
      AccountRebuild.apply(event, recomputedAccount);
      recomputedAccount.count(event);
    }
  }

  /** Adds {@code count} mechanisms with a zCDP guarantee of rho. */
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
        "%s: user %s, model %s, sequence %d, %s: spent %s; totals of the user %s, recomputed %s"
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
        ? "%s; totals of the model %s, recomputed %s"
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

  /** What the anonymous windows of all users guarantee. */
  AnonymousTotals anonymous() {
    return anonymous;
  }

  /** The number of accounting events; 0 if the input contained only declarations. */
  long events() {
    return events;
  }

  /** The number of events whose costs or totals differ from the recomputed ones. */
  long mismatched() {
    return mismatches.count();
  }

  /** A line that counts them, and what is wrong with the first of them; or nothing. */
  List<String> mismatches() {
    return mismatches.lines(
        events, "events have costs or totals that differ from those of their declarations");
  }
}
