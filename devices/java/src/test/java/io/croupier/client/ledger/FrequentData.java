package io.croupier.client.ledger;

import io.croupier.client.randomiser.Randomiser;

/** Data of tests that are about something else, and report them often. */
public final class FrequentData {
  public static final DataKey KEY = DataKey.of("frequent").times(Integer.MAX_VALUE);

  private FrequentData() {}

  /** Releases a report of so many bytes to the model "m", and returns its number. */
  public static long release(LocalLedger ledger, Randomiser noise, int bytes) {
    return ledger.release("m", KEY, noise.cost(), sequence -> new byte[bytes]).sequence();
  }
}
