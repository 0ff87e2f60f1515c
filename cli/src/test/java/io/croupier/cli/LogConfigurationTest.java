package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.junit.jupiter.api.Test;

class LogConfigurationTest {
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
