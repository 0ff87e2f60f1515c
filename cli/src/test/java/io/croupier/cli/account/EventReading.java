package io.croupier.cli.account;

import io.croupier.operators.accounting.AccountRebuild;
import io.croupier.schemas.AccountingEvent;

/** Reads events into the account of their user. */
public final class EventReading {
  private EventReading() {}

  /** Applies an event twice to an account that was new. */
  public static void rebuild(AccountingEvent event) {
    Book book = new Book();
    AccountRebuild.apply(event, book);
    AccountRebuild.apply(event, book);
  }
}
