package io.croupier.client;

import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Question;
import io.croupier.schemas.view.GradientReportView;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Creates the reports of one person's device, each charged to the person's {@link LocalLedger} and
 * durable there when it is returned. The caller sends them: {@link GradientReporter} does so by
 * Kafka. Callers with another transport must {@linkplain LocalLedger#acknowledge acknowledge}
 * reports that have arrived, and until then resend exactly the same bytes.
 *
 * <p>Safe for use by several threads.
 */
public final class ReportMaker {
  /**
   * Unit to which the timestamps of reports are rounded down. Only replay reads them, to date
   * updates. Finer ones, together with the time at which the round was published, would bound the
   * device's computing time, which may depend on the gradient.
   */
  private static final long STAMP_MS = Duration.ofHours(1).toMillis();

  private final LocalLedger ledger;
  private final InstantSource clock;

  /**
   * Creates a maker of one person's reports.
   *
   * @param ledger the ledger of the person whose privacy is spent; owned by the caller
   * @param clock clock for the reports' timestamps, which contain only the hour
   */
  public ReportMaker(LocalLedger ledger, InstantSource clock) {
    this.ledger = Objects.requireNonNull(ledger, "ledger");
    this.clock = Objects.requireNonNull(clock, "clock");
  }

  /**
   * Whether this device answers a published round by a gradient: each device does with the
   * probability that the model states, unless it is asked a {@linkplain #question question}
   * instead. The ledger decides once.
   *
   * @param model any state of the model
   */
  public boolean answers(ModelSnapshot model, long round) {
    return takesPart(model, round) && !isAsked(model, round);
  }

  private boolean takesPart(ModelSnapshot model, long round) {
    return ledger.answers(model.modelId(), round, model.answerProbability());
  }

  private boolean isAsked(ModelSnapshot model, long round) {
    return ledger.isAsked(model.modelId(), round, model.questionProbability());
  }

  /**
   * The question that this device is asked about the average published with a round, instead of for
   * a gradient; empty for most devices and rounds. The ledger decides once, unless the job
   * publishes the round again with another probability or other questions.
   *
   * @param model any state of the model
   */
  public Optional<Question> question(ModelSnapshot model, long round) {
    if (!takesPart(model, round) || !isAsked(model, round)) {
      return Optional.empty();
    }
    List<Estimate> estimates = model.estimates();
    int chosen = ledger.question(model.modelId(), round, estimates.size());
    return Optional.of(estimates.get(chosen).getQuestion());
  }

  /**
   * Clips and randomises a gradient. Spends the randomiser's privacy level, unless it throws: then
   * no noise was drawn, except with an {@link java.io.UncheckedIOException}.
   *
   * @param model any state of the model
   * @param round the published round at whose weights the gradient was evaluated
   * @param gradient gradient of this person's loss, shape [d], not modified; values that are not
   *     finite are replaced as {@link Randomiser#release} states
   * @param randomiser a randomiser for this model
   * @return a {@link io.croupier.schemas.GradientReport}, pending in the ledger
   * @throws IllegalArgumentException if the randomiser's dimension, grid exponent or gradient bound
   *     differs from the model's, or the gradient has another shape
   * @throws NotChosenException if this device doesn't {@linkplain #answers answer} that round by a
   *     gradient
   * @throws LimitReachedException if the report would exceed the person's limit
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet
   * @throws java.io.UncheckedIOException if the report could not be made durable: it must not be
   *     sent, and must not be drawn again until the ledger has been reopened
   */
  public StoredReport release(
      ModelSnapshot model, long round, double[] gradient, Randomiser randomiser) {
    requireSame("dimension", randomiser.dimension(), model.dimension());
    if (randomiser instanceof GridRandomiser onGrid) {
      requireSame("gridExponent", onGrid.gridExponent(), model.gridExponent());
    }
    requireSame("gradientBound", randomiser.gradientBound(), model.gradientBound());
    if (!answers(model, round)) {
      throw new NotChosenException(model, round, isAsked(model, round) ? " by a gradient" : "");
    }
    return ledger.release(
        randomiser, sequence -> draw(sequence, model, round, gradient, randomiser));
  }

  /**
   * Answers the {@linkplain #question question} that this device is asked, by a randomised bit.
   * Spends the randomiser's privacy level, unless it throws: then no noise was drawn, except with
   * an {@link java.io.UncheckedIOException}.
   *
   * @param model any state of the model
   * @param round the published round whose average the answer is about
   * @param truth evaluates the question on the person's data and the average published with the
   *     round; called at most once, and only if this device is asked
   * @return a {@link io.croupier.schemas.GradientReport}, pending in the ledger
   * @throws NotChosenException if this device isn't asked about that round
   * @throws LimitReachedException if the report would exceed the person's limit
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet
   * @throws java.io.UncheckedIOException if the report could not be made durable: it must not be
   *     sent, and must not be drawn again until the ledger has been reopened
   */
  public StoredReport answer(
      ModelSnapshot model, long round, Predicate<Question> truth, BitRandomiser randomiser) {
    Question question =
        question(model, round)
            .orElseThrow(
                () -> new NotChosenException(model, round, " by the answer to a question"));
    boolean answer = truth.test(question);
    return ledger.release(
        randomiser,
        sequence -> {
          GradientReportView.Builder report = report(sequence, model, round);
          randomiser.release(question.getName(), answer, report);
          return report.build().toByteArray();
        });
  }

  private static <N extends Number> void requireSame(String name, N ofRandomiser, N ofModel) {
    if (!ofRandomiser.equals(ofModel)) {
      throw new IllegalArgumentException(
          name + " of the randomiser is " + ofRandomiser + "; the model's is " + ofModel);
    }
  }

  private byte[] draw(
      long sequence, ModelSnapshot model, long round, double[] gradient, Randomiser randomiser) {
    GradientReportView.Builder report = report(sequence, model, round);
    randomiser.release(gradient, report);
    return report.build().toByteArray();
  }

  private GradientReportView.Builder report(long sequence, ModelSnapshot model, long round) {
    return GradientReportView.newBuilder()
        .setModelId(model.modelId())
        .setRound(round)
        .setUserId(ledger.userId())
        .setDeviceId(ledger.deviceId())
        .setSequence(sequence)
        .setCreatedAtMs(Math.floorDiv(clock.millis(), STAMP_MS) * STAMP_MS);
  }
}
