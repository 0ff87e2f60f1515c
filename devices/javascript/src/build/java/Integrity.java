import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;

/** Writes the hash of a file, in the form that browsers take as {@code integrity}, into others. */
final class Integrity {
  public static void main(String[] files) throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-384").digest(Files.readAllBytes(Path.of(files[0])));
    String integrity = "sha384-" + Base64.getEncoder().encodeToString(hash);
    for (int i = 1; i < files.length; i++) {
      Files.write(Path.of(files[i]), integrity.getBytes(US_ASCII));
    }
  }
}
