package io.croupier.simulation;

import io.croupier.operators.ledger.AccountStatement;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.schemas.Account;
import io.croupier.schemas.Limits;
import java.util.List;

/** An account that is the sum of visible events. */
final class ReferenceAccount extends HeapAccount {
  private static final AccountStatement STATEMENT =
      new AccountStatement(Limits.getDefaultInstance());

  /** What it contains now, without limits. */
  Account stated() {
    return STATEMENT.of(new byte[0], account, List.of(), modelId -> null, 0);
  }
}
