package io.croupier.cli.account;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A table: words to the left, numbers to the right. */
public final class Table {
  private final List<String> header;
  private final Set<String> words = new HashSet<>();
  private final List<List<String>> rows = new ArrayList<>();

  /** Of these columns, the first of which holds words, and all others numbers. */
  public Table(String... header) {
    this.header = List.of(header);
    words.add(header[0]);
  }

  /** A column that holds words too. */
  public Table words(String column) {
    words.add(column);
    return this;
  }

  /** Adds a row, of a cell for each column. */
  public Table row(String... cells) {
    return row(List.of(cells));
  }

  /** Adds a row, of a cell for each column. */
  public Table row(List<String> cells) {
    rows.add(cells);
    return this;
  }

  /** The lines, without an end of the last. */
  public String text() {
    List<ColumnData<List<String>>> columns = new ArrayList<>();
    for (int i = 0; i < header.size(); i++) {
      int column = i;
      HorizontalAlign align =
          words.contains(header.get(i)) ? HorizontalAlign.LEFT : HorizontalAlign.RIGHT;
      columns.add(
          new Column()
              .header(header.get(i))
              .headerAlign(align)
              .dataAlign(align)
              .maxWidth(Integer.MAX_VALUE)
              .with(row -> row.get(column)));
    }
    return AsciiTable.getTable(
        AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS_NO_OUTSIDE_BORDER, rows, columns);
  }
}
