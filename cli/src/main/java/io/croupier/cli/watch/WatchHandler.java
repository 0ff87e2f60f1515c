package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.gateway.http.LocalBrowser;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Serves the page to browsers on this machine: its files, {@code snapshot}, all numbers in JSON,
 * and {@code events}, the newest numbers once a second as server-sent events. All of it is
 * read-only.
 */
final class WatchHandler extends Handler.Abstract {
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'"
          + " data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration CACHED = Duration.ofMillis(500);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";

  private static final List<HttpField> HEADERS =
      List.of(
          new HttpField("Content-Security-Policy", POLICY),
          new HttpField("X-Content-Type-Options", "nosniff"),
          new HttpField("Referrer-Policy", "no-referrer"),
          new HttpField("Cross-Origin-Resource-Policy", "same-origin"),
          new HttpField("Cache-Control", "no-store"));

  private final WatchFeed feed;
  private final Map<String, PageFile> files;
  private final WatchStreams streams = new WatchStreams();
  private final ScheduledFuture<?> ticks;

  private byte[] snapshot;
  private long snapshotAt;

  /**
   * Creates a handler.
   *
   * @param section one more of the page
   * @param scheduler sends events; must run until the handler is stopped
   */
  WatchHandler(WatchFeed feed, PageSection section, ScheduledExecutorService scheduler) {
    this.feed = feed;
    files = PageFile.all(section);
    ticks =
        scheduler.scheduleAtFixedRate(
            this::tick, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    HEADERS.forEach(response.getHeaders()::put);
    String name = Request.getPathInContext(request).replaceFirst("^/", "");
    if (!LocalBrowser.sent(request)) {
      refuse(
          request,
          response,
          callback,
          HttpStatus.FORBIDDEN_403,
          "The page is for browsers on this machine, under its loopback address.");
    } else if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
      response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
      refuse(
          request, response, callback, HttpStatus.METHOD_NOT_ALLOWED_405, "The page is read-only.");
    } else if (name.equals("snapshot")) {
      answer(request, response, callback, HttpStatus.OK_200, JSON, ByteBuffer.wrap(snapshot()));
    } else if (name.equals("events") && request.getMethod().equals("GET")) {
      if (!streams.open(request, response, callback, feed.newest())) {
        refuse(
            request,
            response,
            callback,
            HttpStatus.SERVICE_UNAVAILABLE_503,
            "Too many readers; the page polls instead.");
      }
    } else if (files.containsKey(name)) {
      PageFile file = files.get(name);
      answer(request, response, callback, HttpStatus.OK_200, file.type(), file.bytes());
    } else {
      refuse(request, response, callback, HttpStatus.NOT_FOUND_404, "There is no such file.");
    }
    return true;
  }

  private static void refuse(
      Request request, Response response, Callback callback, int status, String sentence) {
    answer(request, response, callback, status, TEXT, UTF_8.encode(sentence + "\n"));
  }

  private static void answer(
      Request request,
      Response response,
      Callback callback,
      int status,
      String type,
      ByteBuffer bytes) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.remaining());
    boolean head = request.getMethod().equals("HEAD");
    response.write(true, head ? null : bytes.slice(), callback);
  }

  /** The snapshot, which many readers share. */
  private synchronized byte[] snapshot() {
    long now = System.nanoTime();
    if (snapshot == null || now - snapshotAt > CACHED.toNanos()) {
      snapshot = feed.snapshot();
      snapshotAt = now;
    }
    return snapshot;
  }

  private void tick() {
    if (!streams.isEmpty()) {
      streams.send(feed.newest());
    }
  }

  /** Sends the last numbers and ends all streams; no new ones begin. */
  @Override
  protected void doStop() throws Exception {
    ticks.cancel(false);
    streams.close(feed.newest());
    super.doStop();
  }
}
