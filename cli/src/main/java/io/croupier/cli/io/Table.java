package io.croupier.cli.io;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import io.croupier.schemas.VisibleText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A text table, with words aligned to the left and numbers to the right. A cell is one line,
 * whatever names it contains.
 */
public final class Table {
  private final List<String> header;
  private final Set<String> words = new HashSet<>();
  private final List<List<String>> rows = new ArrayList<>();

  /** Makes a table with these columns; the first contains words, the others numbers. */
  public Table(String... header) {
    this.header = List.of(header);
    words.add(header[0]);
  }

  /** Declares that another column contains words. */
  public Table words(String column) {
    words.add(column);
    return this;
  }

  /** Adds a row with one cell per column. */
  public Table row(String... cells) {
    return row(List.of(cells));
  }

  /** Adds a row with one cell per column. */
  public Table row(List<String> cells) {
    rows.add(cells.stream().map(VisibleText::name).toList());
    return this;
  }

  /** The text of the table, without a final line separator. */
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
