package io.croupier.gateway.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/** Closes a new connection of an address that has as many as it may have. */
final class AddressConnections implements Connection.Listener {
  private final int most;
  private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

  /** Of the open connections; a closed one has no address any more. */
  private final ConcurrentMap<Connection, String> addresses = new ConcurrentHashMap<>();

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
    // The connection that carries another one, with TLS, is counted.
    if (connection.getEndPoint() instanceof EndPoint.Wrapper) {
      return;
    }
    String address = Router.address(connection.getEndPoint().getRemoteSocketAddress());
    addresses.put(connection, address);
    if (open.merge(address, 1, Integer::sum) > most) {
      connection.getEndPoint().close();
    }
  }

  @Override
  public void onClosed(Connection connection) {
    String address = addresses.remove(connection);
    if (address != null) {
      open.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }
  }
}
