package io.croupier.cli.audit;

import io.croupier.cli.io.Table;
import java.util.List;

/** A row of an audit's table: a claimed quantity, what was measured, and the verdict. */
record FindingRow(String quantity, String claimed, String measured, String verdict) {

  /** Creates a row whose verdict is that of a test. */
  FindingRow(String quantity, String claimed, String measured, boolean refuted) {
    this(quantity, claimed, measured, refuted ? "REFUTED" : "not refuted");
  }

  /** Returns the table of rows, without a final line separator. */
  static String table(List<FindingRow> rows) {
    Table table = new Table("", "claimed", "measured", "").words("");
    rows.forEach(row -> table.row(row.quantity, row.claimed, row.measured, row.verdict));
    return table.text();
  }
}
