package io.croupier.client;

import java.net.URI;
import java.util.Locale;
import java.util.regex.Pattern;

/** The address of a gateway: https, or http on the loopback interface of this machine. */
public final class GatewayAddress {

  /** Hosts that need no TLS; a name other than localhost may be another machine's. */
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[(0*:)*:?0*1\\]");

  private GatewayAddress() {}

  /**
   * Returns the address.
   *
   * @param gateway base of the gateway's API, without /v1
   * @throws IllegalArgumentException if it is neither an https URL nor an http URL of the loopback
   *     interface, or has a user, a query or a fragment
   */
  public static URI require(URI gateway) {
    return require(gateway, "the gateway");
  }

  static URI require(URI url, String server) {
    String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
    String host = String.valueOf(url.getHost()).toLowerCase(Locale.ROOT);
    if (url.getHost() == null
        || url.getRawUserInfo() != null
        || url.getRawQuery() != null
        || url.getRawFragment() != null) {
      throw new IllegalArgumentException(
          server + "'s URL must consist of scheme, host and, perhaps, port and path");
    }
    if (!scheme.equals("https") && !(scheme.equals("http") && LOOPBACK.matcher(host).matches())) {
      throw new IllegalArgumentException(
          server
              + "'s URL is "
              + url
              + "; it must begin with https, or be one of this machine's loopback interface");
    }
    return url;
  }
}
