package io.croupier.job;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rpc.AddressResolution;
import org.apache.flink.runtime.rpc.RpcSystem;

/**
 * An RPC system whose classes stay loaded when it is closed.
 *
 * @param system that others use, too
 */
record StaysOpen(RpcSystem system) implements RpcSystem {

  @Override
  public RpcServiceBuilder localServiceBuilder(Configuration configuration) {
    return system.localServiceBuilder(configuration);
  }

  @Override
  public RpcServiceBuilder remoteServiceBuilder(
      Configuration configuration, String externalAddress, String externalPortRange) {
    return system.remoteServiceBuilder(configuration, externalAddress, externalPortRange);
  }

  @Override
  public String getRpcUrl(
      String hostname,
      int port,
      String endpointName,
      AddressResolution addressResolution,
      Configuration configuration)
      throws UnknownHostException {
    return system.getRpcUrl(hostname, port, endpointName, addressResolution, configuration);
  }

  @Override
  public InetSocketAddress getInetSocketAddressFromRpcUrl(String url) throws Exception {
    return system.getInetSocketAddressFromRpcUrl(url);
  }

  @Override
  public long getMaximumMessageSizeInBytes(Configuration configuration) {
    return system.getMaximumMessageSizeInBytes(configuration);
  }

  @Override
  public void close() {}
}
