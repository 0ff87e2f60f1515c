package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.gateway.anonymous.ServedWindows;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.schemas.ModelUpdate;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/**
 * Serves the keys of a model's open windows. Devices ask without identity, and send no report whose
 * token has another key, so a gateway can't serve one person a key of their own.
 */
record WindowsEndpoint(ModelsEndpoint models, ServedWindows windows, BooleanSupplier caughtUp) {
  private static final Duration SOON = Duration.ofSeconds(2);

  void handle(Exchange exchange) {
    byte[] body = windows(exchange.parameter());
    exchange.header(HttpHeader.CACHE_CONTROL, "no-cache");
    exchange.answer(HttpStatus.OK_200, Exchange.JSON, body);
  }

  /**
   * An update that has a model, its newest round, and windows, and nothing else; in JSON for all
   * devices, so that their requests don't differ.
   */
  byte[] windows(String modelId) {
    ServedModel model = models.require(modelId);
    if (!caughtUp.getAsBoolean()) {
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, "the gateway has not read all keys yet")
              .retryAfter(SOON));
    }
    ModelUpdate update =
        ModelUpdate.newBuilder()
            .setModelId(model.modelId())
            .setRound(model.round())
            .addAllWindows(windows.open(model.modelId(), model.round()))
            .build();
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(update).getBytes(UTF_8);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an update without extensions can be printed", e);
    }
  }
}
