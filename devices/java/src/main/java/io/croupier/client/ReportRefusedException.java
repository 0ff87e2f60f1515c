package io.croupier.client;

/**
 * A report will never be accepted. It is not sent again, stays charged, and its number is not
 * reused. The message contains no value of the report.
 */
public class ReportRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Creates an exception with the receiver's reason. */
  public ReportRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
