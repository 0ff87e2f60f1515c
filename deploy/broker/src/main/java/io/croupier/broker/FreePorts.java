package io.croupier.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports of the loopback interface, for servers that start a moment later, or again. They are
 * below those that operating systems give to connections and to servers without a port of their
 * own, so that no other program receives one meanwhile.
 */
public final class FreePorts {
  private static final int FIRST = 10_000;

  /** Linux gives ports from 32768 on, other systems from 49152 on. */
  private static final int END = 32_000;

  /** More than the brokers of a process need, and without a common divisor with the range. */
  private static final int PORTS_OF_A_PROCESS = 997;

  /** Processes that start together have neighbouring numbers, and begin far from each other. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * PORTS_OF_A_PROCESS % (END - FIRST)));

  private FreePorts() {}

  /**
   * Returns a free port, another one with each call.
   *
   * @throws IllegalStateException if all are taken
   */
  public static int next() {
    for (int i = FIRST; i < END; i++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), END - FIRST);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // It is taken.
      }
    }
    throw new IllegalStateException(
        "No port from %d to %d is free on the loopback interface".formatted(FIRST, END - 1));
  }
}
