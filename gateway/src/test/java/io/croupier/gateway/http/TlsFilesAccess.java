package io.croupier.gateway.http;

import io.croupier.gateway.config.ListenSettings.Tls;
import java.nio.file.Path;

/** Opens {@link TlsFiles} to tests of other packages. */
public final class TlsFilesAccess {
  private TlsFilesAccess() {}

  /** Reads certificate and key. */
  public static void read(Path certificate, Path key) {
    TlsFiles unused = new TlsFiles(new Tls(certificate, key));
  }
}
