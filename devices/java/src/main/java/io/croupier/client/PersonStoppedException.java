package io.croupier.client;

/**
 * The person is stopped: the gateway takes nothing of them until an operator resumes them. The
 * report is dropped, as are all that were pending, and tokens for anonymous reports; what is
 * charged stays charged.
 */
public final class PersonStoppedException extends ReportRefusedException {
  private static final long serialVersionUID = 1;

  PersonStoppedException(GatewayException cause) {
    super(cause.getMessage(), cause);
  }
}
