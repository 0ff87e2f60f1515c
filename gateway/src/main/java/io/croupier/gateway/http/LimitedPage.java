package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.watch.WatchHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** The page to watch within the limits of addresses: each request may be a guess at its token. */
final class LimitedPage extends Handler.Wrapper {
  private final RateLimits addresses;
  private final boolean proxy;

  LimitedPage(WatchHandler page, RateLimits addresses, boolean proxy) {
    super(page);
    this.addresses = addresses;
    this.proxy = proxy;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    if (Request.getPathInContext(request).startsWith(GatewayServer.PAGE)) {
      String address = Router.address(request, proxy);
      try {
        addresses.require(address);
      } catch (ProblemException e) {
        Router.HEADERS.forEach(response.getHeaders()::put);
        Route.Match none = new Route.Match(Route.GET_HEALTH, "");
        new Exchange(request, response, callback, none, address, () -> false).fail(e);
        return true;
      }
    }
    return super.handle(request, response, callback);
  }
}
