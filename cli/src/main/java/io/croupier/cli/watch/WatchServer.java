package io.croupier.cli.watch;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Serves the page to browsers on this machine. */
public final class WatchServer implements AutoCloseable {
  private static final int THREADS = 8;
  private static final int LEAST_THREADS = 2;
  private static final int HEADER_BYTES = 8192;

  private final Server server;
  private final WatchHandler page;
  private final ServerConnector connector;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "watch-timer");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Starts the server on 127.0.0.1.
   *
   * @param port 0 for any free port
   * @throws IllegalStateException if the server can't listen
   */
  public WatchServer(WatchFeed feed, int port) {
    this(feed, port, PageSection.NONE, List.of());
  }

  /**
   * Starts the server on 127.0.0.1, with one more section on its page.
   *
   * @param port 0 for any free port
   * @param before handlers that may answer requests before the page does
   * @throws IllegalStateException if the server can't listen
   */
  public WatchServer(WatchFeed feed, int port, PageSection section, List<Handler> before) {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, LEAST_THREADS);
    threads.setName("watch");
    threads.setDaemon(true);
    server = new Server(threads);
    List<Handler> handlers = new ArrayList<>(before);
    page = new WatchHandler(feed, section, scheduler);
    handlers.add(page);
    server.setHandler(new Handler.Sequence(handlers));
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    server.addConnector(connector);
    try {
      server.start();
    } catch (Exception e) {
      scheduler.shutdownNow();
      // The server's own message is the address alone.
      Throwable reason = e.getCause() == null ? e : e.getCause();
      throw new IllegalStateException(
          "The page to watch can't be served on port %d: %s".formatted(port, reason.getMessage()),
          e);
    }
  }

  /** The address of the page. */
  public URI address() {
    return URI.create("http://127.0.0.1:%d/".formatted(connector.getLocalPort()));
  }

  @Override
  public void close() {
    try {
      // The server closes connections before it stops handlers, and this one has a last event.
      page.stop();
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The page to watch can't be stopped", e);
    } finally {
      scheduler.shutdownNow();
    }
  }
}
