package io.croupier.cli.account;

import io.croupier.accounting.tree.GivenOrder;
import io.croupier.operators.ledger.AccountRebuild;
import io.croupier.operators.ledger.UserAccount;
import io.croupier.schemas.AccountingEvent;

/** Gives other test packages access to accounts and their readers. */
public final class EventReading {
  private EventReading() {}

  /** Applies an event twice to a new account. */
  public static void rebuild(AccountingEvent event) {
    RecomputedAccount recomputedAccount = new RecomputedAccount();
    AccountRebuild.apply(event, recomputedAccount);
    AccountRebuild.apply(event, recomputedAccount);
  }

  /** A new account. */
  public static UserAccount account() {
    return new RecomputedAccount();
  }

  /** Reads a file of events and declarations. */
  public static void declared(String file) {
    new DeclarationReader(new RecomputedAccounts()).read(file);
  }

  /** Reads a file with the participants of each step. */
  public static void order(String file) {
    new OrderFile(file).read(GivenOrder.ofOneTree());
  }
}
