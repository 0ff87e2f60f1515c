package io.croupier.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogConfigurationTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"../cli/src/main/resources/log4j2.xml", "../deploy/conf/log4j2.properties"})
  void aMessageIsOneLineThatNoTerminalObeys(String file) throws Exception {
    Configuration configuration =
        ConfigurationFactory.getInstance().getConfiguration(null, "test", Path.of(file).toUri());
    configuration.initialize();
    Layout<?> layout = configuration.getAppender("console").getLayout();
    LogEvent event =
        Log4jLogEvent.newBuilder()
            .setLoggerName("a.b")
            .setLevel(Level.WARN)
            .setMessage(new SimpleMessage("Zo\u00eb\u001b[31m\r\nWARN forged\u202e\u2028\u009b {}"))
            .setThrown(new IllegalStateException("why\u001b[2J"))
            .build();

    List<String> lines = new String(layout.toByteArray(event), UTF_8).lines().toList();

    assertThat(lines.get(0)).endsWith("Zo\u00eb?[31m\\r\\nWARN forged??? {}");
    assertThat(lines.get(1)).isEqualTo("java.lang.IllegalStateException: why?[2J");
    assertThat(lines.get(2)).startsWith("\tat ");
  }

  /** The HTTP server's warnings quote requests, whole bearer tokens among them. */
  @Test
  void noWarningOfTheHttpServerIsLogged() throws Exception {
    try (InputStream shipped = LogConfigurationTest.class.getResourceAsStream("/log4j2.xml")) {
      XmlConfiguration configuration = new XmlConfiguration(null, new ConfigurationSource(shipped));
      configuration.initialize();
      assertThat(configuration.getLoggerConfig("io.croupier.gateway.kafka").getLevel())
          .isEqualTo(Level.WARN);
      for (String name : new String[] {"util.HostPort", "http.HttpParser", "server.Server"}) {
        assertThat(configuration.getLoggerConfig("org.eclipse.jetty." + name).getLevel())
            .as(name)
            .isEqualTo(Level.ERROR);
      }
    }
  }
}
