package io.croupier.client;

import io.croupier.client.ledger.LocalLedger;
import java.time.Clock;
import java.time.Duration;

/** Reporters of simulated devices: their clock is the simulation's. */
public final class SimulatedReporters {
  private SimulatedReporters() {}

  /** Creates a reporter, which sends what is pending. */
  public static GradientReporter of(ReportTransport transport, LocalLedger ledger, Clock clock) {
    return new GradientReporter(
        transport, ledger, clock, new ReleaseTimes(Duration.ZERO, () -> 0, nanos -> {}));
  }
}
