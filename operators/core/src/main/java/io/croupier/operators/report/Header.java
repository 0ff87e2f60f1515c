package io.croupier.operators.report;

/**
 * What a report of any kind has.
 *
 * @param round the published round at whose weights the report was made
 * @param createdAtMs when the client created the report, milliseconds since 1970; replays alone
 *     read it
 * @param gradientBound the bound to which the gradient was clipped, as the report states it; 0 if
 *     it doesn't
 */
public record Header(
    String modelId,
    long round,
    String userId,
    String deviceId,
    long sequence,
    long createdAtMs,
    double gradientBound) {

  /** The header of a report without a person. */
  public static Header anonymous(String modelId, long round) {
    return new Header(modelId, round, "", "", 0, 0, 0);
  }

  /** Without the user. */
  @Override
  public String toString() {
    return "Header";
  }
}
