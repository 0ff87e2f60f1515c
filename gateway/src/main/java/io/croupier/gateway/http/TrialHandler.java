package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.config.LimitSettings.Rate;
import io.croupier.gateway.identity.Pepper;
import io.croupier.gateway.identity.TestTokens;
import io.croupier.gateway.identity.TokenVerifier;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.gateway.trial.Visits;
import io.croupier.operators.ledger.StoppedUsers;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The part of the gateway's API that a page of a trial needs, for pages of the same origin in
 * browsers on this machine: everything below {@code /v1/}; {@code /trial/identity}, a new subject
 * with a token; and {@code /trial/account}, what the job's account of a token's subject contains.
 *
 * <p>The identities prove nothing: each request gets another one. They are signed under a key of
 * this process, and end with it.
 *
 * <p>A page of another origin can neither send reports nor read a token: requests must name the
 * loopback interface as their host, a header {@code Origin} must be that of the page, {@code
 * Sec-Fetch-Site} must not be that of another site, a report needs a token, and no answer permits
 * another origin.
 */
public final class TrialHandler extends Handler.Abstract {
  private static final String API = "/v1/";
  private static final String IDENTITY = "/trial/identity";
  private static final String ACCOUNT = "/trial/account";
  private static final String REPORTS = "/v1/reports";
  private static final Duration LIFETIME = Duration.ofDays(1);

  /** Enough for a few tabs of one visitor. */
  private static final LimitSettings LIMITS =
      new LimitSettings(
          1 << 16,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          64,
          16,
          32,
          Duration.ofSeconds(25),
          new Rate(60, 20),
          new LimitSettings.Address(new Rate(1200, 300), 32, 64));

  private final TestTokens tokens = TestTokens.inMemory();
  private final Pepper pepper = Pepper.inMemory();
  private final TokenVerifier verifier =
      new TokenVerifier(List.of(), Duration.ofMinutes(1), Clock.systemUTC());

  /** No visitor is. */
  private final StoppedUsers stopped = new StoppedUsers();

  private final Senders senders = new Senders(verifier, pepper, stopped);
  private final Drain drain = new Drain();
  private final Visits visits;
  private final Router router;
  private final ScheduledExecutorService scheduler =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "trial-timer");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Creates a handler. Requests to other paths are left to the next one.
   *
   * @param caughtUp whether all specs and updates have been read; until then, models and reports
   *     are unavailable
   */
  public TrialHandler(
      Visits visits, ReportCheck check, Specs specs, Updates updates, BooleanSupplier caughtUp) {
    this.visits = visits;
    verifier.trust(tokens);
    ApiEndpoints api =
        ApiEndpoints.of(
            new ReportParts(verifier, pepper, stopped, check, visits),
            new ModelParts(specs, updates, caughtUp),
            Optional.empty(),
            Optional.empty(),
            LIMITS,
            task -> getServer().getThreadPool().execute(task),
            scheduler,
            drain);
    router = new Router(api.endpoints(), new RateLimits(LIMITS.address().requests()), false, drain);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String path = Request.getPathInContext(request);
    boolean isOwn = path.equals(IDENTITY) || path.equals(ACCOUNT);
    if (!isOwn && !path.startsWith(API)) {
      return false;
    }
    response.getHeaders().put("Cross-Origin-Resource-Policy", "same-origin");
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    Exchange exchange =
        new Exchange(request, response, callback, Optional.empty(), "", drain::hasBegun);
    try {
      requireSameOrigin(request);
      if (path.equals(REPORTS) && visits.hasEnded()) {
        throw new ProblemException(
            ProblemType.CONFLICT, "the demonstration has ended: it takes no more reports");
      }
      if (!isOwn) {
        return router.handle(request, response, callback);
      }
      requireGet(exchange);
      exchange.header(HttpHeader.CACHE_CONTROL, "no-store");
      JsonObject answer = path.equals(IDENTITY) ? identity() : account(exchange);
      exchange.answer(HttpStatus.OK_200, Exchange.JSON, answer.toString().getBytes(UTF_8));
    } catch (RuntimeException e) {
      exchange.fail(e);
    }
    return true;
  }

  private void requireSameOrigin(Request request) {
    String host = request.getHeaders().get(HttpHeader.HOST);
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    String site = request.getHeaders().get("Sec-Fetch-Site");
    if (!LocalBrowser.sent(request)
        || (origin != null && !origin.equals("http://" + host))
        || (site != null && !site.equals("same-origin") && !site.equals("none"))) {
      throw new ProblemException(
          ProblemType.FORBIDDEN, "only the page of this server may use it, on this machine");
    }
  }

  private static void requireGet(Exchange exchange) {
    if (!exchange.request().getMethod().equals("GET")) {
      exchange.header(HttpHeader.ALLOW, "GET");
      throw new ProblemException(ProblemType.METHOD_NOT_ALLOWED, "the method must be GET");
    }
  }

  private JsonObject identity() {
    String subject = UUID.randomUUID().toString();
    JsonObject json = new JsonObject();
    json.addProperty("subject", subject);
    json.addProperty("token", tokens.mint(subject, Clock.systemUTC().instant(), LIFETIME));
    return json;
  }

  /**
   * The newest verdict on the sender's reports, if there is one, and how many visitors came. An
   * epsilon that is too large for an account is left out.
   */
  private JsonObject account(Exchange exchange) {
    JsonObject json = new JsonObject();
    Visits.Account account = visits.account(senders.authenticate(exchange));
    json.addProperty("visitors", account.visitors());
    json.addProperty("judged", account.judged());
    account
        .newest()
        .ifPresent(
            event -> {
              json.addProperty("sequence", event.getSequence());
              json.addProperty("outcome", event.getOutcome().name());
              json.addProperty("reports", event.getUserTotals().getReports());
              double epsilon = event.getUserTotals().getEpsilon();
              if (Double.isFinite(epsilon)) {
                json.addProperty("epsilon", epsilon);
              }
            });
    return json;
  }

  @Override
  protected void doStop() throws Exception {
    drain.begin();
    scheduler.shutdownNow();
    super.doStop();
  }
}
