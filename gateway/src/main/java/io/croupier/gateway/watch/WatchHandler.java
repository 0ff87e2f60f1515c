package io.croupier.gateway.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

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
 * Serves the page below a path: its files, {@code snapshot}, all numbers in JSON, and {@code
 * events}, the newest numbers once a second as server-sent events. All of it is read-only.
 */
public final class WatchHandler extends Handler.Abstract {
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

  private final String base;
  private final WatchFeed feed;
  private final WatchAccess access;
  private final Map<String, PageFile> files;
  private final WatchStreams streams = new WatchStreams();
  private final ScheduledFuture<?> ticks;

  private byte[] snapshot;
  private long snapshotAt;

  /**
   * Creates a handler. Requests to other paths are left to the next one.
   *
   * @param base the path of the page, from slash to slash
   * @param scheduler sends events; must run until the handler is stopped
   */
  public WatchHandler(
      String base, WatchFeed feed, WatchAccess access, ScheduledExecutorService scheduler) {
    this(base, feed, access, scheduler, PageSection.NONE);
  }

  /**
   * Creates a handler whose page has one more section.
   *
   * @param base the path of the page, from slash to slash
   * @param scheduler sends events; must run until the handler is stopped
   */
  WatchHandler(
      String base,
      WatchFeed feed,
      WatchAccess access,
      ScheduledExecutorService scheduler,
      PageSection section) {
    if (!base.startsWith("/") || !base.endsWith("/")) {
      throw new IllegalArgumentException("base is '%s'; it must be from / to /".formatted(base));
    }
    this.base = base;
    this.feed = feed;
    this.access = access;
    files = PageFile.all(section);
    ticks =
        scheduler.scheduleAtFixedRate(
            this::tick, PERIOD.toMillis(), PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String path = Request.getPathInContext(request);
    if (path.equals(base.substring(0, base.length() - 1)) && !path.isEmpty()) {
      response.getHeaders().put(HttpHeader.LOCATION, base);
      answer(
          request,
          response,
          callback,
          HttpStatus.PERMANENT_REDIRECT_308,
          TEXT,
          ByteBuffer.allocate(0));
      return true;
    }
    if (!path.startsWith(base)) {
      return false;
    }
    HEADERS.forEach(response.getHeaders()::put);
    String name = path.substring(base.length());
    if (!access.admits(request) && !access.needsToken()) {
      refuse(
          request,
          response,
          callback,
          HttpStatus.FORBIDDEN_403,
          "The page is for browsers on this machine, under its loopback address.");
    } else if (!access.admits(request)) {
      response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Basic realm=\"croupier watch\"");
      refuse(request, response, callback, HttpStatus.UNAUTHORIZED_401, "The page needs a token.");
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

  @Override
  protected void doStop() throws Exception {
    endStreams();
    super.doStop();
  }

  /** Sends the last numbers and ends all streams; no new ones begin. */
  public void endStreams() {
    ticks.cancel(false);
    streams.close(feed.newest());
  }
}
