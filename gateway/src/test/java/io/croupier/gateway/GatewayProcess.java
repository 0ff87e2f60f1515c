package io.croupier.gateway;

import io.croupier.gateway.config.GatewayConfig;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** A gateway in a process of its own, which a test kills: {@code SETTINGS}, a properties file. */
final class GatewayProcess {
  private GatewayProcess() {}

  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    }
    Map<String, String> settings = new HashMap<>();
    properties.forEach((key, value) -> settings.put((String) key, (String) value));
    new Gateway(GatewayConfig.of(settings, file.toAbsolutePath().getParent()));
  }
}
