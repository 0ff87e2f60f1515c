package io.croupier.cli.person;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.cli.InputException;
import io.croupier.cli.gateway.GatewayFile;
import io.croupier.cli.io.InvisibleCharacter;
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

    String userId(String person) {
      return GatewayFile.userId(GatewayFile.read(gateway), issuer, person);
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
    return subject != null ? subject.userId(subject.name) : requireUser(user, "--user");
  }

  /**
   * The same for a command that changes something and doesn't look whether there is such a person:
   * it must not succeed for an id that names no one. An id of a gateway has neither blanks nor
   * invisible characters. One that a writer of the gradient topics chose may have them; commands
   * that look for its events take it as it is.
   *
   * @throws InputException also if it contains an invisible character
   */
  final String visibleUserId() {
    return subject != null
        ? subject.userId(visible(subject.name, "--subject"))
        : requireUser(visible(user, "--user"), "--user");
  }

  /** The text without the blanks at its ends, if all of it is visible. */
  static String visible(String text, String where) {
    String stripped = text.strip();
    InvisibleCharacter.in(stripped)
        .ifPresent(
            fault -> {
              throw new InputException(where + " " + fault);
            });
    return stripped;
  }

  /** The option that states the person, with its value and the user id. */
  public final String inWords() {
    return subject != null
        ? "--subject is %s, of user id %s".formatted(subject.name, userId())
        : "--user is " + user;
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
