package io.croupier.operators.ledger;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.TokenContent;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Grant;
import io.croupier.schemas.ModelSpec;
import java.util.List;
import java.util.Optional;

/**
 * Who may have the tokens of a model's anonymous windows: all that the ledger knows of anonymous
 * reports. A token costs what its report declares, and a user has at most one for a window. Every
 * report may be passed to every method; one that asks for no token changes nothing.
 */
public final class TokenGrants {
  private static final Judgement GRANTED = new Judgement(Outcome.GRANTED, "");

  private final ModelSpec spec;
  private final List<Mechanism> levels;

  /** Compiles a valid spec. */
  TokenGrants(ModelSpec spec) {
    this.spec = spec;
    levels = AnonymousWindows.levels(spec);
  }

  private long window(long round) {
    return AnonymousWindows.window(spec, round);
  }

  private static TokenRecord newest(String modelId, UserAccount account) {
    return TokenRecord.of(account.token(modelId));
  }

  /**
   * Judges whether a request to a model of anonymous reports may name this round, and declare what
   * it does.
   */
  Judgement judgeFields(Report report) {
    if (!(report.content() instanceof TokenContent) || !spec.hasAnonymous()) {
      return Judgement.ADMITTED;
    }
    long round = report.header().round();
    long first = AnonymousWindows.firstRound(spec, window(round));
    if (round != first) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          "round is %d: it must be the first one of a window, such as %d".formatted(round, first));
    }
    return levels.contains(report.mechanism())
        ? Judgement.ADMITTED
        : Judgement.refusedDeclaration(
            report.mechanism(), "it must be one of the model's anonymous levels");
  }

  /**
   * Returns what a well-formed report asks for: a request also for a token, if its window may still
   * have one of its user.
   */
  AccountClaim claim(Report report, DeclaredCost cost, UserAccount account) {
    if (!(report.content() instanceof TokenContent request)) {
      return new AccountClaim(Judgement.ADMITTED, cost);
    }
    if (account.isErased()) {
      return refused(cost, "the user's account was erased, and with it the windows of its tokens");
    }
    String modelId = report.header().modelId();
    long newest = newest(modelId, account).window();
    long window = window(report.header().round());
    return window > newest
        ? new AccountClaim(
            GRANTED,
            cost,
            (spent, event) -> {
              account.storeToken(modelId, new TokenRecord(window, request.tag()).bytes());
              event.setLastTokenWindow(window);
            })
        : refused(
            cost,
            "the window is %d: it must be at least %d, since the user has a token of window %d"
                .formatted(window, newest + 1, newest));
  }

  private static AccountClaim refused(DeclaredCost cost, String why) {
    return new AccountClaim(new Judgement(Outcome.REFUSED_PARTICIPATION, why), cost);
  }

  /**
   * Returns whether the user is charged for the token that a report asks for: by this request, if
   * it was judged, or by an earlier copy of it; false if it asks for none.
   */
  boolean isGranted(Report report, UserAccount account) {
    return report.content() instanceof TokenContent request
        && spec.hasAnonymous()
        && newest(report.header().modelId(), account)
            .isOf(window(report.header().round()), request.tag());
  }

  /** Records the window of the user's newest token so far, if the model has any. */
  void record(String modelId, UserAccount account, AccountingEvent.Builder event) {
    long newest = spec.hasAnonymous() ? newest(modelId, account).window() : -1;
    if (newest >= 0) {
      event.setLastTokenWindow(newest);
    }
  }

  /**
   * Returns the verdict on a judged request for the gateways; empty if the report is none, or the
   * model takes no anonymous reports.
   *
   * @param event of the report
   * @param isStopped whether the user is: then a copy of a granted request is refused, too
   */
  public Optional<Grant> verdict(
      Report report, AccountingEvent event, UserAccount account, boolean isStopped) {
    if (!(report.content() instanceof TokenContent request) || !spec.hasAnonymous()) {
      return Optional.empty();
    }
    Grant.Builder verdict = Grant.newBuilder().setTag(ByteString.copyFrom(request.tag()));
    return Optional.of(
        isStopped
            ? verdict
                .setGranted(false)
                .setOutcome(Outcome.REFUSED_STOPPED)
                .setReason(StoppedUsers.REASON)
                .build()
            : verdict
                .setGranted(isGranted(report, account))
                .setOutcome(event.getOutcome())
                .setReason(event.getReason())
                .build());
  }

  /** Restores the window of the user's newest token from an event; its tag is unknown then. */
  static void restore(AccountingEvent event, UserAccount account) {
    String modelId = event.getModelId();
    if (event.hasLastTokenWindow()
        && event.getLastTokenWindow() > newest(modelId, account).window()) {
      account.storeToken(modelId, new TokenRecord(event.getLastTokenWindow(), new byte[0]).bytes());
    }
  }
}
