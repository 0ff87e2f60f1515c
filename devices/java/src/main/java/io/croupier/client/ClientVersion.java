package io.croupier.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The version of this library. A device sends it with its requests to a gateway as {@value
 * #HEADER}, so that operators see which versions are in use; it is the same for all people who use
 * the version. Anonymous reports, and requests for what they need, don't contain it.
 */
public final class ClientVersion {
  /** Such as {@code 0.3.0}. */
  public static final String VALUE = read();

  /** The field of a request. */
  static final String HEADER = "Croupier-Client";

  private ClientVersion() {}

  private static String read() {
    try (InputStream text = ClientVersion.class.getResourceAsStream("client-version")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
