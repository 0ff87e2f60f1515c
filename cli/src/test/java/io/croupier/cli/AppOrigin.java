package io.croupier.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;

/** The server of an app, of another origin than gateway and relay: the files of the class path. */
final class AppOrigin implements AutoCloseable {
  private final HttpServer server;

  AppOrigin() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", AppOrigin::serve);
    server.start();
  }

  private static void serve(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    try (exchange;
        InputStream file =
            AppOrigin.class.getResourceAsStream("/META-INF/resources/croupier" + path)) {
      if (file == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String type = path.endsWith(".html") ? "text/html" : "text/javascript";
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(200, 0);
      file.transferTo(exchange.getResponseBody());
    }
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
