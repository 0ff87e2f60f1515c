package io.croupier.client;

import com.google.protobuf.ByteString;
import io.croupier.client.AnonymousTransport.Call;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Sends anonymous reports, all of one length, directly or through a relay. */
final class AnonymousGateway implements AutoCloseable {
  /** Bytes of every report. */
  static final int REPORT_BYTES = 1024;

  /** Tag and length of the padding. */
  private static final int PADDING_HEAD = 3;

  /** From this size on, the length of the padding takes two bytes. */
  private static final int LEAST_PADDING = 128;

  private static final int ACCEPTED = 202;

  private final AnonymousTransport gateway;
  private final RepeatedRequest requests;

  AnonymousGateway(AnonymousTransport gateway, Duration patience) {
    this.gateway = gateway;
    requests = new RepeatedRequest(patience);
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
    Call windows = Call.get("/v1/models/" + modelId + "/windows");
    byte[] answer = requests.send(() -> gateway.send(windows, Call.OK));
    ModelUpdate.Builder update = ModelUpdate.newBuilder();
    try {
      ProtobufJson.read(answer, update);
    } catch (IllegalArgumentException e) {
      throw GatewayException.unanswered(
          gateway.name() + " answered a request for windows by no update", e);
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
              "%s serves no key of window %d of model %s"
                  .formatted(gateway.name(), token.challenge().window(), modelId),
              null);
    };
  }

  /**
   * Sends a report until it is accepted.
   *
   * @param isLate whether it must not leave any more
   * @throws ReportRefusedException if these bytes will never be accepted, or it is late
   * @throws GatewayException if they may have arrived, or may be accepted later
   */
  void send(ByteString report, BooleanSupplier isLate)
      throws GatewayException, InterruptedException {
    Call call =
        new Call("/v1/anonymous-reports", "Content-Type", GatewayConnection.PROTOBUF, report);
    try {
      byte[] unused =
          requests.send(
              () -> {
                if (isLate.getAsBoolean()) {
                  throw new ReportRefusedException(
                      "the report is too late, as after the device slept; it isn't sent", null);
                }
                return gateway.send(call, ACCEPTED);
              });
    } catch (GatewayException e) {
      if (e.isFinal() || e.isForbidden()) {
        throw new ReportRefusedException(e.getMessage(), e);
      }
      throw e;
    }
  }

  @Override
  public void close() {
    gateway.close();
  }
}
