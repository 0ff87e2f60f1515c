package io.croupier.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Account;
import io.croupier.schemas.view.GradientReportView;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/**
 * Sends the noisy gradients of one person's device. Each is charged to the person's {@link
 * LocalLedger} and durable there before it is sent. The caller owns the ledger and the {@link
 * ReportTransport}, and closes the transport, or its producer, before the ledger. Each reporter
 * needs its own ledger.
 *
 * <p>Privacy is spent when a report leaves the device, whether or not it arrives. Each report names
 * its data by a {@link DataKey}, and the same data are reported once, also after a failure: the
 * first report may have arrived, and a second one carries new noise and spends privacy again.
 * Resending the same bytes is safe, and happens automatically: for a limited time by the transport,
 * and afterwards, under the same number, before the next report and when a reporter is created for
 * the ledger. A refusal is final: a report that will never be accepted is not sent again, stays
 * charged, and its number is not reused.
 *
 * <p>Safe for use by several threads: reports leave in the order of their numbers.
 */
public final class GradientReporter {
  /** Longer than a gateway waits. */
  private static final Duration LONGEST_ACCOUNT = Duration.ofSeconds(70);

  private final ReportTransport transport;
  private final LocalLedger ledger;
  private final ReportMaker maker;
  private final ReleaseTimes times;

  /** Stored reports that the transport is not currently sending. */
  private final NavigableMap<Long, StoredReport> unsent = new ConcurrentSkipListMap<>();

  private final List<CompletableFuture<Void>> resent;

  /**
   * Creates a reporter and sends the ledger's pending reports, in order and unchanged.
   *
   * @param ledger the ledger of the person whose privacy is spent
   * @throws IllegalStateException if the ledger has a pending report for a transport of another
   *     kind, which names the user where this one doesn't, or the other way round: over this one it
   *     would be refused, or counted as another person's
   */
  public GradientReporter(ReportTransport transport, LocalLedger ledger) {
    this(transport, ledger, Duration.ZERO);
  }

  /**
   * The same for a device whose releases may be timed: the time at which a report is sent doesn't
   * depend on how long its draw took, which depends on the noise.
   *
   * @param releaseDelay how long after the beginning of the call of {@code report} or {@code
   *     respond} the report is sent, at least 0; the call waits as long. If the draw takes longer,
   *     the report is sent at the next whole multiple of the delay. Choose it longer than draws
   *     take, with {@link #respond} the gradient included, so that this is rare
   * @throws IllegalArgumentException if the delay is negative
   */
  public GradientReporter(ReportTransport transport, LocalLedger ledger, Duration releaseDelay) {
    this(transport, ledger, Clock.systemUTC(), ReleaseTimes.after(releaseDelay));
  }

  GradientReporter(ReportTransport transport, LocalLedger ledger, Clock clock, ReleaseTimes times) {
    this.times = times;
    this.transport = Objects.requireNonNull(transport, "transport");
    this.ledger = ledger;
    JobAdmission admission = new JobAdmission(transport, ledger, clock);
    maker = new ReportMaker(ledger, clock, transport.namesUser(), admission::require);
    List<StoredReport> pending = ledger.pending();
    pending.forEach(this::requireSameKind);
    resent = sendAgain(pending);
  }

  private void requireSameKind(StoredReport report) {
    boolean namesUser;
    try {
      namesUser = GradientReportView.parseFrom(report.bytes()).hasUserId();
    } catch (InvalidProtocolBufferException e) {
      // It is charged, so it is sent as it is; the receiver refuses what it can't read.
      return;
    }
    if (namesUser != transport.namesUser()) {
      throw new IllegalStateException(
          String.format(
              "pending report %d %s; it must be sent over %s before this ledger is used otherwise",
              report.sequence(),
              namesUser ? "names its user" : "names no user",
              namesUser ? "Kafka" : "a gateway"));
    }
  }

  /**
   * The reports that were pending in the ledger when this reporter was created, in order. Each
   * future completes as that of {@link #report(ModelSnapshot, DataKey, double[], Randomiser)};
   * unmodifiable.
   */
  public List<CompletableFuture<Void>> resent() {
    return resent;
  }

  /**
   * Asks for the job's account of this person, over all devices: what is spent and left, and which
   * reports were refused. Waits for the job's next checkpoint.
   *
   * @throws IOException if it can't be had: the gateway or the job doesn't answer, or reports go to
   *     Kafka
   */
  public Account account() throws IOException {
    return transport.account(LONGEST_ACCOUNT);
  }

