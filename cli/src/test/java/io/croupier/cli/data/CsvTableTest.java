package io.croupier.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
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
        "a,b#1,2#3 | f.csv, line 3: 1 values, but the header has 2 columns",
      })
  void explainsWhatIsWrong(String lines, String message) {
    assertThatThrownBy(() -> read(lines.replace('#', '\n')))
        .isInstanceOf(InputException.class)
        .hasMessage(message);
  }

  @Test
  void explainsMissingValuesAndDecimalCommas() throws IOException {
    CsvTable table = read("y;age\n0,5;\n");

    assertThatThrownBy(() -> table.column("age"))
        .hasMessage("f.csv, line 2, column 'age': missing value; add it or remove the row");
    assertThatThrownBy(() -> table.numbers("y"))
        .hasMessageStartingWith("f.csv, line 2, column 'y': not a finite number")
        .hasMessageEndingWith(", with a point before the decimals");
  }

  @Test
  void namesTheEncoding() {
    for (Charset utf16 : new Charset[] {StandardCharsets.UTF_16, StandardCharsets.UTF_16LE}) {
      byte[] text = "\uFEFFy,age\n1,2\n".getBytes(utf16);
      assertThatThrownBy(() -> CsvTable.read("f.csv", new ByteArrayInputStream(text)))
          .hasMessage("f.csv: the text is not UTF-8; save the file as UTF-8");
    }
  }

  private static CsvTable read(String text) throws IOException {
    return CsvTable.read("f.csv", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }
}
