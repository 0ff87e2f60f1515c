package io.croupier.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Connects to servers, to find out whether they can be reached, for at most some three seconds. */
final class ConnectionAttempts {
  private static final Duration CONNECT = Duration.ofSeconds(3);

  private ConnectionAttempts() {}

  /** Returns why connections to addresses fail, by their names; those that succeed are left out. */
  static Map<String, String> failures(Map<String, InetSocketAddress> addresses) {
    Map<String, CompletableFuture<String>> attempts = new LinkedHashMap<>();
    addresses.forEach((name, address) -> attempts.put(name, attempt(address)));
    Map<String, String> failures = new LinkedHashMap<>();
    attempts.forEach(
        (name, attempt) -> {
          String failure = attempt.join();
          if (!failure.isEmpty()) {
            failures.put(name, failure);
          }
        });
    return failures;
  }

  /** Connects in a thread of its own, since a look-up of a name has no timeout. */
  private static CompletableFuture<String> attempt(InetSocketAddress address) {
    CompletableFuture<String> failure = new CompletableFuture<>();
    Thread thread = new Thread(() -> failure.complete(failure(address)), "connect");
    thread.setDaemon(true);
    thread.start();
    return failure.completeOnTimeout(
        "no answer within %d s".formatted(CONNECT.toSeconds()),
        CONNECT.toMillis() + 500,
        TimeUnit.MILLISECONDS);
  }

  private static String failure(InetSocketAddress address) {
    InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
    if (resolved.isUnresolved()) {
      return "unknown host";
    }
    try (Socket socket = new Socket()) {
      socket.connect(resolved, (int) CONNECT.toMillis());
      return "";
    } catch (ConnectException e) {
      return "connection refused";
    } catch (SocketTimeoutException e) {
      return "no answer within %d s".formatted(CONNECT.toSeconds());
    } catch (IOException e) {
      return e.getMessage();
    }
  }
}
