package io.croupier.operators.flink.ledger;

import java.util.concurrent.Callable;
import org.apache.flink.util.FlinkRuntimeException;

/** Accesses to keyed state, whose exceptions are checked ones. */
final class StateAccess {
  private StateAccess() {}

  /** A change of state. */
  interface Write {
    void run() throws Exception;
  }

  static <T> T read(Callable<T> state) {
    try {
      return state.call();
    } catch (Exception e) {
      throw new FlinkRuntimeException("The ledger's state can't be read", e);
    }
  }

  static void write(Write state) {
    try {
      state.run();
    } catch (Exception e) {
      throw new FlinkRuntimeException("The ledger's state can't be written", e);
    }
  }
}
