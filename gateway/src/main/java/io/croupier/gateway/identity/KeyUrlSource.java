package io.croupier.gateway.identity;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.croupier.client.BoundedBody;
import io.croupier.gateway.config.IssuerSettings.Discovery;
import io.croupier.gateway.config.IssuerSettings.KeyUrl;
import io.croupier.gateway.config.IssuerSettings.Keys;
import io.croupier.schemas.VisibleText;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Public keys behind a URL. A thread of its own fetches them, regularly and when a token names a
 * key that is not among them; no request waits for that. Such a key doesn't exist only if the keys
 * were fetched after a token had named it first. Keys outlive an outage of the URL for a while.
 */
final class KeyUrlSource implements JWKSource<SecurityContext>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeyUrlSource.class);
  private static final int MOST_BYTES = 1 << 18;
  private static final int OK = 200;

  /** What tokens may invent: some are forgotten, whose tokens are then sent again. */
  private static final int MOST_UNKNOWN = 1000;

  /** Key ids are far shorter; those that begin alike count as one. */
  private static final int MOST_ID = 256;

  private final URL url;
  private final Times times;
  private final Optional<Discovery> discovery;
  private final HttpClient client;
  private final ScheduledExecutorService executor;
  private volatile Fetched fetched;

  /** When a token named a key first that was not among the fetched ones, by the key's id. */
  private final Cache<String, Long> unknown =
      Caffeine.newBuilder().maximumSize(MOST_UNKNOWN).build();

  // Guarded by this.
  private ScheduledFuture<?> next;
  private boolean running;
  private long begun;
  private boolean failing;

  /**
   * When keys are fetched.
   *
   * @param refresh time from a fetch to the next one
   * @param retry the same after a failure; fetches begin at least this far apart
   * @param fresh the same for fetches because of unknown keys; for this long, a key that is not
   *     among the fetched ones doesn't exist
   * @param keep how old keys may become while the URL fails
   * @param patience longest time of a request, from the connection to the last byte
   */
  record Times(Duration refresh, Duration retry, Duration fresh, Duration keep, Duration patience) {
    static final Times DEFAULT =
        new Times(
            Duration.ofMinutes(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            Duration.ofSeconds(5));
  }

  /**
   * Keys as they were at a time.
   *
   * @param nanos when the fetch began
   */
  private record Fetched(JWKSet keys, long nanos) {
    boolean isWithin(Duration age) {
      return System.nanoTime() - nanos <= age.toNanos();
    }
  }

  /**
   * Begins to fetch.
   *
   * @param keys a URL, or a configuration that names one
   */
  KeyUrlSource(Keys keys, Times times) {
    discovery = keys instanceof Discovery found ? Optional.of(found) : Optional.empty();
    url = discovery.map(Discovery::configuration).orElseGet(() -> ((KeyUrl) keys).url());
    this.times = times;
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(
                url.getProtocol().equals("https")
                    ? HttpClient.Redirect.NORMAL
                    : HttpClient.Redirect.NEVER)
            .connectTimeout(times.patience)
            .build();
    executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "gateway-keys");
              thread.setDaemon(true);
              return thread;
            });
    next = executor.schedule(this::fetch, 0, TimeUnit.NANOSECONDS);
  }

  /** Signals that a key may be newer than the fetched ones. */
  static final class UnknownKeyException extends JWKSetUnavailableException {
    private static final long serialVersionUID = 1;
    private final Duration nextFetch;

    private UnknownKeyException(Duration nextFetch) {
      super("the key may be newer than the fetched ones");
      this.nextFetch = nextFetch;
    }

    /** The time until the keys are fetched again. */
    Duration nextFetch() {
      return nextFetch;
    }
  }

  /**
   * The keys that a token may have been signed by.
   *
   * @return no key if the issuer has none such
   * @throws UnknownKeyException if the next fetch decides that
   * @throws JWKSetUnavailableException if that isn't known now for another reason
   */
  @Override
  public List<JWK> get(JWKSelector selector, SecurityContext context)
      throws JWKSetUnavailableException {
    Fetched present = fetched;
    if (present == null || !present.isWithin(times.keep)) {
      throw new JWKSetUnavailableException("the keys have not been fetched");
    }
    List<JWK> keys = selector.select(present.keys);
    if (keys.isEmpty()) {
      long first = unknown.get(id(selector), named -> System.nanoTime());
      if (present.nanos - first <= 0 || !present.isWithin(times.fresh)) {
        throw new UnknownKeyException(fetchSoon());
      }
    }
    return keys;
  }

  private static String id(JWKSelector selector) {
    Set<String> ids = selector.getMatcher().getKeyIDs();
    String id = ids == null ? "" : String.valueOf(ids.iterator().next());
    return id.substring(0, Math.min(id.length(), MOST_ID));
  }

  /** Fetches as soon as the pause after the last fetch allows; returns the time until then. */
  private synchronized Duration fetchSoon() {
    if (running) {
      return Duration.ZERO;
    }
    Duration apart = times.fresh.compareTo(times.retry) > 0 ? times.fresh : times.retry;
    long pause = Math.max(0, begun + apart.toNanos() - System.nanoTime());
    if (next.getDelay(TimeUnit.NANOSECONDS) > pause) {
      next.cancel(false);
      schedule(Duration.ofNanos(pause));
    }
    return Duration.ofNanos(Math.max(0, Math.min(pause, next.getDelay(TimeUnit.NANOSECONDS))));
  }

  private void schedule(Duration delay) {
    if (!executor.isShutdown()) {
      next = executor.schedule(this::fetch, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void fetch() {
    synchronized (this) {
      running = true;
      begun = System.nanoTime();
    }
    Duration delay = times.retry;
    try {
      fetched = new Fetched(load(), begun);
      delay = times.refresh;
      failing = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | ParseException | RuntimeException e) {
      if (!failing) {
        // Parsers and the HTTP client quote what the server sent.
        LOG.warn(
            "The keys at {} can't be fetched; trying again: {}",
            url,
            VisibleText.line(e.toString()));
      }
      failing = true;
    } finally {
      synchronized (this) {
        running = false;
        schedule(delay);
      }
    }
  }

  private JWKSet load() throws IOException, ParseException, InterruptedException {
    URL keys = discovery.isPresent() ? discovered(text(url), discovery.get().issuer()) : url;
    return PublicKeys.of(text(keys));
  }

  /** The URL of the keys that a configuration names. An issuer can't speak for another one. */
  private URL discovered(String configuration, String issuer) throws ParseException {
    Map<String, Object> fields = JSONObjectUtils.parse(configuration);
    if (!issuer.equals(JSONObjectUtils.getString(fields, "issuer"))) {
      throw new IllegalArgumentException("the configuration's issuer must be " + issuer);
    }
    try {
      URL keys = KeyUrl.of(String.valueOf(JSONObjectUtils.getString(fields, "jwks_uri"))).url();
      if (keys.getProtocol().equals(url.getProtocol())) {
        return keys;
      }
    } catch (IllegalArgumentException e) {
      // The exception below covers this case, too.
    }
    throw new IllegalArgumentException("the configuration's jwks_uri must be an https URL");
  }

  private String text(URL from) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(from.toString())).timeout(times.patience).build();
    CompletableFuture<HttpResponse<byte[]>> response =
        client.sendAsync(request, head -> new BoundedBody(head, MOST_BYTES));
    try {
      HttpResponse<byte[]> answer = response.get(times.patience.toNanos(), TimeUnit.NANOSECONDS);
      if (answer.statusCode() != OK) {
        throw new IOException("the answer has status " + answer.statusCode());
      }
      return new String(answer.body(), StandardCharsets.UTF_8);
    } catch (TimeoutException e) {
      throw new IOException("no answer within %d ms".formatted(times.patience.toMillis()), e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      // Without an effect on one that has ended.
      response.cancel(true);
    }
  }

  /** Stops to fetch. */
  @Override
  public void close() {
    synchronized (this) {
      executor.shutdownNow();
    }
  }
}
