package io.croupier.cli.gateway;

import io.croupier.gateway.config.GatewayConfig;
import io.croupier.job.config.SettingsFile;
import java.nio.file.Path;

/** The gateway's configuration file, read as the job's is. */
final class GatewayFile {
  private GatewayFile() {}

  /**
   * Reads a file; names of other files in it are relative to its directory.
   *
   * @throws IllegalArgumentException if the file or a setting is invalid
   */
  static GatewayConfig read(Path file) {
    return GatewayConfig.of(SettingsFile.read(file), file.toAbsolutePath().getParent());
  }
}
