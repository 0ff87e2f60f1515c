package io.croupier.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** Provides the version, as given in the jar's manifest. */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version =
        Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
            .orElse("(not packaged)");
    return new String[] {"croupier " + version};
  }
}
