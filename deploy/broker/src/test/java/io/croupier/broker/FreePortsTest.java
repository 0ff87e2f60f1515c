package io.croupier.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  @Test
  void eachPortIsAnotherOneThatIsGivenToNoConnection() throws Exception {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      ports.add(FreePorts.next());
    }
    assertThat(ports).hasSize(50).allMatch(port -> port >= 10_000 && port < 32_000);
  }

  @Test
  void takenPortsAreLeftOut() throws Exception {
    List<ServerSocket> taken = new ArrayList<>();
    try {
      int first = FreePorts.next();
      for (int port = first + 1; port < first + 10; port++) {
        try {
          taken.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        } catch (IOException e) {
          // Another program has it.
        }
      }
      int next = FreePorts.next();
      assertThat(taken).isNotEmpty().noneMatch(socket -> socket.getLocalPort() == next);
    } finally {
      for (ServerSocket socket : taken) {
        socket.close();
      }
    }
  }
}
