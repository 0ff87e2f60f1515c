package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ledger.DataKey;
import picocli.CommandLine.Option;

/** Options that name the data of reports, and how often the same data may be reported. */
final class KeyOptions {

  @Option(
      names = "--key",
      paramLabel = "TEXT",
      description = {
        "Names the data, such as the day they are of: data of one name are reported to a model"
            + " once. It stays in the ledger, as a digest. By default the data name themselves: the"
            + " rows of --data, with --each-row each row, the numbers of a line, or the values of"
            + " --category. Of equal rows or lines in one run each is other data. A line with a"
            + " 'key' has that one. Not for --each-row."
      })
  private String text;

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "How often the same data may be reported to a model, earlier runs included; each time"
            + " spends (default: ${DEFAULT-VALUE}). What was reported as often is counted as"
            + " already reported, costs nothing, and is not an error."
      })
  private int times;

  boolean hasText() {
    return text != null;
  }

  /** The key that the options state for data of a digest. */
  DataKey of(DataKey digest) {
    return text == null ? often(digest) : of(text);
  }

  /**
   * The key of data with a name of their own.
   *
   * @throws InputException if the name is empty, too long or no Unicode, or the number of times
   *     isn't positive
   */
  DataKey of(String name) {
    try {
      return often(DataKey.of(name));
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private DataKey often(DataKey key) {
    if (times < 1) {
      throw new InputException("--times is %d; it must be at least 1".formatted(times));
    }
    return key.times(times);
  }
}
