package io.croupier.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest names. */
public final class Version implements IVersionProvider {

  /** For picocli. */
  public Version() {}

  @Override
  public String[] getVersion() {
    String version =
        Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
            .orElse("(not packaged)");
    return new String[] {"croupier " + version};
  }
}
