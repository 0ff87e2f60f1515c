package io.croupier.gateway.identity;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import io.croupier.schemas.FileErrors;
import io.croupier.schemas.Utf8Text;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.text.ParseException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Public keys in a file, which is read again when it has changed. */
final class KeyFileSource implements JWKSource<SecurityContext> {
  private static final Logger LOG = LoggerFactory.getLogger(KeyFileSource.class);

  private final String setting;
  private final Path file;

  // Guarded by this.
  private FileVersion version;
  private JWKSet keys;
  private String logged = "";

  /** A file is replaced by renaming another, or overwritten: one of the three changes. */
  private record FileVersion(Object id, long modified, long size) {}

  /**
   * Reads the file.
   *
   * @param setting that names it
   * @throws IllegalArgumentException if it can't be read, or contains no JWK set
   */
  KeyFileSource(String setting, Path file) {
    this.setting = setting;
    this.file = file;
    try {
      version = version();
      keys = load();
    } catch (IOException | ParseException e) {
      throw new IllegalArgumentException(fault(e), e);
    }
  }

  @Override
  public synchronized List<JWK> get(JWKSelector selector, SecurityContext context) {
    try {
      FileVersion present = version();
      if (!present.equals(version)) {
        keys = load();
        version = present;
      }
      logged = "";
    } catch (IOException | ParseException e) {
      // Once, since every request reads the file until it is repaired.
      String fault = fault(e);
      if (!fault.equals(logged)) {
        LOG.warn("{}; the keys read before stay in use", fault);
      }
      logged = fault;
    }
    return selector.select(keys);
  }

  private String fault(Exception e) {
    return "%s is %s: %s"
        .formatted(
            setting,
            file,
            e instanceof IOException unread
                ? FileErrors.unreadable(unread)
                : "it must be a JWK set with the issuer's public keys");
  }

  private FileVersion version() throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    return new FileVersion(
        attributes.fileKey(), attributes.lastModifiedTime().toMillis(), attributes.size());
  }

  private JWKSet load() throws IOException, ParseException {
    return PublicKeys.of(Utf8Text.read(file));
  }
}
