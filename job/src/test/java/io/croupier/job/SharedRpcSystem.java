package io.croupier.job;

import java.util.Comparator;
import java.util.ServiceLoader;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.runtime.rpc.RpcSystemLoader;

/**
 * Loads the classes of Flink's remote calls once. Flink's own loader unpacks, loads and compiles
 * them anew for each mini-cluster, which takes seconds of CPU time, and tests start many. The
 * clusters share classes alone: each has actors of its own.
 */
public final class SharedRpcSystem implements RpcSystemLoader {
  private static RpcSystem shared;

  /** Lower ones are asked first, and Flink's is 0. */
  @Override
  public int getLoadPriority() {
    return -1;
  }

  @Override
  public RpcSystem loadRpcSystem(Configuration configuration) {
    synchronized (SharedRpcSystem.class) {
      if (shared == null) {
        shared = flinks().loadRpcSystem(configuration);
        Runtime.getRuntime().addShutdownHook(new Thread(shared::close));
      }
      return new StaysOpen(shared);
    }
  }

  private static RpcSystemLoader flinks() {
    return ServiceLoader.load(RpcSystemLoader.class).stream()
        .filter(loader -> loader.type() != SharedRpcSystem.class)
        .map(ServiceLoader.Provider::get)
        .min(Comparator.comparingInt(RpcSystemLoader::getLoadPriority))
        .orElseThrow();
  }
}
