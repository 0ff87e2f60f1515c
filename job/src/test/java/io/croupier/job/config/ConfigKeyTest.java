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

  @Test
  void meaningsAreSentences() {
    for (ConfigKey key : ConfigKey.values()) {
      assertThat(key.meaning()).as(key.key()).matches("[A-Z][^|]*\\.");
    }
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| setting | default | meaning |\n|---|---|---|\n");
    for (ConfigKey key : ConfigKey.values()) {
      String byDefault = key.byDefault().isEmpty() ? "" : "`" + key.byDefault() + "`";
      table.append(row(key.key(), byDefault, key.meaning()));
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
