package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Leads each request to its endpoint, within the limits of its address. */
final class Router extends Handler.Abstract {
  /** Attribute of a request with its {@link Route}. */
  static final String ROUTE = "io.croupier.gateway.route";

  /**
   * Addresses alone, since a name would be looked up. Some proxies append the port, too, with IPv6
   * in brackets; it differs from connection to connection.
   */
  private static final Pattern ADDRESS =
      Pattern.compile(
          "(\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-fA-F:.]{2,45}\\])(?::\\d{1,5})?"
              + "|[0-9a-fA-F.]*:[0-9a-fA-F:.]{1,44}");

  private static final int IPV6_NETWORK_BYTES = 8;
  private static final int IPV6_BYTES = 16;

  /** Nothing of another server, and no page around ours. */
  static final List<HttpField> HEADERS =
      List.of(
          new HttpField(
              "Content-Security-Policy",
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                  + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors"
                  + " 'none'"),
          new HttpField("X-Content-Type-Options", "nosniff"),
          new HttpField("Referrer-Policy", "no-referrer"));

  /** Load balancers ask for these. */
  private static final Set<Route> ALWAYS = Set.of(Route.GET_HEALTH, Route.GET_READINESS);

  private final Map<Route, Consumer<Exchange>> endpoints;
  private final RateLimits addresses;
  private final boolean proxy;
  private final Drain drain;

  Router(
      Map<Route, Consumer<Exchange>> endpoints, RateLimits addresses, boolean proxy, Drain drain) {
    this.endpoints = Map.copyOf(endpoints);
    this.addresses = addresses;
    this.proxy = proxy;
    this.drain = drain;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    HEADERS.forEach(response.getHeaders()::put);
    String path = Request.getPathInContext(request);
    Optional<Route.Match> match = Route.of(request.getMethod(), path);
    match.ifPresent(found -> request.setAttribute(ROUTE, found.route()));
    Exchange exchange =
        new Exchange(request, response, callback, match, address(request, proxy), drain::hasBegun);
    try {
      Optional<Route> route = match.map(Route.Match::route);
      if (route.filter(ALWAYS::contains).isEmpty()) {
        addresses.require(exchange.address());
      }
      endpoints.get(route.orElseThrow(() -> absent(response, path))).accept(exchange);
    } catch (RuntimeException e) {
      exchange.fail(e);
    }
    return true;
  }

  private static ProblemException absent(Response response, String path) {
    List<String> methods = Route.methods(path);
    if (methods.isEmpty()) {
      return new ProblemException(
          ProblemType.NOT_FOUND, "this gateway has no such path; /openapi.json lists all");
    }
    response.getHeaders().put(HttpHeader.ALLOW, String.join(", ", methods));
    return new ProblemException(
        ProblemDocument.of(
            ProblemType.METHOD_NOT_ALLOWED, "the method must be " + String.join(" or ", methods)));
  }

  /** Whom the limits of addresses apply to. */
  static String address(Request request, boolean proxy) {
    String direct = address(request.getConnectionMetaData().getRemoteSocketAddress());
    if (!proxy) {
      return direct;
    }
    List<String> forwarded = request.getHeaders().getValuesList("X-Forwarded-For");
    if (forwarded.isEmpty()) {
      return direct;
    }
    // The proxy appends the address; everything before it may be the client's invention.
    String[] hops = forwarded.get(forwarded.size() - 1).split(",", -1);
    String last = hops[hops.length - 1].strip();
    Matcher found = ADDRESS.matcher(last);
    if (!found.matches()) {
      return direct;
    }
    try {
      return network(InetAddress.getByName(found.group(1) == null ? last : found.group(1)));
    } catch (UnknownHostException e) {
      return direct;
    }
  }

  /** Whom the limits of the other end of a connection apply to. */
  static String address(SocketAddress remote) {
    return remote instanceof InetSocketAddress internet
        ? network(internet.getAddress())
        : String.valueOf(remote);
  }

  /** One sender usually has a whole /64 of IPv6. */
  private static String network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return Arrays.toString(
        bytes.length == IPV6_BYTES ? Arrays.copyOf(bytes, IPV6_NETWORK_BYTES) : bytes);
  }
}
