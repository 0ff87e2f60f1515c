package io.croupier.cli.gateway;

import io.croupier.cli.InputException;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.gateway.config.IssuerSettings;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.job.config.SettingsFile;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The gateway's configuration file, read as the job's is. */
public final class GatewayFile {
  private GatewayFile() {}

  /**
   * Reads a file; names of other files in it are relative to its directory.
   *
   * @throws InputException if the file or a setting is invalid
   */
  public static GatewayConfig read(Path file) {
    try {
      return GatewayConfig.of(SettingsFile.read(file), file.toAbsolutePath().getParent());
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  /**
   * Returns the user id of a person.
   *
   * @param issuer name of the issuer's settings; null if there is one issuer
   * @param subject the person at the issuer
   * @throws InputException if the subject is blank, which no token's is, there is no such issuer,
   *     or the pepper can't be read
   */
  public static String userId(GatewayConfig config, String issuer, String subject) {
    if (subject.isBlank()) {
      throw new InputException("--subject is blank; it must name a person");
    }
    try {
      return Pepper.read(config.identity().pepper()).userId(identity(config, issuer), subject);
    } catch (IllegalArgumentException e) {
      throw new InputException(e.getMessage(), e);
    }
  }

  private static String identity(GatewayConfig config, String name) {
    Map<String, String> identities = new TreeMap<>();
    if (config.identity().testTokens()) {
      identities.put("test", TestTokens.ISSUER);
    }
    config.identity().issuers().stream()
        .map(IssuerSettings::people)
        .forEach(people -> identities.put(people.name(), people.identity()));
    if (config.identity().testTokens() && identities.size() == config.identity().issuers().size()) {
      throw new InputException("issuers.test needs another name: 'test' is that of test tokens");
    }
    if (name == null && identities.size() == 1) {
      return identities.values().iterator().next();
    }
    if (name == null || !identities.containsKey(name)) {
      throw new InputException(
          "--issuer must be one of the configuration's: " + String.join(", ", identities.keySet()));
    }
    return identities.get(name);
  }
}
