package io.croupier.gateway.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * Who may see the page: holders of the admin token alone, or browsers on this machine alone.
 *
 * <p>A browser on this machine connects over the loopback interface, and names it in the request:
 * another site that resolves its own name to 127.0.0.1 can't read the page. A proxy on this machine
 * may send the very same bytes for anybody, so no request is exempt from a token. The token is the
 * bearer token of the request, or the password of HTTP's basic authentication, which browsers ask
 * for; the user's name doesn't matter.
 */
public final class WatchAccess {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final int LEAST_TOKEN = 32;

  /** The digest of the token; empty: browsers on this machine. */
  private final Optional<byte[]> token;

  /** A request with one of these comes from a proxy. */
  private static final List<String> FORWARDED =
      List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");

  private WatchAccess(Optional<byte[]> token) {
    this.token = token.map(WatchAccess::digest);
  }

  /** Only browsers on this machine. */
  public static WatchAccess loopback() {
    return new WatchAccess(Optional.empty());
  }

  /**
   * Only holders of a token, on this machine, too.
   *
   * @param token at least {@value #LEAST_TOKEN} characters
   * @throws IllegalArgumentException if the token is too short
   */
  public static WatchAccess withToken(String token) {
    if (token.length() < LEAST_TOKEN) {
      throw new IllegalArgumentException(
          "the admin token must have at least %d characters".formatted(LEAST_TOKEN));
    }
    return new WatchAccess(Optional.of(token.getBytes(UTF_8)));
  }

  /** Whether the sender of a request may see the page. */
  public boolean admits(Request request) {
    return needsToken() ? hasToken(request) : isLocal(request);
  }

  /** Whether a token admits its holders; without one, no request from elsewhere is admitted. */
  boolean needsToken() {
    return token.isPresent();
  }

  private static boolean isLocal(Request request) {
    SocketAddress remote = request.getConnectionMetaData().getRemoteSocketAddress();
    InetAddress address = remote instanceof InetSocketAddress ip ? ip.getAddress() : null;
    String host = request.getHeaders().get(HttpHeader.HOST);
    return FORWARDED.stream().noneMatch(request.getHeaders()::contains)
        && address != null
        && address.isLoopbackAddress()
        && host != null
        && LOOPBACK.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT));
  }

  private boolean hasToken(Request request) {
    String header = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    if (header == null) {
      return false;
    }
    String[] parts = header.strip().split(" +", 2);
    if (parts.length < 2) {
      return false;
    }
    byte[] given =
        switch (parts[0].toLowerCase(Locale.ROOT)) {
          case "bearer" -> parts[1].getBytes(UTF_8);
          case "basic" -> password(parts[1]);
          default -> new byte[0];
        };
    return MessageDigest.isEqual(digest(given), token.orElseThrow());
  }

  private static byte[] password(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), UTF_8);
      return pair.substring(pair.indexOf(':') + 1).getBytes(UTF_8);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  /** Digests have the same length, so a comparison takes the same time for each. */
  private static byte[] digest(byte[] token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token);
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
