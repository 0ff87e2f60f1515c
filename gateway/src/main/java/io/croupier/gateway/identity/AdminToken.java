package io.croupier.gateway.identity;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/** The token of operators, who may see the page to watch from other machines. */
public final class AdminToken {
  private static final int BYTES = 32;
  private static final String KIND = "the admin token";

  private AdminToken() {}

  /**
   * Creates a file with a new token; an existing file stays as it is.
   *
   * @return whether the file was created
   */
  public static boolean create(Path file) throws IOException {
    byte[] secret = new byte[BYTES];
    new SecureRandom().nextBytes(secret);
    return SecretFile.create(file, Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
  }

  /**
   * Reads the token.
   *
   * @throws IllegalArgumentException if the file can't be read, or others may read it
   */
  public static String read(Path file) {
    return SecretFile.read(file, KIND);
  }
}
