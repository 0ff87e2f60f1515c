package io.croupier.cli.account;

import io.croupier.accounting.tree.GivenOrder;
import io.croupier.operators.accounting.AccountRebuild;
import io.croupier.operators.accounting.UserAccount;
import io.croupier.schemas.AccountingEvent;

/** Reads what accounts are made of. */
public final class EventReading {
  private EventReading() {}

  /** Applies an event twice to an account that was new. */
  public static void rebuild(AccountingEvent event) {
    RecomputedAccount recomputedAccount = new RecomputedAccount();
    AccountRebuild.apply(event, recomputedAccount);
    AccountRebuild.apply(event, recomputedAccount);
  }

  /** An account that is new. */
  public static UserAccount account() {
    return new RecomputedAccount();
  }

  /** Reads a file of events and declarations. */
  public static void declared(String file) {
    new DeclarationReader(new RecomputedAccounts()).read(file);
  }

  /** Reads a file of who takes part in which step. */
  public static void order(String file) {
    new OrderFile(file).read(GivenOrder.ofOneTree());
  }
}
