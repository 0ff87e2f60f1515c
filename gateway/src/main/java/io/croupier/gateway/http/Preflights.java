package io.croupier.gateway.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Answers preflights, whose header is complete. Jetty's own handler ends them without a write; the
 * next request of the connection, if it has to wait, then sometimes has no answer.
 */
final class Preflights extends Handler.Wrapper {
  Preflights(Handler handler) {
    super(handler);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (HttpMethod.OPTIONS.is(request.getMethod())
        && request.getHeaders().contains(HttpHeader.ACCESS_CONTROL_REQUEST_METHOD)) {
      response.write(true, null, callback);
      return true;
    }
    return super.handle(request, response, callback);
  }
}
