package io.croupier.gateway.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/** Closes a new connection of an address that has as many as it may have. */
final class AddressConnections implements Connection.Listener {
  private final int most;
  private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

  /**
   * Counts connections by address; of IPv6, by network.
   *
   * @param most how many an address may have
   */
  AddressConnections(int most) {
    this.most = most;
  }

  @Override
  public void onOpened(Connection connection) {
    if (!isWithinTls(connection) && open.merge(address(connection), 1, Integer::sum) > most) {
      connection.getEndPoint().close();
    }
  }

  @Override
  public void onClosed(Connection connection) {
    if (!isWithinTls(connection)) {
      open.computeIfPresent(address(connection), (key, count) -> count == 1 ? null : count - 1);
    }
  }

  /** The connection that carries this one is counted. */
  private static boolean isWithinTls(Connection connection) {
    return connection.getEndPoint() instanceof EndPoint.Wrapper;
  }

  private static String address(Connection connection) {
    return Router.address(connection.getEndPoint().getRemoteSocketAddress());
  }
}
