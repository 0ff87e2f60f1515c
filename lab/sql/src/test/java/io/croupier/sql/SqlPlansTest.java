package io.croupier.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/run/sql.md without a broker: what {@link SqlPageITCase} runs has a plan. */
@Tag("ci")
class SqlPlansTest {
  /** A plan compares the columns of a table with the class of its records. */
  @Test
  void eachQueryHasAPlan() throws Exception {
    TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    int queries = 0;
    for (String statement : SqlPageITCase.statements()) {
      if (statement.startsWith("CREATE")) {
        tables.executeSql(statement);
      } else {
        assertThat(tables.explainSql(statement)).as(statement).contains("TableSourceScan");
        queries++;
      }
    }
    assertThat(queries).isEqualTo(10);
  }

  @Test
  void namesTheJarsOfTheseVersions() throws Exception {
    String page = Files.readString(SqlPageITCase.PAGE, UTF_8);
    assertThat(page)
        .contains(
            "`flink-sql-connector-kafka-%s.jar`".formatted(version("flink.kafka.version")),
            "`flink-protobuf-%s.jar`".formatted(version("flink.version")),
            "`protobuf-java-%s.jar`".formatted(version("protobuf.version")));
  }

  private static String version(String property) throws Exception {
    Matcher version =
        Pattern.compile("<%1$s>(.*)</%1$s>".formatted(Pattern.quote(property)))
            .matcher(Files.readString(Path.of("..", "..", "pom.xml"), UTF_8));
    assertThat(version.find()).as(property).isTrue();
    return version.group(1);
  }
}
