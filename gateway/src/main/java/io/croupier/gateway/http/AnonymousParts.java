package io.croupier.gateway.http;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.ObliviousKeyPair;
import io.croupier.gateway.anonymous.AnonymousCheck;
import io.croupier.gateway.anonymous.ServedWindows;
import io.croupier.gateway.anonymous.TokenCheck;
import io.croupier.gateway.kafka.Answers;
import io.croupier.gateway.kafka.ReportSender;
import io.croupier.gateway.kafka.ReportStore;
import io.croupier.schemas.Grant;
import java.util.function.BooleanSupplier;

/**
 * What a gateway needs for anonymous reports.
 *
 * @param windows those that devices may ask for
 * @param oblivious the key pair that opens encapsulated requests, the same at all gateways
 * @param caughtUp whether all specs, updates and keys have been read, and verdicts are followed
 */
public record AnonymousParts(
    TokenParts tokens,
    AnonymousReportParts reports,
    ServedWindows windows,
    ObliviousKeyPair oblivious,
    BooleanSupplier caughtUp) {

  /**
   * Requests for tokens.
   *
   * @param check reads them
   * @param grants the ledger's verdicts
   * @param topic of the requests
   */
  public record TokenParts(
      TokenCheck check, Answers<ByteString, Grant> grants, ReportStore store, String topic) {}

  /**
   * Anonymous reports.
   *
   * @param check judges them
   * @param sender writes them to Kafka
   * @param topic of the reports
   */
  public record AnonymousReportParts(AnonymousCheck check, ReportSender sender, String topic) {}
}
