package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.cli.data.CsvTable.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as spreadsheets save them. */
class CsvTableTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "y,age,city\n0.5,30,Bonn\n",
        "\uFEFFy,age,city\r\n0.5,30,Bonn\r\n",
        "\uFEFF\"y\",\"age\",\"city\"\r\n\"0.5\",\"30\",\"Bonn\"\r\n",
        "y;age;city\n0.5;30;Bonn\n",
        "\uFEFF\"y\";\"age\";\"city\"\n0.5;30;\"Bonn\"\n",
        "y\tage\tcity\n0.5\t30\tBonn",
        "y, age, city\n0.5, 30, Bonn\n",
      })
  void readsMarksSeparatorsAndQuotes(String text) throws IOException {
    CsvTable table = read(text);

    assertThat(table.columns()).containsExactly("y", "age", "city");
    assertThat(table.numbers("y")).containsExactly(0.5);
    assertThat(table.column("city")).containsExactly("Bonn");
  }

  @Test
  void separatorsWithinQuotesDoNotCount() throws IOException {
    CsvTable table = read("\"a;b;c;d\",y\n\"1;2\",3\n");

    assertThat(table.columns()).containsExactly("a;b;c;d", "y");
    assertThat(table.column("a;b;c;d")).containsExactly("1;2");
  }

  @Test
  void readsOneColumn() throws IOException {
    assertThat(read("y\n1\n2\n").numbers("y")).containsExactly(1, 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a,b,a#1,2,3 | f.csv: the header has the column 'a' twice",
        "a,,c#1,2,3 | f.csv: column 2 has no name in the header",
        "a,b#1,\"2 | f.csv: a value that begins with a quotation mark has no second one, or text after the second one",
        "a,b#1,\"2\"3 | f.csv: a value that begins with a quotation mark has no second one, or text after the second one",
        "'' | f.csv: the file is empty",
        "a,b | f.csv: the file has no rows below the header",
      })
  void explainsWhatIsWrong(String lines, String message) {
    assertThatThrownBy(() -> read(lines.replace('#', '\n')))
        .isInstanceOf(InputException.class)
        .hasMessage(message);
  }

  @Test
  void namesAllFaultsAndLeavesTheirRowsOutIfAsked() throws IOException {
    CsvTable table =
        read("y;age;fit\n1;20;yes\n0,5;30;no\n1;;Yes\n2;n/a;no\n3;40\n1,5;;maybe\n7;50;0\n");
    Map<String, Kind> kinds = new LinkedHashMap<>();
    kinds.put("y", Kind.NUMBER);
    kinds.put("age", Kind.NUMBER);
    kinds.put("fit", Kind.ANSWER);

    assertThatThrownBy(() -> table.complete(kinds, false))
        .isInstanceOf(InputException.class)
        .hasMessage(
            """
            f.csv: 5 of 7 rows can't be used:
              rows with more or fewer values than the header's 3: 1, the first in line 6
              column 'y': values that aren't finite numbers, with a point before the decimals: 2, the first in line 3
              column 'age': missing values: 2, the first in line 4
              column 'age': values that aren't finite numbers, with a point before the decimals: 1, the first in line 5
              column 'fit': values that aren't yes or no, true or false, or 1 or 0: 1, the first in line 7"""
                .stripTrailing());
    CsvTable complete = table.complete(kinds, true);
    assertThat(complete.numbers("y")).containsExactly(1, 7);
    assertThat(complete.answers("fit")).containsExactly(true, false);
    assertThat(complete.leftOut()).isEqualTo("f.csv: 5 of 7 rows can't be used, and are left out");
    assertThat(complete.complete(kinds, false)).isSameAs(complete);
    assertThatThrownBy(() -> read("y\nx\n").complete(Map.of("y", Kind.NUMBER), true))
        .hasMessageStartingWith("f.csv: 1 of 1 rows can't be used");
  }

  @Test
  void aColumnIsOfNumbersIfHalfOfItsValuesAre() throws IOException {
    assertThat(read("y\n\"$1,200\"\n5\n7\n").isNumeric("y")).isTrue();
    assertThat(read("y,z\n,a\na,a\n1,a\n").isNumeric("y")).isTrue();
    assertThat(read("y\n5\nBonn\nChur\n").isNumeric("y")).isFalse();
    assertThat(read("y,z\n,a\n").isNumeric("y")).isFalse();
  }

  /** Quoted or not. */
  @Test
  void blanksAroundAValueAreNoPartOfIt() throws IOException {
    assertThat(read("y,z\n\" no \",1\nno,2\n no,3\n").column("y"))
        .containsExactly("no", "no", "no");
  }

  @Test
  void namesTheEncoding() {
    for (Charset other :
        List.of(StandardCharsets.UTF_16, StandardCharsets.UTF_16LE, StandardCharsets.ISO_8859_1)) {
      byte[] text = "\uFEFFy,age\n1,Z\u00fcrich\n".getBytes(other);
      assertThatThrownBy(() -> CsvTable.read("f.csv", new ByteArrayInputStream(text)))
          .hasMessage("f.csv: the text is not UTF-8; save the file as UTF-8");
    }
  }

  private static CsvTable read(String text) throws IOException {
    return CsvTable.read("f.csv", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }
}
