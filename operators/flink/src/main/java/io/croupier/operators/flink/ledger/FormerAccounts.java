package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.restart.RefusedStartException;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;

/** Accounts in the states of release 0.1.0, which only release 0.2.0 moves to the present ones. */
final class FormerAccounts {
  /** All charges are in the user's totals, and every device has a window. */
  private static final List<String> STATES =
      List.of(StateNames.USER_TOTALS, StateNames.REPLAY_WINDOWS);

  private FormerAccounts() {}

  /**
   * Requires that no user's account is in these states. Release 0.2.0 leaves them empty where all
   * users have reported since; Flink keeps the empty states.
   *
   * @throws RefusedStartException if one is
   */
  static void requireNone(KeyedStateBackend<?> restored) {
    for (String state : STATES) {
      try (Stream<?> users = restored.getKeys(state, VoidNamespace.INSTANCE)) {
        if (users.findAny().isPresent()) {
          throw new RefusedStartException(
              "The restored state contains accounts in the format of release 0.1.0, which this"
                  + " release doesn't read: it would forget what their users have spent. Restore the"
                  + " state with release 0.2.0, which changes an account's format with its user's"
                  + " next report, and take a savepoint when all users have reported. If some don't"
                  + " report any more, start without state and with --rebuild-ledger, which adds up"
                  + " the accounts on the accounting topic");
        }
      }
    }
  }
}
