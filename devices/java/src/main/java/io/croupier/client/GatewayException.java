package io.croupier.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A gateway refused a request, or didn't answer it. The message contains what the gateway stated,
 * and no part of a report or a token.
 */
public final class GatewayException extends IOException {
  private static final long serialVersionUID = 1;

  /** Status of a request without an answer. */
  static final int NO_ANSWER = 0;

  private static final int OK = 200;

  private final int status;
  private final transient Optional<GatewayProblem> problem;
  private final transient Optional<Duration> retryAfter;

  private GatewayException(
      int status,
      String message,
      Optional<GatewayProblem> problem,
      Optional<Duration> retryAfter,
      Throwable cause) {
    super(message, cause);
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  static GatewayException unanswered(String message, Throwable cause) {
    return new GatewayException(NO_ANSWER, message, Optional.empty(), Optional.empty(), cause);
  }

  /** The same as a failure on the way to the gateway, which ends no report. */
  GatewayException beforeTheGateway() {
    return new GatewayException(NO_ANSWER, getMessage(), Optional.empty(), retryAfter, this);
  }

  /** An answer of 200 whose body is longer than the caller allows. */
  static GatewayException tooLong(String message) {
    return new GatewayException(OK, message, Optional.empty(), Optional.empty(), null);
  }

  static GatewayException answered(
      int status, String message, Optional<GatewayProblem> problem, Optional<Duration> retryAfter) {
    return new GatewayException(status, message, problem, retryAfter, null);
  }

  /** The HTTP status; 0 if there was no answer. */
  public int status() {
    return status;
  }

  /** The time after which the gateway wants the request again, if it stated one. */
  Optional<Duration> retryAfter() {
    return retryAfter;
  }

  /** Whether the same request may succeed later. */
  boolean isTemporary() {
    return switch (status) {
      case NO_ANSWER, 408, 429 -> true;
      default -> status >= 500 || retryAfter.isPresent();
    };
  }

  /**
   * Whether the gateway will never accept the same report. Another server at a wrong address states
   * no problem of a gateway; but a proxy in front of the gateway may find a report too large. 401
   * and, unless the person is stopped, 403 depend on the token, 404 on what the gateway has read.
   */
  boolean isFinal() {
    if (isTemporary()) {
      return false;
    }
    return switch (status) {
      case 400, 409, 415, 422 -> problem.isPresent();
      case 403 -> isStop();
      case 413 -> true;
      default -> false;
    };
  }

  /** Whether the person is stopped, so that the gateway takes nothing of them. */
  boolean isStop() {
    return status == 403 && problem.filter(GatewayProblem::isStop).isPresent();
  }

  /**
   * Whether the gateway doesn't know the report's model. A gateway at a wrong path names no field
   * of the report.
   */
  boolean isUnknownModel() {
    return status == 404 && problem.filter(GatewayProblem::namesField).isPresent();
  }

  /** Whether a gateway finds that the sender may not do this. */
  boolean isForbidden() {
    return status == 403 && problem.isPresent();
  }

  /** Whether a gateway has nothing of the requested name. */
  boolean isAbsence() {
    return status == 404 && problem.isPresent();
  }
}
