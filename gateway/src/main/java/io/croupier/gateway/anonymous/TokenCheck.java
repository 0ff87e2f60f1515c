package io.croupier.gateway.anonymous;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.client.token.TokenIssuer;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.json.InvalidJsonException;
import io.croupier.gateway.json.StrictJson;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.operators.anonymous.WindowToken;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Token;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * Reads requests for tokens, and turns each into the record that the job's ledger judges. The
 * record contains nothing of the blinded message: a tag identifies the request instead, which only
 * gateways can compute. So equal requests give equal records, and no other request gives the same
 * tag. Safe for use by several threads.
 */
public record TokenCheck(Pepper pepper, Specs specs, Updates updates, WindowIssuers issuers) {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final List<String> FIELDS =
      List.of("modelId", "window", "level", "deviceId", "sequence", "blinded");

  /**
   * A request that may be sent to the ledger.
   *
   * @param record for the topic of gradients
   * @param tag of the request
   * @param issuer signs it once the ledger has granted it
   * @param blinded the message to sign
   */
  public record CheckedRequest(
      ByteString record, ByteString tag, TokenIssuer issuer, ByteString blinded) {
    /** Without the request, which contains a user. */
    @Override
    public String toString() {
      return "CheckedRequest";
    }
  }

  /**
   * Checks a request.
   *
   * @param body JSON with the {@link #FIELDS}
   * @param userId of the sender
   * @throws ProblemException if no token can follow from it
   */
  public CheckedRequest check(byte[] body, String userId) {
    JsonObject request = json(body);
    String modelId = text(request, "modelId");
    long window = number(request, "window");
    int level = (int) Math.min(Integer.MAX_VALUE, number(request, "level"));
    ByteString blinded = blinded(request);
    Specs.Judge judge =
        specs
            .judge(modelId)
            .filter(of -> of.spec().hasAnonymous())
            .orElseThrow(
                () ->
                    field(
                        ProblemType.NOT_FOUND,
                        "modelId must name a model that is published and takes anonymous reports",
                        "modelId"));
    if (level >= judge.levels().size()) {
      throw field(
          ProblemType.REFUSED,
          "level is %d: it must be from 0 to %d".formatted(level, judge.levels().size() - 1),
          "level");
    }
    requireWindow(judge, window);
    TokenIssuer issuer =
        issuers
            .issuer(modelId, window, judge.levels().get(level))
            .orElseThrow(
                () ->
                    new ProblemException(
                        ProblemDocument.of(
                                ProblemType.UNAVAILABLE, "the window's key isn't published yet")
                            .retryAfter(SOON)));
    if (new BigInteger(1, blinded.toByteArray())
            .compareTo(new BigInteger(1, issuer.key().modulus().toByteArray()))
        >= 0) {
      throw malformed("blinded must be less than the modulus of the window's key", "blinded");
    }
    GradientReport.Builder report =
        GradientReport.newBuilder()
            .setModelId(modelId)
            .setRound(AnonymousWindows.firstRound(judge.spec(), window))
            .setUserId(userId)
            .setDeviceId(request.has("deviceId") ? text(request, "deviceId") : "")
            .setSequence(number(request, "sequence"));
    Mechanism declared = judge.levels().get(level);
    Declarations.declare(declared, report);
    ByteString tag =
        ByteString.copyFrom(
            pepper.tag(report.build().toByteString().concat(blinded).toByteArray()));
    byte[] record = report.setToken(Token.newBuilder().setTag(tag)).build().toByteArray();
    judge(judge, userId, record);
    return new CheckedRequest(ByteString.copyFrom(record), tag, issuer, blinded);
  }

  private void requireWindow(Specs.Judge judge, long window) {
    ServedModel newest = updates.newest(judge.spec().getModelId()).orElse(null);
    if (newest == null) {
      throw conflict("the model has published no round yet", true);
    }
    long present = AnonymousWindows.window(judge.spec(), newest.round());
    if (window != present && window != present + 1) {
      throw conflict(
          "window is %d: it must be the present one, %d, or the next".formatted(window, present),
          window > present);
    }
  }

  /** As the job's ledger will, for a sender without an account. */
  private void judge(Specs.Judge judge, String userId, byte[] record) {
    Received received =
        new ReportDecoder().decode(userId.getBytes(UTF_8), record, false, Source.unknown(0));
    if (received instanceof Received.Malformed malformed) {
      throw new ProblemException(
          ProblemDocument.ofFields(ProblemType.MALFORMED, malformed.violations()));
    }
    AccountingEvent event = judge.judge((Report) received);
    if (event.getOutcome() != Outcome.GRANTED) {
      throw refused(event.getOutcome(), event.getReason());
    }
  }

  /** The problem of a request that the ledger refuses. */
  public static ProblemException refused(Outcome outcome, String reason) {
    ProblemDocument problem =
        outcome == Outcome.REFUSED_STOPPED
            ? ProblemDocument.of(ProblemType.STOPPED, reason)
            : ProblemDocument.ofField(ProblemType.REFUSED, field(outcome), reason);
    return new ProblemException(problem.outcome(outcome.name()));
  }

  /** The field of a request that the ledger refuses. */
  private static String field(Outcome outcome) {
    return switch (outcome) {
      case REFUSED_DECLARATION, REFUSED_BUDGET -> "declaration";
      case REFUSED_SEQUENCE -> "sequence";
      default -> "window";
    };
  }

  private static JsonObject json(byte[] body) {
    try {
      if (StrictJson.value(StrictJson.text(ByteBuffer.wrap(body))) instanceof JsonObject request) {
        if (FIELDS.containsAll(request.keySet())) {
          return request;
        }
        throw new ProblemException(
            ProblemType.MALFORMED, "the fields must be among " + String.join(", ", FIELDS));
      }
    } catch (InvalidJsonException e) {
      throw new ProblemException(ProblemType.MALFORMED, e.getMessage());
    }
    throw new ProblemException(ProblemType.MALFORMED, "the body must be a JSON object");
  }

  private static String text(JsonObject request, String name) {
    if (request.get(name) instanceof JsonPrimitive value && value.isString()) {
      return value.getAsString();
    }
    throw malformed(name + " must be a text", name);
  }

  /** A number of at least 0, or its digits in a text, as Protobuf's JSON mapping has it. */
  private static long number(JsonObject request, String name) {
    if (request.get(name) instanceof JsonPrimitive value
        && value.getAsString().matches("\\d{1,18}")) {
      return Long.parseLong(value.getAsString());
    }
    throw malformed(name + " must be a whole number of at least 0", name);
  }

  private static ByteString blinded(JsonObject request) {
    String text = text(request, "blinded");
    if (text.length() <= 2 * WindowToken.KEY_BYTES) {
      try {
        byte[] bytes = Base64.getDecoder().decode(text);
        if (bytes.length == WindowToken.KEY_BYTES) {
          return ByteString.copyFrom(bytes);
        }
      } catch (IllegalArgumentException e) {
        // The exception below covers this case, too.
      }
    }
    throw malformed(
        "blinded must be the base64 of %d bytes".formatted(WindowToken.KEY_BYTES), "blinded");
  }

  private static ProblemException malformed(String detail, String name) {
    return field(ProblemType.MALFORMED, detail, name);
  }

  private static ProblemException field(ProblemType type, String detail, String name) {
    return new ProblemException(ProblemDocument.ofField(type, name, detail));
  }

  private static ProblemException conflict(String detail, boolean soon) {
    ProblemDocument problem = ProblemDocument.ofField(ProblemType.CONFLICT, "window", detail);
    return new ProblemException(soon ? problem.retryAfter(SOON) : problem);
  }
}
