package io.croupier.job.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.croupier.schemas.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobConfigTest {
  private static final String SERVERS = "kafka.bootstrap.servers";

  @TempDir Path directory;

  @Test
  void readsNestedAndDottedKeysAlike() throws IOException {
    Path nested =
        file(
            """
            kafka:
              bootstrap.servers: one:9092
              security:
                protocol: SSL
            parallelism: 3
            checkpoint:
              interval: 2 s
            topics: {prefix: casino, models: tables}
            """);
    Map<String, String> dotted =
        Map.of(
            SERVERS,
            "one:9092",
            "kafka.security.protocol",
            "SSL",
            "parallelism",
            "3",
            "checkpoint.interval",
            "2 s",
            "topics.prefix",
            "casino",
            "topics.models",
            "tables");

    JobConfig config = JobConfig.load(nested, Map.of());

    assertThat(config).isEqualTo(JobConfig.of(dotted));
    assertThat(config.flink().parallelism()).isEqualTo(3);
    assertThat(config.flink().checkpointInterval()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.topics().models()).isEqualTo("tables");
    assertThat(config.topics().updates()).isEqualTo("casino.updates");
  }

  @Test
  void settingsOfEarlierReleasesHaveNoEffect() {
    assertThat(with("publication.max-lag", "300 ms")).isEqualTo(with());
  }

  @Test
  void joinsAListByCommas() throws IOException {
    Path list = file("kafka: {bootstrap.servers: ['one:9092', 'two:9092']}");

    assertThat(JobConfig.load(list, Map.of()).kafka())
        .containsEntry("bootstrap.servers", "one:9092,two:9092");
  }

  @Test
  void overridesWinOverTheFile() throws IOException {
    Path file = file(SERVERS + ": one:9092\nparallelism: 3\ncheckpoint: {interval: 2 s}\n");

    JobConfig config = JobConfig.load(file, Map.of("parallelism", "5"));

    assertThat(config.flink().parallelism()).isEqualTo(5);
    assertThat(config.flink().checkpointInterval()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void defaultsAreThoseThatConfigKeyNames() {
    JobConfig config = with();

    assertThat(ConfigKey.PARALLELISM.byDefault()).isEmpty();
    assertThat(config.flink().parallelism()).as("left to Flink").isZero();
    assertThat(config.describe()).containsPattern("(?m)^parallelism +\\(Flink's own setting\\)$");
    assertThat(config.flink().maxParallelism()).as("left to the state").isZero();
    assertThat(config.describe())
        .containsPattern(
            "(?m)^max-parallelism +\\(that of the state, or %s\\)$"
                .formatted(ConfigKey.MAX_PARALLELISM.byDefault()));
    assertThat(config.flink().checkpointInterval()).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.preAggregationInterval()).isEqualTo(Duration.ofMillis(50));
    assertThat(config.journal()).hasToString(ConfigKey.JOURNAL_ENABLED.byDefault());
    assertThat(config.topics().rawDeadLetters()).isEqualTo("croupier.raw-dead-letters");
  }

  @ParameterizedTest
  @CsvSource({
    "paralelism, parallelism",
    "checkpoint.intervall, checkpoint.interval",
    "max.parallelism, max-parallelism",
    "topics.gradient, topics.gradients",
    "topic.models, topics.models",
  })
  void namesTheKnownKeyNearestToAnUnknownOne(String unknown, String nearest) {
    refusal(unknown, "1").withMessageContainingAll("'" + unknown + "'", "'" + nearest + "'");
  }

  @Test
  void namesAllUnknownKeysAndNoFarKey() {
    refusal("bogus", "1", "journal.enable", "2")
        .withMessageContainingAll(
            "Unknown setting 'bogus'; docs/run/settings.md lists all",
            "Unknown setting 'journal.enable'; the nearest known one is");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "parallelism, 0, a whole number from 1 to",
        "parallelism, two, a whole number from 1 to",
        "parallelism, 1.5, a whole number from 1 to",
        "parallelism, \"\", a whole number from 1 to",
        "max-parallelism, 3, a whole number from 4 to 32768",
        "max-parallelism, 32769, a whole number from 4 to 32768",
        "checkpoint.interval, soon, '500 ms' or '2 s'",
        "checkpoint.interval, 0 s, from 1 ms",
        "checkpoint.interval, -1 s, from 1 ms",
        "checkpoint.interval, 9223372036854775807 s, from 1 ms to 3650 d",
        "pre-aggregation.interval, 10 us, from 1 ms",
        "keep.reports, 7, it must be at least 1 h",
        "journal.enabled, yes, true or false",
        "limits.user.epsilon, 0, a finite number of at least 1.0E-9, or left out",
        "limits.user.epsilon, \"\", a finite number of at least 1.0E-9, or left out",
        "limits.user.epsilon, much, a finite number of at least 1.0E-9, or left out",
        "limits.user.epsilon, 9e-10, a finite number of at least 1.0E-9, or left out",
        "limits.user.mu, 9e-7, a finite number of at least 1.0E-6, or left out",
        "limits.user.mu, Infinity, a finite number of at least 1.0E-6, or left out",
        "limits.user.mu, NaN, a finite number of at least 1.0E-6, or left out",
        "limits.user.delta, 1, a finite number above 0 and below 1, or left out",
        "limits.user.reports, \" \", a whole number of at least 1, or left out",
        "limits.user.reports, 0, a whole number of at least 1, or left out",
        "limits.user.reports, 1.5, a whole number of at least 1, or left out",
        "limits.user.per, 30, \"a number of days from 1 to 370, such as '30d', or left out\"",
        "limits.user.per, 0d, \"a number of days from 1 to 370, such as '30d', or left out\"",
        "limits.user.per, 371d, \"a number of days from 1 to 370, such as '30d', or left out\"",
      })
  void namesABadValueAndWhatIsRight(String key, String value, String right) {
    refusal("parallelism", "4", key, value).withMessageContainingAll(key, "'" + value + "'", right);
  }

  @Test
  void readsThePeriodOfLimits() throws IOException {
    Path file = file(SERVERS + ": one:9092\nlimits: {user: {epsilon: 10, per: 30d}}\n");

    JobConfig config = JobConfig.load(file, Map.of());

    assertThat(config.perUser())
        .isEqualTo(Limits.newBuilder().setEpsilon(10).setPerDays(30).build());
    assertThat(config.describe()).containsPattern("limits\\.user\\.per +30d");
    assertThat(with().describe()).containsPattern("limits\\.user\\.per +\\(for life\\)");
    refusal("limits.user.per", "30d", "limits.user.delta", "0.1")
        .withMessageContaining(
            "limits.user.per is '30d', the period of limits, but there are none");
  }

  @Test
  void readsTheLimitsOfAUser() throws IOException {
    Path file = file(SERVERS + ": one:9092\nlimits: {user: {epsilon: 8, delta: 1e-6}}\n");

    JobConfig config = JobConfig.load(file, Map.of("limits.user.reports", "1000"));

    assertThat(config.perUser())
        .isEqualTo(Limits.newBuilder().setEpsilon(8).setDelta(1e-6).setReports(1000).build());
    assertThat(config.describe())
        .containsPattern("limits\\.user\\.delta +1.0E-6")
        .containsPattern("limits\\.user\\.mu +\\(no limit\\)");
    assertThat(with().perUser()).isEqualTo(Limits.getDefaultInstance());
  }

  @Test
  void passesOnKafkaAndFlinkOptions() {
    JobConfig config =
        with("kafka.client.id", "c", "flink.state.backend.type", "rocksdb", "kafka.a.b.c", "d");

    assertThat(config.kafka())
        .isEqualTo(Map.of("bootstrap.servers", "one:9092", "client.id", "c", "a.b.c", "d"));
    assertThat(config.flink().options()).isEqualTo(Map.of("state.backend.type", "rocksdb"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kafka.ssl.truststore.password=hunter2",
        "kafka.ssl.truststore.password hunter2",
        "kafka.ssl.truststore.password\thunter2",
        "kafka.ssl.truststore.password =hunter2",
        "kafka.ssl.truststore.password:hunter2",
      })
  void refusesAValueInAKeyAndDoesNotShowIt(String key) {
    refusal(key, "1")
        .withMessageContaining("'kafka.ssl.truststore.password'")
        .withMessageNotContaining("hunter2");
  }

  @ParameterizedTest
  @CsvSource({
    "flink.x.url, db://one?user=me&password=hush-hush",
    "flink.x.url, https://me:hush-hush@one",
    "flink.x.json, {\"password\": \"hush-hush\"}",
    "checkpoint.directory, s3a://me:hush-hush@bucket/checkpoints",
  })
  void showsNoSecretInAValue(String key, String value) {
    assertThat(with(key, value).describe()).contains(key).doesNotContain("hush-hush");
  }

  @Test
  void showsValuesThatAreNotSecret() {
    assertThat(with("flink.taskmanager.keytab", "in-the-open").describe()).contains("in-the-open");
  }

  @ParameterizedTest
  @CsvSource({
    "kafka.sasl.jaas.config",
    "kafka.ssl.keystore.password",
    "kafka.ssl.keystore.key",
    "kafka.sasl.oauthbearer.client.credentials.client.secret",
    "flink.s3.secret-key",
    "flink.s3.access-key",
    "flink.security.ssl.internal.key-password",
    "flink.fs.oss.accessKeySecret",
    "flink.fs.azure.account.key.name.blob.core.windows.net",
    "flink.fs.azure.sas.container.name.blob.core.windows.net",
    "flink.env.java.opts",
    "flink.env.java.opts.taskmanager",
    "flink.containerized.master.env.LOGIN",
    "flink.metrics.reporter.x.apikey",
    "flink.rest.client.http-headers",
    "kafka.sasl.oauthbearer.token.endpoint.url",
    "kafka.basic.auth.user.info",
    "kafka.schema.registry.credentials",
  })
  void showsNoSecret(String key) {
    JobConfig config = with(key, "hush-hush", "kafka.client.id", "in-the-open");

    assertThat(config.describe())
        .contains(key)
        .contains("******")
        .contains("in-the-open")
        .doesNotContain("hush");
    assertThat(config).hasToString(config.describe());
  }

  @Test
  void describesEverySettingInForce() {
    String text = with("checkpoint.directory", "file:///checkpoints").describe();

    for (ConfigKey key : ConfigKey.values()) {
      if (key != ConfigKey.TOPICS_PREFIX) {
        assertThat(text).contains(key.key());
      }
    }
    assertThat(text).contains("file:///checkpoints").contains("croupier.gradients");
  }

  @Test
  void refusesTwoTopicsOfOneName() {
    refusal("topics.models", "croupier.updates")
        .withMessageContainingAll("same name", "croupier.updates");
  }

  /** As an unset variable is. */
  @ParameterizedTest
  @ValueSource(strings = {"", " "})
  void refusesABlankPrefix(String prefix) {
    refusal("topics.prefix", prefix)
        .withMessageContaining("topics.prefix is '%s'; it must have letters or digits", prefix);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {"a topic", "\"\"", "models/1"})
  void refusesWhatIsNoTopicName(String name) {
    refusal("topics.models", name).withMessageContainingAll("'" + name + "'", "letters, digits");
  }

  @Test
  void requiresTheBrokers() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobConfig.of(Map.of()))
        .withMessageContainingAll("kafka.bootstrap.servers is missing", "broker-1:9092");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobConfig.of(Map.of(SERVERS, " ")))
        .withMessageContaining("kafka.bootstrap.servers is missing");
  }

  @Test
  void namesAFileThatCannotBeRead() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    refusal(missing).withMessage(missing + ": no such file");
    refusal(directory).withMessage("%s: can't be read: Is a directory", directory);
    Path latin =
        Files.write(directory.resolve("latin.yaml"), new byte[] {'a', ':', ' ', (byte) 0xFC});
    refusal(latin).withMessage("%s: the text is not UTF-8; save the file as UTF-8", latin);
    Path broken = file("topics: {models: a");
    refusal(broken).withMessageContainingAll(broken.toString(), "not YAML");
    Path shifted = file("topics:\n  models: a\n gradients: b\n");
    refusal(shifted)
        .withMessageEndingWith(
            "line 3, column 2: the line does not continue what is above it; check its indentation");
    Path twice = file("limits: {user: {epsilon: 4}}\nlimits.user.epsilon: 50\n");
    refusal(twice)
        .withMessage(
            "%s: limits.user.epsilon is set twice, nested and with dots in its key; leave one out",
            twice);
    for (String empty : List.of("limits.user.epsilon:", "limits.user: {epsilon: [1, null]}")) {
      Path file = file(empty + "\n");
      refusal(file).withMessage("%s: limits.user.epsilon has no value; leave it out", file);
    }
    Path list = file("- parallelism");
    refusal(list).withMessageContaining("a YAML mapping");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kafka: {ssl.key.password: \"hunter2",
        "kafka.ssl.key.password: a: hunter2",
        "kafka.ssl.key.password: *hunter2 hunter2",
        "kafka.ssl.key.password: !!int hunter2"
      })
  void quotesNothingOfAFileThatIsNoYaml(String yaml) throws IOException {
    Path broken = file("parallelism: 2\n" + yaml);

    refusal(broken)
        .withMessageContaining(broken + ": not YAML")
        .withMessageNotContainingAny("password", "hunter2")
        .withNoCause();
  }

  @Test
  void anEmptyFileLeavesEverythingToTheOverrides() throws IOException {
    Path empty = file("# nothing yet\n");

    assertThatNoException().isThrownBy(() -> JobConfig.load(empty, Map.of(SERVERS, "one:9092")));
  }

  @Test
  void aValueIsTheTextOfTheFile() throws IOException {
    Path file =
        file(
            """
            topics: {prefix: 1.10}
            kafka: {bootstrap.servers: one:9092, client.id: 0123, group.id: 1e2, 1.10: yes, empty: ''}
            """);

    JobConfig config = JobConfig.load(file, Map.of());

    assertThat(config.topics().models()).startsWith("1.10");
    assertThat(config.kafka())
        .containsEntry("client.id", "0123")
        .containsEntry("group.id", "1e2")
        .containsEntry("1.10", "yes")
        .containsEntry("empty", "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0x2", "\u0662", "2d", "1e0"})
  void aNumberHasAsciiDigits(String number) {
    refusal(ConfigKey.PARALLELISM.key(), number)
        .withMessageContaining("parallelism is '" + number + "'");
  }

  @Test
  void theExampleIsValid() {
    JobConfig config = JobConfig.load(Path.of("../examples/croupier.yaml"), Map.of());

    assertThat(config.kafka()).containsKey("bootstrap.servers");
  }

  private static ThrowableAssertAlternative<IllegalArgumentException> refusal(
      String... keysAndValues) {
    return assertThatIllegalArgumentException().isThrownBy(() -> with(keysAndValues));
  }

  private static ThrowableAssertAlternative<IllegalArgumentException> refusal(Path file) {
    return assertThatIllegalArgumentException().isThrownBy(() -> JobConfig.load(file, Map.of()));
  }

  private static JobConfig with(String... keysAndValues) {
    Map<String, String> settings = new HashMap<>(Map.of(SERVERS, "one:9092"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      settings.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return JobConfig.of(settings);
  }

  private Path file(String yaml) throws IOException {
    return Files.writeString(directory.resolve("croupier.yaml"), yaml);
  }
}
