package io.croupier.cli.watch;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a demonstration found.
 *
 * @param headline the result in one sentence
 * @param header the columns of the table; the first and the fourth contain words
 * @param rows of the table
 * @param notes what the numbers mean, one sentence each
 */
public record Result(String headline, List<String> header, List<Row> rows, List<String> notes) {

  /** Copies the lists. */
  public Result {
    header = List.copyOf(header);
    rows = List.copyOf(rows);
    notes = List.copyOf(notes);
  }

  /** The same result with more notes. */
  public Result with(List<String> more) {
    return new Result(
        headline, header, rows, Stream.concat(notes.stream(), more.stream()).toList());
  }

  /**
   * A row of the table.
   *
   * @param modelId its model; empty for a reference
   */
  public record Row(String modelId, List<String> cells) {

    /** Copies the list. */
    public Row {
      cells = List.copyOf(cells);
    }
  }
}
