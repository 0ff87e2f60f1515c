package io.croupier.job.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigKeyTest {

  /**
   * When a setting changes, copy the table from this test's failure message to
   * docs/run/settings.md.
   */
  @Test
  void theDocsListEverySetting() throws IOException {
    assertThat(Files.readString(Path.of("../docs/run/settings.md"))).contains(table());
  }

  /** One row of the settings stands for all of them. */
  @Test
  void everyTopicIsNamedAfterItsSettingByDefault() throws IOException {
    String records = Files.readString(Path.of("../docs/reference/records.md"));
    for (ConfigKey key : ConfigKey.values()) {
      if (isNameOfTopic(key)) {
        String name = key.key().substring("topics.".length());
        assertThat(key.byDefault()).isEqualTo("<prefix>." + name);
        assertThat(records).containsPattern("(?m)^\\| ([\\w-]+, )?" + name + "[ ,]");
      }
    }
  }

  private static boolean isNameOfTopic(ConfigKey key) {
    return key.key().startsWith("topics.") && key != ConfigKey.TOPICS_PREFIX;
  }

  @Test
  void meaningsAreSentences() {
    for (ConfigKey key : ConfigKey.values()) {
      assertThat(key.meaning()).as(key.key()).matches("[A-Z][^|]*\\.");
    }
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| setting | default | meaning |\n|---|---|---|\n");
    for (ConfigKey key : ConfigKey.values()) {
      if (isNameOfTopic(key)) {
        continue;
      }
      String byDefault = key.byDefault().isEmpty() ? "" : "`" + key.byDefault() + "`";
      table.append(row(key.key(), byDefault, key.meaning()));
      if (key == ConfigKey.TOPICS_PREFIX) {
        table.append(
            row(
                "topics.NAME",
                "`<prefix>.NAME`",
                "Name of each [topic](../reference/records.md)."));
      }
    }
    return table
        .append(
            row(
                ConfigKey.KAFKA + "*",
                "",
                "Goes to every Kafka client; `kafka.bootstrap.servers` is required."))
        .append(
            row(ConfigKey.FLINK + "*", "", "Goes to Flink, such as `flink.state.backend.type`."))
        .toString();
  }

  private static String row(String key, String byDefault, String meaning) {
    return "| `%s` | %s | %s |\n".formatted(key, byDefault, meaning);
  }
}
