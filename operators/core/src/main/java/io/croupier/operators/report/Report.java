package io.croupier.operators.report;

import io.croupier.accounting.mechanism.Mechanism;

/**
 * A well-formed report.
 *
 * @param mechanism what it declares of its noise; central exactly if the record comes from the
 *     topic for raw gradients
 * @param content what its kind has
 * @param digest of the record's bytes; see {@link DigestKey}
 */
public record Report(
    Header header, Mechanism mechanism, Content content, long digest, Source source)
    implements Received {

  /** Without a value that could be private. */
  @Override
  public String toString() {
    return "Report";
  }
}
