package io.croupier.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.job.CroupierJob;
import io.croupier.job.config.JobConfig;
import io.croupier.job.kafka.KafkaTopics;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.Left;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Spend;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.Topics;
import io.croupier.schemas.Window;
import io.croupier.schemas.WindowGuarantee;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the statements of docs/run/sql.md on the records of a real job.
 *
 * <p>Ada has spent her budget for the model `visits`, Carol 9 of 10 reports, Bob little. Eve
 * reports to a model that doesn't exist, with a wrong dimension, and one report twice.
 */
@Tag("thorough")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SqlPageITCase {
  static final Path PAGE = Path.of("..", "..", "docs/run/sql.md");
  private static final Pattern BLOCK = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);
  private static final Topics TOPICS = Topics.withPrefix("croupier");

  @TempDir private static Path directory;
  private static EmbeddedBroker broker;
  private static Records records;
  private static LocalDateTime started;
  private static TableEnvironment tables;

  /** The queries of the page, by the comment on their first line. */
  private static final Map<String, String> QUERIES = new HashMap<>();

  @BeforeAll
  static void runTheJob() throws Exception {
    started = LocalDateTime.now(ZoneOffset.UTC);
    broker = EmbeddedBroker.start(directory.resolve("broker"));
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      KafkaTopics.create(admin, TOPICS, 2, (short) 1);
    }
    records = new Records(broker.bootstrapServers(), TOPICS);
    JobClient job =
        CroupierJob.submit(
            StreamExecutionEnvironment.createLocalEnvironment(2, new Configuration()),
            JobConfig.of(
                Map.of(
                    "kafka.bootstrap.servers", broker.bootstrapServers(),
                    "parallelism", "2",
                    "checkpoint.interval", "200 ms",
                    "publication.hold", "500 ms",
                    "limits.user.reports", "10")));
    try {
      Scenario.play(records);
    } finally {
      job.cancel().get(5, TimeUnit.MINUTES);
    }
    records.abort(
        TOPICS.accounting(),
        "mallory",
        AccountingEvent.newBuilder()
            .setUserId("mallory")
            .setModelId("visits")
            .setOutcome(Outcome.REFUSED_BUDGET)
            .build());
    sendWindows();
    sendPeriods();
    tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    tables.getConfig().set("table.local-time-zone", "UTC");
    tables.getConfig().set("parallelism.default", "2");
    runThePage();
  }

  @AfterAll
  static void stop() {
    records.close();
    broker.close();
  }

  /**
   * Zoe has tokens of three windows. The first has a guarantee, the second has two, and the third
   * one that is of another level.
   */
  private static void sendWindows() throws Exception {
    PrivUnit unit = PrivUnit.newBuilder().setEpsilon(2).setCandidates(256).setTop(59).build();
    for (int window = 0; window < 3; window++) {
      records.send(
          TOPICS.accounting(),
          "hidden/device/zoe",
          AccountingEvent.newBuilder()
              .setOutcome(Outcome.GRANTED)
              .setSequence(window)
              .setTokenRound(10L * window)
              .setLastTokenWindow(window)
              .setSpent(Spend.newBuilder().setEpsilon(2))
              .setPrivUnit(unit)
              .build()
              .toByteArray());
    }
    guarantee(0, 0.25, unit);
    guarantee(1, 0.5, unit);
    guarantee(1, 2, unit);
    guarantee(2, 0.125, unit.toBuilder().setTop(58).build());
  }

  /**
   * Limits with a period: an epsilon of 4 on the model, ten reports on all models. Ivy has half of
   * both left, years after her first report, Joe little.
   */
  private static void sendPeriods() throws Exception {
    period("ivy", 2, 5);
    period("joe", 3.75, 9);
  }

  private static void period(String user, double epsilon, long reports) throws Exception {
    Window.Builder window =
        Window.newBuilder()
            .setDays(30)
            .setTotals(Spend.newBuilder().setEpsilon(epsilon).setReports(reports));
    records.send(
        TOPICS.accounting(),
        "monthly/device/" + user,
        AccountingEvent.newBuilder()
            .setOutcome(Outcome.ADMITTED)
            .setSequence(1)
            .setModelTotals(Spend.newBuilder().setEpsilon(40).setReports(100))
            .setModelWindow(window)
            .setLeftModel(Left.newBuilder().setEpsilon(4 - epsilon))
            .setUserWindow(window)
            .setLeftUser(Left.newBuilder().setReports(10 - reports))
            .build()
            .toByteArray());
  }

  private static void guarantee(long window, double epsilon, PrivUnit unit) throws Exception {
    records.send(
        TOPICS.guarantees(),
        "hidden",
        GuaranteeEvent.newBuilder()
            .setModelId("hidden")
            .setDelta(1e-6)
            .setAnonymous(
                WindowGuarantee.newBuilder()
                    .setWindow(window)
                    .setFirstRound(10 * window)
                    .setReports(1000)
                    .setLocalEpsilon(2)
                    .setEpsilon(epsilon)
                    .setPrivUnit(unit))
            .build()
            .toByteArray());
  }

  /** The statements of the page, in its order. */
  static List<String> statements() throws IOException {
    return BLOCK
        .matcher(Files.readString(PAGE, UTF_8))
        .results()
        .flatMap(block -> Stream.of(block.group(1).split(";")))
        .map(String::strip)
        .filter(statement -> !statement.isEmpty())
        .toList();
  }

  /** Executes the DDL in its order, and keeps the queries. */
  private static void runThePage() throws Exception {
    for (String statement : statements()) {
      String sql = statement.replace("localhost:9092", broker.bootstrapServers());
      if (sql.startsWith("CREATE")) {
        tables.executeSql(sql);
      } else {
        assertThat(sql).startsWith("-- ");
        QUERIES.put(sql.lines().findFirst().orElseThrow().substring(3), sql);
      }
    }
    assertThat(QUERIES.keySet())
        .containsExactlyInAnyOrder(
            "Models",
            "Statistics",
            "Quantiles",
            "Texts",
            "Guarantees",
            "Windows",
            "Central totals",
            "Users near a limit",
            "Refusals by reason and hour",
            "Spend by model");
  }

  /** The final rows of a query: a changelog's rows after all its changes. */
  private static List<Row> rows(String query) throws Exception {
    return result(QUERIES.get(query));
  }

  private static List<Row> result(String sql) throws Exception {
    Map<Row, Integer> rows = new HashMap<>();
    CloseableIterator<Row> changes = tables.executeSql(sql).collect();
    try {
      while (changes.hasNext()) {
        Row row = changes.next();
        int change =
            row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER ? 1 : -1;
        row.setKind(RowKind.INSERT);
        rows.merge(row, change, Integer::sum);
      }
    } finally {
      changes.close();
    }
    rows.values().removeIf(count -> count == 0);
    assertThat(rows.values()).allMatch(count -> count == 1);
    return new ArrayList<>(rows.keySet());
  }

  @Test
  void usersNearALimit() throws Exception {
    assertThat(rows("Users near a limit"))
        .containsExactlyInAnyOrder(
            Row.of("ada", "visits", "epsilon", 10.5, 0.0, 1.0),
            Row.of("carol", "all models", "reports", 9.0, 1.0, 0.9),
            Row.of("gus", "visits", "epsilon", Double.POSITIVE_INFINITY, 0.0, 1.0),
            Row.of("joe", "monthly", "epsilon", 3.75, 0.25, 0.9375),
            Row.of("joe", "all models", "reports", 9.0, 1.0, 0.9));
  }

  @Test
  void refusalsByReasonAndHour() throws Exception {
    Map<String, Long> reports = new TreeMap<>();
    for (Row row : rows("Refusals by reason and hour")) {
      LocalDateTime hour = row.getFieldAs(0);
      assertThat(hour).isAfter(started.minusHours(1)).isBefore(LocalDateTime.now(ZoneOffset.UTC));
      assertThat(hour.getMinute()).isZero();
      // The reports may have been sent at the turn of an hour.
      reports.merge(row.getFieldAs(1), row.getFieldAs(2), Long::sum);
    }
    assertThat(reports)
        .isEqualTo(
            Map.of("REFUSED_BUDGET", 2L, "REFUSED_DIMENSION", 1L, "REFUSED_UNKNOWN_MODEL", 1L));
  }

  @Test
  void spendByModel() throws Exception {
    List<Row> rows = rows("Spend by model");
    assertThat(rows).hasSize(3);
    Map<String, Row> byModel = new HashMap<>();
    rows.forEach(row -> byModel.put(row.getFieldAs(0), row));
    // Ada 6 reports, Bob 1, Carol 9, Eve 2, of which one has the wrong dimension; Fay an answer;
    // Gus
    // one that no account can contain.
    double mean = (10.5 + 1 + 4.5 + 2 + 1) / 5;
    assertThat(byModel.get("visits"))
        .isEqualTo(Row.of("visits", 6L, 20L, Double.POSITIVE_INFINITY, mean, 0.0));
    assertThat(byModel.get("monthly")).isEqualTo(Row.of("monthly", 2L, 200L, 40.0, 40.0, 0.0));
    Row central = byModel.get("rides");
    assertThat(central.<Long>getFieldAs(1)).isEqualTo(2);
    assertThat(central.<Double>getFieldAs(5)).isPositive();
  }

  @Test
  void guarantees() throws Exception {
    GuaranteeEvent newest =
        records
            .read(TOPICS.guarantees(), (key, value) -> GuaranteeEvent.parseFrom(value))
            .get("rides");
    assertThat(newest.getRound()).isEqualTo(1);
    assertThat(newest.getReplaceOne().getEpsilon()).isPositive();
    assertThat(rows("Guarantees"))
        .containsExactly(
            Row.of(
                "rides",
                1L,
                "tree",
                newest.getReplaceOne().getEpsilon(),
                newest.getReplaceOne().getMu(),
                1e-6));
  }

  @Test
  void windows() throws Exception {
    assertThat(rows("Windows"))
        .containsExactlyInAnyOrder(
            Row.of("hidden", 0L, 1000L, 2.0, 0.25, 1e-6),
            Row.of("hidden", 1L, 1000L, 2.0, 0.5, 1e-6),
            Row.of("hidden", 1L, 1000L, 2.0, 2.0, 1e-6),
            Row.of("hidden", 2L, 1000L, 2.0, 0.125, 1e-6));
  }

  /** Of two guarantees of a window, the larger one holds. */
  @Test
  void centralTotals() throws Exception {
    assertThat(rows("Central totals")).containsExactly(Row.of("zoe", 2L, 4.0, 2.25, 2e-6, 1L));
  }

  @Test
  void models() throws Exception {
    ModelUpdate newest =
        records.read(TOPICS.updates(), (key, value) -> ModelUpdate.parseFrom(value)).get("visits");
    List<Row> rows = rows("Models");
    // The third model is retired: its newest record is null.
    assertThat(rows)
        .extracting(row -> row.getField(0))
        .containsExactlyInAnyOrder("visits", "rides");
    Row visits =
        rows.stream().filter(row -> "visits".equals(row.getField(0))).findFirst().orElseThrow();
    assertThat(visits.<Long>getFieldAs(1)).isEqualTo(newest.getRound());
    assertThat(visits.<Long>getFieldAs(2)).isEqualTo(newest.getUsed()).isEqualTo(Scenario.USED);
    assertThat(visits.<Double[]>getFieldAs(3))
        .containsExactly(newest.getAverageList().toArray(Double[]::new));
    assertThat(Duration.between(visits.<Instant>getFieldAs(4), Instant.now()))
        .isBetween(Duration.ZERO, Duration.ofMinutes(5));
  }

  /** No person has voted, so there are no fractions. */
  @Test
  void statistics() throws Exception {
    List<Row> rows = rows("Statistics");
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).getField(0)).isEqualTo("visits");
    assertThat(rows.get(0).getField(1)).isEqualTo("screen");
    assertThat(rows.get(0).<String[]>getFieldAs(2)).containsExactly("home", "other");
    assertThat(rows.get(0).getField(3)).isNull();
    assertThat(rows.get(0).getField(6)).isNull();
  }

  /** Fay has answered. */
  @Test
  void quantiles() throws Exception {
    ModelUpdate newest =
        records.read(TOPICS.updates(), (key, value) -> ModelUpdate.parseFrom(value)).get("visits");
    StatisticEstimate minutes = newest.getStatistics(1);
    StatisticEstimate.QuantileValues quantiles = minutes.getQuantiles();
    assertThat(quantiles.getAnswers()).isEqualTo(1);
    List<Row> rows = rows("Quantiles");
    assertThat(rows).hasSize(1);
    Row row = rows.get(0);
    assertThat(row.getField(0)).isEqualTo("visits");
    assertThat(row.getField(1)).isEqualTo("minutes");
    assertThat(row.getField(2)).isEqualTo(minutes.getThreshold());
    assertThat(row.<Double[]>getFieldAs(3)).containsExactly(0.5, 0.95);
    assertThat(row.<Double[]>getFieldAs(4))
        .hasSize(2)
        .containsExactly(quantiles.getValuesList().toArray(Double[]::new));
    assertThat(row.<Double[]>getFieldAs(5))
        .containsExactly(quantiles.getLowList().toArray(Double[]::new));
    assertThat(row.<Double[]>getFieldAs(6))
        .containsExactly(quantiles.getHighList().toArray(Double[]::new));
  }

  /** No person has voted, so the list has no texts. */
  @Test
  void texts() throws Exception {
    List<Row> rows = rows("Texts");
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).getField(1)).isEqualTo("words");
    assertThat(rows.get(0).getField(2)).isNull();
    assertThat(rows.get(0).getField(3)).isNull();
  }

  @Test
  void messagesThatARecordLacksAreNull() throws Exception {
    assertThat(
            result(
                "SELECT DISTINCT user_id, l2_laplace.epsilon, gaussian IS NULL, priv_unit IS NULL,"
                    + " left_model IS NULL, source.topic FROM accounting"
                    + " WHERE user_id IN ('bob', 'dora') OR model_id = 'invented'"))
        .containsExactlyInAnyOrder(
            // The topics have their usual names, which events leave out.
            Row.of("bob", 1.0, true, true, false, ""),
            Row.of("dora", null, true, true, false, ""),
            Row.of("eve", 1.0, true, true, true, ""));
  }

  /**
   * The limit of `visits` is an epsilon. The page explains why its query needs a view of limits.
   */
  @Test
  void numbersThatARecordLacksAreZero() throws Exception {
    AccountingEvent newest =
        records.read(TOPICS.accounting(), AccountingEvents::read).get("visits/device/bob");
    assertThat(newest.getLeftModel().hasEpsilon()).isTrue();
    assertThat(newest.getLeftModel().hasReports()).isFalse();
    assertThat(
            result(
                "SELECT left_model.epsilon, left_model.reports FROM accounting"
                    + " WHERE user_id = 'bob'"))
        .containsExactly(Row.of(9.0, 0L));
  }

  @Test
  void theKafkaConnectorFailsOnARetiredModel() {
    tables.executeSql(
        "CREATE TEMPORARY TABLE appended (model_id STRING, round BIGINT) WITH ('connector' ="
            + " 'kafka',"
            + " 'topic' = '%s', 'properties.bootstrap.servers' = '%s',"
                .formatted(TOPICS.updates(), broker.bootstrapServers())
            + " 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',"
            + " 'format' = 'protobuf',"
            + " 'protobuf.message-class-name' = 'io.croupier.schemas.ModelUpdate')");
    assertThatThrownBy(() -> result("SELECT * FROM appended"))
        .hasStackTraceContaining("Failed to deserialize consumer record");
  }
}
