package io.croupier.client;

import io.croupier.schemas.Account;

/**
 * The job refuses this person's reports: its limits leave too little, which other devices of the
 * person may have spent, or it refused this device's last report, or has judged later ones than
 * this device's ledger has. No noise was drawn, and no privacy is spent.
 */
public final class JobRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Account account;

  JobRefusedException(String message, Account account) {
    super(message);
    this.account = account;
  }

  /** What the job answered. */
  public Account account() {
    return account;
  }
}
