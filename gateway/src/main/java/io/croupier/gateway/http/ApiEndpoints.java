package io.croupier.gateway.http;

import io.croupier.gateway.config.LimitSettings;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * The endpoints below {@code /v1/}, the same for a gateway's server and for a page of a trial.
 *
 * @param endpoints by their routes
 * @param concurrent places of the reports that are checked and stored at the same time
 * @param bytes places of the bytes of bodies, for each user's reports until they are answered
 * @param waiting places of the requests that wait for updates
 */
record ApiEndpoints(
    Map<Route, Consumer<Exchange>> endpoints, Places concurrent, Places bytes, Places waiting) {

  /** This many users may together hold all the memory of bodies. */
  private static final int SENDERS = 16;

  /** More than any request for a token has, whose JSON takes many times its bytes of memory. */
  private static final int TOKEN_REQUEST_BYTES = 1 << 13;

  private static final Set<Route> OF_ANONYMOUS =
      Set.of(
          Route.POST_TOKEN,
          Route.POST_ANONYMOUS_REPORT,
          Route.POST_ENCAPSULATED,
          Route.GET_OBLIVIOUS_KEYS,
          Route.GET_WINDOWS);

  /**
   * Makes the endpoints.
   *
   * @param accounts empty if the gateway shows no accounts
   * @param anonymous empty if the gateway takes no anonymous reports
   * @param threads answer requests that had to wait
   * @param timer ends what lasts too long
   * @param drain ends what waits when the server stops
   */
  static ApiEndpoints of(
      ReportParts reports,
      ModelParts models,
      Optional<AccountParts> accounts,
      Optional<AnonymousParts> anonymous,
      LimitSettings limits,
      Executor threads,
      ScheduledExecutorService timer,
      Drain drain) {
    // Once its body has arrived, every report ends soon, so all senders may share these places.
    Places concurrent = new Places(limits.concurrent(), limits.concurrent());
    long most = (long) limits.concurrent() * limits.body();
    Places bytes = new Places(most, Math.max(limits.body(), most / SENDERS));
    Places waiting = new Places(limits.waiting(), limits.address().waiting());
    Senders senders = new Senders(reports.tokens(), reports.pepper(), reports.stopped());
    RateLimits users = new RateLimits(limits.user());
    RequestBodies bodies =
        new RequestBodies(limits.body(), limits.bodyTime(), concurrent, bytes, threads);
    ReportsEndpoint ofReports =
        new ReportsEndpoint(
            senders, bodies, reports.check(), reports.store(), models.caughtUp(), users, threads);
    ModelsEndpoint ofModels =
        new ModelsEndpoint(
            models.specs(),
            models.updates(),
            models.caughtUp(),
            limits.longestWait(),
            waiting,
            threads,
            drain);
    EventsEndpoint events = new EventsEndpoint(ofModels, models.updates(), waiting, timer, drain);
    Map<Route, Consumer<Exchange>> endpoints = new EnumMap<>(Route.class);
    endpoints.put(Route.POST_REPORT, ofReports::handle);
    endpoints.put(
        Route.GET_ACCOUNT,
        accounts
            .<Consumer<Exchange>>map(
                parts -> account(senders, users, parts, limits, threads, drain)::handle)
            .orElse(ApiEndpoints::noAccounts));
    if (anonymous.isPresent()) {
      AnonymousParts parts = anonymous.get();
      TokensEndpoint tokens =
          new TokensEndpoint(
              senders,
              new RequestBodies(
                  Math.min(limits.body(), TOKEN_REQUEST_BYTES),
                  limits.bodyTime(),
                  waiting,
                  bytes,
                  threads),
              parts,
              users,
              limits.longestWait(),
              threads,
              drain);
      endpoints.put(Route.POST_TOKEN, tokens::handle);
      RequestBodies ofUnknown = ofUnknownSenders(limits, threads);
      AnonymousEndpoint ofAnonymous =
          new AnonymousEndpoint(ofUnknown, parts.reports(), parts.caughtUp(), threads);
      endpoints.put(Route.POST_ANONYMOUS_REPORT, ofAnonymous::handle);
      WindowsEndpoint windows = new WindowsEndpoint(ofModels, parts.windows(), parts.caughtUp());
      endpoints.put(Route.GET_WINDOWS, windows::handle);
      ObliviousEndpoint oblivious =
          new ObliviousEndpoint(
              ofUnknown, parts.oblivious(), ofAnonymous, ofModels, windows, threads);
      endpoints.put(Route.POST_ENCAPSULATED, oblivious::handle);
      endpoints.put(Route.GET_OBLIVIOUS_KEYS, oblivious::keys);
    } else {
      for (Route route : OF_ANONYMOUS) {
        endpoints.put(route, ApiEndpoints::noAnonymousReports);
      }
    }
    endpoints.put(Route.GET_MODELS, ofModels::list);
    endpoints.put(Route.GET_MODEL, ofModels::newest);
    endpoints.put(Route.GET_EVENTS, events::handle);
    endpoints.put(Route.GET_RESOURCE, Resources::handle);
    return new ApiEndpoints(endpoints, concurrent, bytes, waiting);
  }

  /** In places of their own. A relay sends everybody's, so one address may take all of them. */
  private static RequestBodies ofUnknownSenders(LimitSettings limits, Executor threads) {
    int most = limits.concurrent();
    long bytes = (long) ObliviousEndpoint.REQUEST_BYTES * most;
    return new RequestBodies(
        ObliviousEndpoint.REQUEST_BYTES,
        limits.bodyTime(),
        new Places(most, most),
        new Places(bytes, bytes),
        threads);
  }

  private static AccountEndpoint account(
      Senders senders,
      RateLimits users,
      AccountParts parts,
      LimitSettings limits,
      Executor threads,
      Drain drain) {
    return new AccountEndpoint(
        senders,
        users,
        limits.waiting(),
        new JobRequests<>(
            parts.answers(), parts.store(), parts.topic(), limits.longestWait(), threads, drain),
        parts.followed());
  }

  private static void noAccounts(Exchange exchange) {
    throw new ProblemException(ProblemType.NOT_FOUND, "this gateway shows no accounts");
  }

  private static void noAnonymousReports(Exchange exchange) {
    throw new ProblemException(
        ProblemType.NOT_FOUND,
        "this gateway takes no anonymous reports; anonymous.enabled of its configuration is false");
  }
}
