package io.croupier.client;

import com.google.protobuf.ByteString;
import io.croupier.schemas.AnonymousReport;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;

/**
 * Sends anonymous reports, over connections of their own, which carry neither a person's token nor
 * a cookie. All requests of all devices have the same headers, and bodies of the same length.
 */
final class AnonymousGateway implements AutoCloseable {
  /** Bytes of every report. */
  static final int REPORT_BYTES = 1024;

  /** Tag and length of the padding. */
  private static final int PADDING_HEAD = 3;

  /** From this size on, the length of the padding takes two bytes. */
  private static final int LEAST_PADDING = 128;

  private static final int ACCEPTED = 202;

  private final GatewayConnection gateway;
  private final RepeatedRequest requests;

  AnonymousGateway(URI gateway, Duration patience) {
    this.gateway = new GatewayConnection(gateway);
    requests = new RepeatedRequest(this.gateway, patience);
  }

  /**
   * The bytes of a report, padded to {@link #REPORT_BYTES}.
   *
   * @throws IllegalArgumentException if the report is too long
   */
  static ByteString padded(AnonymousReport.Builder report) {
    int padding = REPORT_BYTES - PADDING_HEAD - report.build().getSerializedSize();
    if (padding < LEAST_PADDING) {
      throw new IllegalArgumentException(
          "the report has "
              + (REPORT_BYTES - PADDING_HEAD - padding)
              + " bytes; it must have at most "
              + (REPORT_BYTES - PADDING_HEAD - LEAST_PADDING));
    }
    return report.setPadding(ByteString.copyFrom(new byte[padding])).build().toByteString();
  }

  /**
   * Sends a report until it is accepted.
   *
   * @throws ReportRefusedException if these bytes will never be accepted
   * @throws GatewayException if they may have arrived, or may be accepted later
   */
  void send(ByteString report) throws GatewayException, InterruptedException {
    try {
      byte[] unused = requests.send(() -> request(report), ACCEPTED);
    } catch (GatewayException e) {
      if (e.isFinal() || e.isForbidden()) {
        throw new ReportRefusedException(e.getMessage(), e);
      }
      throw e;
    }
  }

  private HttpRequest request(ByteString report) {
    return gateway
        .request("/v1/anonymous-reports")
        // Instead of the version of Java.
        .header("User-Agent", "croupier")
        .header("Content-Type", GatewayConnection.PROTOBUF)
        .POST(BodyPublishers.ofByteArray(report.toByteArray()))
        .build();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
