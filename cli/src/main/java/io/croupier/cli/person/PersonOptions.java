package io.croupier.cli.person;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.cli.InputException;
import io.croupier.cli.gateway.GatewayFile;
import io.croupier.schemas.GradientReports;
import java.nio.file.Path;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/**
 * A person: by the user id, or by the subject of the person's tokens. A group of which one is
 * given.
 */
public class PersonOptions {
  @Option(
      names = "--user",
      paramLabel = "ID",
      required = true,
      description = "The user, as in the user_id of reports.")
  private String user;

  @ArgGroup(exclusive = false)
  private Subject subject;

  /** A person at an issuer of tokens. */
  private static final class Subject {
    @Option(
        names = "--subject",
        paramLabel = "NAME",
        required = true,
        description = "The person at the issuer of tokens, instead of --user.")
    private String name;

    @Option(
        names = "--gateway",
        paramLabel = "FILE",
        required = true,
        description = "The gateway's configuration, with whose pepper the user id is computed.")
    private Path gateway;

    @Option(
        names = "--issuer",
        paramLabel = "NAME",
        description = "Name of the issuer's settings there; needed if there are several.")
    private String issuer;

    String userId() {
      return GatewayFile.userId(GatewayFile.read(gateway), issuer, name);
    }
  }

  /** Whether a person is given. */
  public final boolean isGiven() {
    return user != null || subject != null;
  }

  /**
   * The person's user id.
   *
   * @throws InputException if it can't be one
   */
  public final String userId() {
    return subject != null ? subject.userId() : requireUser(user, "--user");
  }

  /** Returns a user id, if it can be one. The message doesn't quote it. */
  static String requireUser(String user, String where) {
    if (!GradientReports.isUserId(user)) {
      throw new InputException(
          "%s has %d bytes; a user_id has 1 to %d"
              .formatted(where, user.getBytes(UTF_8).length, GradientReports.MAX_ID_BYTES));
    }
    return user;
  }
}
