package io.croupier.gateway.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs, once for each, the origins of pages whose browsers refuse the gateway's answers because the
 * configuration doesn't allow the origin. The page itself can't distinguish that from an outage.
 */
final class RefusedOrigins extends Handler.Wrapper {
  private static final Logger LOG = LoggerFactory.getLogger(RefusedOrigins.class);

  /** A sender chooses the header, so neither many nor any other text are logged. */
  private static final int MOST = 16;

  private static final Pattern ORIGIN =
      Pattern.compile("null|https?://[a-z0-9.-]{1,100}(:\\d{1,5})?");

  private final Set<String> allowed;
  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  RefusedOrigins(Set<String> allowed, Handler handler) {
    super(handler);
    this.allowed = allowed;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    if (origin != null
        && !allowed.contains(origin)
        && !origin.endsWith("://" + request.getHeaders().get(HttpHeader.HOST))
        && ORIGIN.matcher(origin).matches()
        && logged.size() < MOST
        && logged.add(origin)) {
      LOG.warn(
          "A page of the origin {} calls this gateway, and its browser will refuse the answers. {}",
          origin,
          origin.equals("null")
              ? "A page that is opened as a file has this origin: serve it over HTTP."
              : "If it is yours, add the origin to cors.origins.");
    }
    return super.handle(request, response, callback);
  }
}
