package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.account.OptionChecks;
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

  /**
   * Checks the options before anything is read.
   *
   * @throws InputException if the number of times isn't positive, or the name can't be one
   */
  void check() {
    OptionChecks.atLeast("--times", times, 1);
    if (text != null) {
      try {
        DataKey unused = DataKey.of(text);
      } catch (IllegalArgumentException e) {
        throw new InputException("--key: " + e.getMessage(), e);
      }
    }
  }

  boolean hasText() {
    return text != null;
  }

  /** The key that the options state for data of a digest. */
  DataKey of(DataKey digest) {
    return text == null ? digest.times(times) : of(text);
  }

  /**
   * The key of data with a name of their own.
   *
   * @throws InputException if the name is empty, too long or no Unicode
   */
  DataKey of(String name) {
    try {
      return DataKey.of(name).times(times);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }
}
