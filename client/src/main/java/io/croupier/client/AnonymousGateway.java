package io.croupier.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.ModelUpdate;
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

  private static final int OK = 200;
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
   * Whether this gateway serves the token's window to requests without identity, too, with the same
   * rounds, declaration and key. One who serves a person a window of their own, to recognise their
   * report, doesn't know whose request this is.
   *
   * @throws ReportRefusedException if the window is over
   * @throws GatewayException if it doesn't answer, or serves no key of the window yet
   */
  boolean serves(HeldToken token) throws GatewayException, InterruptedException {
    String modelId = token.challenge().modelId();
    byte[] answer = requests.send(() -> windows(modelId), OK);
    ModelUpdate update;
    try {
      update = ModelUpdate.parseFrom(answer);
    } catch (InvalidProtocolBufferException e) {
      throw GatewayException.unanswered(
          "the gateway " + gateway.base() + " answered a request for windows by no update", e);
    }
    if (token.isOver(update.getRound())) {
      throw new ReportRefusedException(
          "window %d of model %s is over".formatted(token.challenge().window(), modelId), null);
    }
    return switch (ServedWindow.of(token, update.getWindowsList())) {
      case SAME -> true;
      case ANOTHER -> false;
      case NONE ->
          throw GatewayException.unanswered(
              "the gateway %s serves no key of window %d of model %s"
                  .formatted(gateway.base(), token.challenge().window(), modelId),
              null);
    };
  }

  private HttpRequest windows(String modelId) {
    return anonymous("/v1/models/" + modelId + "/windows")
        .header("Accept", GatewayConnection.PROTOBUF)
        .build();
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
    return anonymous("/v1/anonymous-reports")
        .header("Content-Type", GatewayConnection.PROTOBUF)
        .POST(BodyPublishers.ofByteArray(report.toByteArray()))
        .build();
  }

  private HttpRequest.Builder anonymous(String path) {
    // Instead of the version of Java.
    return gateway.request(path).header("User-Agent", "croupier");
  }

  @Override
  public void close() {
    gateway.close();
  }
}