  /**
   * Sends the report that a round asks of this device: whether its size is above the clip, or the
   * answer to a question, by a randomised bit at the cost of a gradient, or else a gradient. Spends
   * and throws as {@link #report(ModelSnapshot, DataKey, double[], Randomiser)}.
   *
   * @param model the newest publication
   * @param participant the person's data at that publication
   * @param randomiser a randomiser of gradients for this model
   * @return completes when the report is acknowledged, with what it is about
   * @throws NotChosenException also if this device is asked for a bit, and can't answer: its data
   *     can't, its reports don't disclose their level, or the limit leaves nothing for answers
   */
  public CompletableFuture<Sent> respond(
      ModelSnapshot model, Participant participant, Randomiser randomiser) {
    return respond(model.terms(), participant, randomiser);
  }

  /** The same for an earlier round. */
  public synchronized CompletableFuture<Sent> respond(
      RoundTerms terms, Participant participant, Randomiser randomiser) {
    return release(() -> maker.respond(terms, participant, randomiser))
        .thenApply(
            report -> new Sent(maker.decide(terms).orElseThrow().about(), report.sequence()));
  }

  /**
   * Clips and randomises a gradient, and sends it. Spends the randomiser's privacy level, unless it
   * throws: then no noise was drawn, except with an {@link java.io.UncheckedIOException}.
   *
   * @param model the model at whose {@link ModelSnapshot#weights()} the gradient was evaluated
   * @param key names the person's data
   * @param gradient gradient of this person's loss, shape [d], not modified; values that are not
   *     finite are replaced as {@link Randomiser#release} states
   * @param randomiser a randomiser for this model; with a moving clip, it is {@linkplain
   *     Randomiser#fitted fitted} to the clip of the round
   * @return completes when the report is acknowledged; a failed report is sent again automatically,
   *     unless it was refused: then the cause is a {@link ReportRefusedException}, of a person who
   *     is stopped a {@link PersonStoppedException}
   * @throws IllegalArgumentException if the randomiser's dimension or, with a fixed clip, grid
   *     exponent or gradient bound differs from the model's, or the gradient has another shape, or
   *     the clip moves and bounds a size other than the gradient's norm, or the randomiser clips
   *     coordinates or can't be fitted
   * @throws AlreadyReportedException if the data were reported to the model as often as they may be
   * @throws NotChosenException if the round doesn't ask this device for a gradient
   * @throws LimitReachedException if the report would exceed the person's limit, or costs more than
   *     the model's limits allow a person altogether
   * @throws JobRefusedException if the job would refuse the report, as far as its account shows;
   *     over a gateway, at most once a minute the call waits for that, up to 15 seconds
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet: wait for its acknowledgement
   * @throws java.io.UncheckedIOException if the report could not be made durable: it wasn't sent,
   *     and must not be drawn again until the ledger has been reopened
   */
  public CompletableFuture<Void> report(
      ModelSnapshot model, DataKey key, double[] gradient, Randomiser randomiser) {
    return report(model.terms(), key, gradient, randomiser);
  }

  /** The same for a gradient that was evaluated at the weights of another published round. */
  public synchronized CompletableFuture<Void> report(
      RoundTerms terms, DataKey key, double[] gradient, Randomiser randomiser) {
    return release(() -> maker.release(terms, key, gradient, randomiser)).thenAccept(report -> {});
  }

  /**
   * The same for a gradient of a known size, which is first multiplied by min(1, clip / size). The
   * privacy of the report doesn't depend on the size: the gradient is clipped in any case. Where
   * the clip is fixed, the size has no effect.
   *
   * @param size of the gradient as the clip {@linkplain RoundTerms.Clip#size bounds} it; {@link
   *     Sizes} computes it for linear predictions, and states what a size that is no number of at
   *     least 0 means
   */
  public synchronized CompletableFuture<Void> report(
      RoundTerms terms, DataKey key, double[] gradient, double size, Randomiser randomiser) {
    return release(() -> maker.release(terms, key, gradient, size, randomiser))
        .thenAccept(report -> {});
  }

  private CompletableFuture<StoredReport> release(Supplier<StoredReport> draw) {
    long begin = times.begin();
    sendUnsent();
    StoredReport report = draw.get();
    times.await(begin);
    return send(report).thenApply(done -> report);
  }

  private List<CompletableFuture<Void>> sendAgain(List<StoredReport> reports) {
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (StoredReport report : reports) {
      unsent.remove(report.sequence());
      sent.add(send(report));
    }
    return List.copyOf(sent);
  }

  /** Sends the reports that failed; their futures are those of earlier calls. */
  private void sendUnsent() {
    List<CompletableFuture<Void>> unused = sendAgain(List.copyOf(unsent.values()));
  }

  private CompletableFuture<Void> send(StoredReport report) {
    return transport
        .send(ledger.userId(), report.bytes())
        .whenComplete((done, failure) -> settle(report, failure));
  }

  private void settle(StoredReport report, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause == null) {
      ledger.acknowledge(report.sequence());
    } else if (cause instanceof ReportRefusedException) {
      ledger.refuse(report.sequence());
      if (cause instanceof PersonStoppedException) {
        ledger.endTokens();
      }
    } else {
      unsent.put(report.sequence(), report);
    }
  }
}
