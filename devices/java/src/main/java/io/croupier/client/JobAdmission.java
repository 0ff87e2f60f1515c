package io.croupier.client;

import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Left;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether the job would refuse a person's next report, as far as the job's account shows: it is
 * asked for before a report, never before the first one of a device, once for each report, and at
 * most once a minute. Without an answer the device reports. Not safe for use by several threads.
 */
final class JobAdmission {
  private static final Duration PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofSeconds(15);

  /** How long a refused report stops a device on its model; then it tries once more. */
  private static final Duration REFUSED = Duration.ofDays(1);

  private final ReportTransport transport;
  private final LocalLedger ledger;
  private final Clock clock;

  /** The last answer; empty if there was none. */
  private Optional<Account> account = Optional.empty();

  /** The number of the last report when the account was asked for; -1 before. */
  private long askedFor = -1;

  private long askedAtMs;

  JobAdmission(ReportTransport transport, LocalLedger ledger, Clock clock) {
    this.transport = transport;
    this.ledger = ledger;
    this.clock = clock;
  }

  /**
   * Checks a report before it is drawn.
   *
   * @throws JobRefusedException if the job would refuse it
   */
  void require(String modelId, ReleaseCost cost) {
    long last = ledger.spent().reports() - 1;
    if (last < 0) {
      return;
    }
    Optional<String> reason = reason(last, modelId, cost);
    if ((reason.isPresent() || !isJudged(last)) && isDue()) {
      askedAtMs = clock.millis();
      askedFor = last;
      try {
        account = Optional.of(transport.account(LONGEST));
      } catch (IOException | RuntimeException e) {
        account = Optional.empty();
      }
      reason = reason(last, modelId, cost);
    }
    if (reason.isPresent()) {
      throw new JobRefusedException(reason.get(), account.orElseThrow());
    }
  }

  /** The clock of the device may have been set back. */
  private boolean isDue() {
    return askedFor < 0 || Math.abs(clock.millis() - askedAtMs) >= PAUSE.toMillis();
  }

  private boolean isJudged(long last) {
    return askedFor == last
        && account.stream()
            .flatMap(known -> known.getDevicesList().stream())
            .anyMatch(device -> isOwn(device.getDeviceId()) && device.getHighestSequence() >= last);
  }

  private boolean isOwn(String deviceId) {
    return deviceId.equals(ledger.deviceId());
  }

  private Optional<String> reason(long last, String modelId, ReleaseCost cost) {
    return askedFor == last
        ? account.flatMap(
            known ->
                ofStop(known)
                    .or(() -> ofOlderCopy(known))
                    .or(() -> ofLastReport(known, last, modelId))
                    .or(() -> ofLimits(known, modelId, cost)))
        : Optional.empty();
  }

  private static Optional<String> ofStop(Account known) {
    return known.getStopped()
        ? Optional.of("the person is stopped: the job and its gateways take no report")
        : Optional.empty();
  }

  /**
   * A ledger without a number that the job has judged lacks what was spent under it, too, and the
   * job would refuse its numbers. Tokens may have been charged since the account was asked for.
   */
  private Optional<String> ofOlderCopy(Account known) {
    long end = ledger.spent().reports() - 1;
    return known.getDevicesList().stream()
        .filter(device -> isOwn(device.getDeviceId()) && device.getHighestSequence() > end)
        .map(
            device ->
                String.format(
                    "the job has judged report %d of this device, and its ledger ends with report"
                        + " %d: it is an older copy, or one of several, and lacks what was spent"
                        + " since; use the newest one, or a new ledger with a limit lower by what"
                        + " the account shows as spent",
                    device.getHighestSequence(), end))
        .findFirst();
  }

  private Optional<String> ofLastReport(Account known, long last, String modelId) {
    return known.getRefusalsList().stream()
        .filter(refusal -> isOwn(refusal.getDeviceId()) && refusal.getSequence() == last)
        .filter(refusal -> known.getAsOfMs() - refusal.getAppendedAtMs() < REFUSED.toMillis())
        .filter(refusal -> isAbout(refusal, known, modelId))
        .map(refusal -> "the job refused this device's report " + last + ": " + refusal.getReason())
        .findFirst();
  }

  /**
   * A number is one of the device's for all models. All else that is refused concerns one model,
   * but for a stop, which the account itself shows.
   */
  private static boolean isAbout(Account.Refusal refusal, Account known, String modelId) {
    return refusal.getOutcome() == Outcome.REFUSED_SEQUENCE
        || (refusal.getModelId().equals(modelId)
            && refusal.getOutcome() != Outcome.REFUSED_STOPPED
            && !(refusal.getOutcome() == Outcome.REFUSED_BUDGET && isShownByLeft(known, modelId)));
  }

  /** Whether what is left shows that limits admit a report: only that of these two kinds does. */
  private static boolean isShownByLeft(Account known, String modelId) {
    List<Left> left =
        Stream.concat(onAll(known), onModel(known, modelId)).collect(Collectors.toList());
    return !left.isEmpty()
        && left.stream().noneMatch(each -> each.hasMu() || each.hasEpsilonAtDelta());
  }

  private static Stream<Left> onAll(Account known) {
    return known.hasLeft() ? Stream.of(known.getLeft()) : Stream.empty();
  }

  private static Stream<Left> onModel(Account known, String modelId) {
    return known.getModelsList().stream()
        .filter(model -> model.getModelId().equals(modelId) && model.hasLeft())
        .map(Account.OnModel::getLeft);
  }

  private static Optional<String> ofLimits(Account known, String modelId, ReleaseCost cost) {
    boolean all = onAll(known).anyMatch(left -> isShort(left, cost));
    if (!all && onModel(known, modelId).noneMatch(left -> isShort(left, cost))) {
      return Optional.empty();
    }
    String last =
        known.getRefusalsList().stream()
            .filter(refusal -> refusal.getOutcome() == Outcome.REFUSED_BUDGET)
            .filter(refusal -> refusal.getModelId().equals(modelId))
            .map(refusal -> "; the last was refused: " + refusal.getReason())
            .findFirst()
            .orElse("");
    return Optional.of(
        String.format(
            "the job's limits on %s admit no report of this person now%s",
            all ? "all models" : "model " + modelId, last));
  }

  /**
   * Whether a limit leaves too little for a report. One of another kind than epsilon stops only
   * where nothing is left. What is left is rounded down to a double.
   */
  private static boolean isShort(Left left, ReleaseCost cost) {
    return (left.hasReports() && left.getReports() < 1)
        || (left.hasEpsilon() && isBelow(left.getEpsilon(), cost.epsilon()))
        || (left.hasMu() && left.getMu() == 0)
        || (left.hasEpsilonAtDelta() && left.getEpsilonAtDelta() == 0);
  }

  private static boolean isBelow(double left, BigDecimal epsilon) {
    return left < Double.MAX_VALUE && ReleaseCost.decimal(Math.nextUp(left)).compareTo(epsilon) < 0;
  }
}
