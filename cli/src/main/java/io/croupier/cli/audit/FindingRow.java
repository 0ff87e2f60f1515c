package io.croupier.cli.audit;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.List;

/** A row of an audit's table: a claimed quantity, what was measured, and the verdict. */
record FindingRow(String quantity, String claimed, String measured, String verdict) {

  /** Creates a row whose verdict is that of a test. */
  FindingRow(String quantity, String claimed, String measured, boolean refuted) {
    this(quantity, claimed, measured, refuted ? "REFUTED" : "not refuted");
  }

  /** Returns the table of rows, without a final line separator. */
  static String table(List<FindingRow> rows) {
    return AsciiTable.getTable(
        AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS_NO_OUTSIDE_BORDER,
        rows,
        List.of(
            column("", HorizontalAlign.LEFT).with(FindingRow::quantity),
            column("claimed", HorizontalAlign.RIGHT).with(FindingRow::claimed),
            column("measured", HorizontalAlign.RIGHT).with(FindingRow::measured),
            column("", HorizontalAlign.LEFT).with(FindingRow::verdict)));
  }

  private static Column column(String header, HorizontalAlign align) {
    return new Column().header(header).headerAlign(align).dataAlign(align);
  }
}
