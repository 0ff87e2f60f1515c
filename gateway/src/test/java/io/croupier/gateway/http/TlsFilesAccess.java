package io.croupier.gateway.http;

import io.croupier.gateway.config.ListenSettings.Tls;
import java.nio.file.Path;

/** Opens {@link TlsFiles} to tests of other packages. */
public final class TlsFilesAccess {
  private TlsFilesAccess() {}

  /** Reads certificate and key; returns what reads them again. */
  public static Runnable read(Path certificate, Path key) {
    return new TlsFiles(new Tls(certificate, key))::reload;
  }
}
