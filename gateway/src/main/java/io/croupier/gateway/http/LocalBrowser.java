package io.croupier.gateway.http;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/**
 * Whether a browser on this machine sent a request: it connects over the loopback interface, and
 * names it in the request, so that another site which resolves its own name to 127.0.0.1 reads
 * nothing. A proxy on this machine without a header of its own sends the very same bytes for
 * anybody, so a page for this machine alone must have no proxy in front of it.
 */
public final class LocalBrowser {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  /** A request with one of these comes from a proxy. */
  private static final List<String> FORWARDED =
      List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");

  private LocalBrowser() {}

  /** Whether it sent this request. */
  public static boolean sent(Request request) {
    String host = request.getHeaders().get(HttpHeader.HOST);
    return FORWARDED.stream().noneMatch(request.getHeaders()::contains)
        && request.getConnectionMetaData().getRemoteSocketAddress()
            instanceof InetSocketAddress remote
        && remote.getAddress().isLoopbackAddress()
        && host != null
        && LOOPBACK.contains(host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT));
  }
}
