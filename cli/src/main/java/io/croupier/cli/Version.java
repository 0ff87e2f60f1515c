package io.croupier.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** Provides the version, as given in the jar's manifest. */
public final class Version implements IVersionProvider {

  /** Used by picocli. */
  public Version() {}

  @Override
  public String[] getVersion() {
    String version =
        Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
            .orElse("(not packaged)");
    return new String[] {"croupier " + version};
  }
}
