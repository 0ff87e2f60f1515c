package io.croupier.client.ledger;

/** Data of tests that are about something else, and report them often. */
public final class FrequentData {
  public static final DataKey KEY = DataKey.of("frequent").times(Integer.MAX_VALUE);

  private FrequentData() {}
}
