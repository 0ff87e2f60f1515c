package io.croupier.client;

import io.croupier.client.ledger.AlreadyReportedException;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.LimitReachedException;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.ledger.StoredReport;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.ClippingNorm;
import io.croupier.client.randomiser.CoordinateLaplaceRandomiser;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import io.croupier.client.randomiser.Randomiser;
import io.croupier.client.randomiser.ReleaseCost;
import io.croupier.client.randomiser.UndisclosedRandomiser;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.Question;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.Statistics;
import io.croupier.schemas.view.GradientReportView;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Creates the reports of one person's device, each charged to the person's {@link LocalLedger} and
 * durable there when it is returned. The caller sends them: {@link GradientReporter} does so over a
 * {@link ReportTransport}. Callers that send them otherwise must {@linkplain
 * LocalLedger#acknowledge acknowledge} reports that have arrived, and until then resend exactly the
 * same bytes.
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
  private final Clock clock;
  private final boolean namesUser;

  /** Throws if the job would refuse a report of a model and a cost. */
  private final BiConsumer<String, ReleaseCost> admission;

  /**
   * Creates a maker of one person's reports.
   *
   * @param ledger the ledger of the person whose privacy is spent; owned by the caller
   * @param clock clock for the reports' timestamps, which contain only the hour
   */
  public ReportMaker(LocalLedger ledger, Clock clock) {
    this(ledger, clock, true, (modelId, cost) -> {});
  }

  /**
   * Creates a maker of one person's reports.
   *
   * @param namesUser whether the reports contain the user's id
   * @param admission throws if the job would refuse a report of a model and a cost
   */
  ReportMaker(
      LocalLedger ledger,
      Clock clock,
      boolean namesUser,
      BiConsumer<String, ReleaseCost> admission) {
    this.admission = admission;
    this.ledger = Objects.requireNonNull(ledger, "ledger");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.namesUser = namesUser;
  }

  /** What a round asks of this device. */
  Optional<Decision> decide(RoundTerms terms) {
    return Decision.of(ledger, terms);
  }

  /**
   * Makes the report that a round asks of this device: whether its size is above the clip, or the
   * answer to a question, or whether its value is above the threshold of a statistic, by a
   * randomised bit at the cost of a gradient; or its category in a statistic, by a randomised group
   * at that cost; or else a gradient. Spends the randomiser's privacy level, unless it throws: then
   * no noise was drawn, except with an {@link java.io.UncheckedIOException}.
   *
   * @param terms of the published round
   * @param participant the person's data at that round
   * @param randomiser a randomiser of gradients for this model
   * @return a {@link io.croupier.schemas.GradientReport}, pending in the ledger
   * @throws IllegalArgumentException as {@link GradientReporter#report(RoundTerms, DataKey,
   *     double[], Randomiser)}
   * @throws AlreadyReportedException if the data were reported to the model as often as they may be
   * @throws NotChosenException if the round asks nothing of this device, or for a bit or a category
   *     that it can't give: its data can't, its reports don't disclose their level, a category is
   *     asked for and that level is a mu, or the limit leaves nothing for {@linkplain
   *     io.croupier.client.ledger.Limit#answers answers}
   * @throws LimitReachedException if the report would exceed the person's limit, or costs more than
   *     the model's limits allow a person altogether
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet
   * @throws java.io.UncheckedIOException if the report could not be made durable: it must not be
   *     sent, and must not be drawn again until the ledger has been reopened
   */
  public StoredReport respond(RoundTerms terms, Participant participant, Randomiser randomiser) {
    DataKey key = participant.key();
    ledger.requireUnreported(terms.modelId(), key);
    Decision decision = decide(terms).orElseThrow(() -> NotChosenException.ofNothing(terms));
    if (decision.about() == Sent.About.GRADIENT) {
      double[] gradient = participant.gradient();
      return terms.clip().moves()
          ? release(terms, key, gradient, participant.size(), randomiser)
          : release(terms, key, gradient, randomiser);
    }
    Optional<BitRandomiser> bits =
        BitRandomiser.costing(randomiser.cost()).filter(bit -> ledger.admitsAnswer(bit.cost()));
    Optional<StoredReport> report =
        switch (decision.about()) {
          case SIZE -> bits.map(bit -> size(terms, key, participant, bit));
          case QUESTION ->
              bits.filter(bit -> participant.canAnswer(decision.question(terms)))
                  .map(bit -> answer(terms, key, decision.question(terms), participant, bit));
          default -> {
            Statistic statistic = decision.statistic(terms);
            yield participant.canVote(statistic)
                ? statistic(terms, key, statistic, participant, randomiser, bits)
                : Optional.empty();
          }
        };
    return report.orElseThrow(() -> NotChosenException.ofUnable(terms, decision.inWords(terms)));
  }

  private StoredReport size(
      RoundTerms terms, DataKey key, Participant participant, BitRandomiser bit) {
    requireKnownSize(terms);
    boolean isAbove = Sizes.isAbove(participant.size(), terms.clip().bound());
    return answer(terms, key, bit.cost(), to -> bit.release(AdaptiveClips.QUESTION, isAbove, to));
  }

  private StoredReport answer(
      RoundTerms terms,
      DataKey key,
      Question question,
      Participant participant,
      BitRandomiser bit) {
    boolean answer = participant.answer(question);
    return answer(terms, key, bit.cost(), to -> bit.release(question.getName(), answer, to));
  }

  /** Empty also without the threshold or the texts of the round. */
  private Optional<StoredReport> statistic(
      RoundTerms terms,
      DataKey key,
      Statistic statistic,
      Participant participant,
      Randomiser randomiser,
      Optional<BitRandomiser> bits) {
    String name = statistic.getName();
    if (statistic.hasQuantiles() && terms.requests().thresholds().containsKey(name)) {
      return bits.map(bit -> value(terms, key, statistic, participant, bit));
    }
    if (statistic.hasChoice() || terms.requests().texts().containsKey(name)) {
      return HashedResponseRandomiser.costing(randomiser.cost(), Statistics.candidates(statistic))
          .filter(group -> ledger.admitsAnswer(group.cost()))
          .map(group -> category(terms, key, statistic, participant, group));
    }
    return Optional.empty();
  }

  /** Whether the person's value is above the threshold of the round. */
  StoredReport value(
      RoundTerms terms,
      DataKey key,
      Statistic statistic,
      Participant participant,
      BitRandomiser bit) {
    double threshold = terms.requests().thresholds().get(statistic.getName());
    boolean isAbove = Statistics.isAbove(participant.value(statistic), threshold);
    return answer(terms, key, bit.cost(), to -> bit.release(statistic.getName(), isAbove, to));
  }

  /** The person's category, or text. */
  StoredReport category(
      RoundTerms terms,
      DataKey key,
      Statistic statistic,
      Participant participant,
      HashedResponseRandomiser group) {
    String value = participant.category(statistic);
    int index =
        statistic.hasChoice()
            ? Statistics.category(statistic.getChoice(), value)
            : terms.requests().texts().get(statistic.getName()).of(value);
    return answer(terms, key, group.cost(), to -> group.release(statistic.getName(), index, to));
  }

  private StoredReport answer(
      RoundTerms terms,
      DataKey key,
      ReleaseCost cost,
      Consumer<GradientReportView.Builder> release) {
    requireAdmission(terms, cost);
    return ledger.answer(
        terms.modelId(),
        key,
        cost,
        sequence -> {
          GradientReportView.Builder report = report(sequence, terms);
          release.accept(report);
          return report.build().toByteArray();
        });
  }

  private void requireAdmission(RoundTerms terms, ReleaseCost cost) {
    terms.requireWithinLimits(cost);
    admission.accept(terms.modelId(), cost);
  }

  /** Clips and randomises a gradient, if the round asks for one. */
  StoredReport release(RoundTerms terms, DataKey key, double[] gradient, Randomiser randomiser) {
    if (terms.clip().bounds(AdaptiveClip.Size.FEATURES)) {
      throw new IllegalArgumentException(
          "the clip of model "
              + terms.modelId()
              + " bounds the size FEATURES, and no size is given; call 'respond', or give 'report'"
              + " the size: slope bound of the round times norm of the features, as Sizes.ofLinear"
              + " computes it");
    }
    return releaseScaled(terms, key, gradient, randomiser);
  }

  /** The same for a gradient of a known size. */
  StoredReport release(
      RoundTerms terms, DataKey key, double[] gradient, double size, Randomiser randomiser) {
    double[] scaled =
        terms.clip().moves() ? Sizes.scaled(gradient, size, terms.clip().bound()) : gradient;
    return releaseScaled(terms, key, scaled, randomiser);
  }

  private StoredReport releaseScaled(
      RoundTerms terms, DataKey key, double[] gradient, Randomiser randomiser) {
    requireSame("dimension", randomiser.dimension(), terms.dimension());
    Randomiser fitted = randomiser;
    if (terms.clip().moves()) {
      requireKnownSize(terms);
      requireNormClip(randomiser);
      fitted = randomiser.fitted(terms.clip().bound(), terms.clip().gridExponent());
    }
    if (fitted instanceof GridRandomiser onGrid) {
      requireSame("gridExponent", onGrid.gridExponent(), terms.clip().gridExponent());
    }
    requireSame("gradientBound", fitted.gradientBound(), terms.clip().bound());
    requireGradient(terms);
    Randomiser chosen = fitted;
    requireAdmission(terms, chosen.cost());
    return ledger.release(
        terms.modelId(), key, chosen.cost(), sequence -> draw(sequence, terms, gradient, chosen));
  }

  private void requireGradient(RoundTerms terms) {
    Decision decision = decide(terms).orElseThrow(() -> NotChosenException.ofNothing(terms));
    if (decision.about() != Sent.About.GRADIENT) {
      throw NotChosenException.ofOther(terms, decision.inWords(terms));
    }
  }

  private static void requireKnownSize(RoundTerms terms) {
    if (!terms.clip().hasKnownSize()) {
      throw new IllegalArgumentException(
          "the clip of model "
              + terms.modelId()
              + " bounds a size that this version doesn't know; it must be FEATURES or GRADIENT");
    }
  }

  /** The job relies on the norm of gradients, which the clip of coordinates doesn't bound. */
  private static void requireNormClip(Randomiser randomiser) {
    Randomiser disclosing =
        randomiser instanceof UndisclosedRandomiser undisclosed
            ? undisclosed.disclosing()
            : randomiser;
    if (disclosing instanceof CoordinateLaplaceRandomiser laplace
        && laplace.clip() != ClippingNorm.L2) {
      throw new IllegalArgumentException(
          "clip of the randomiser is " + laplace.clip() + "; with a moving clip it must be L2");
    }
  }

  private static <N extends Number> void requireSame(String name, N ofRandomiser, N ofModel) {
    if (!ofRandomiser.equals(ofModel)) {
      throw new IllegalArgumentException(
          name + " of the randomiser is " + ofRandomiser + "; the model's is " + ofModel);
    }
  }

  private byte[] draw(long sequence, RoundTerms terms, double[] gradient, Randomiser randomiser) {
    GradientReportView.Builder report = report(sequence, terms);
    if (terms.clip().moves()) {
      report.setGradientBound(terms.clip().bound());
    }
    randomiser.release(gradient, report);
    return report.build().toByteArray();
  }

  private GradientReportView.Builder report(long sequence, RoundTerms terms) {
    GradientReportView.Builder report =
        GradientReportView.newBuilder()
            .setModelId(terms.modelId())
            .setRound(terms.round())
            .setDeviceId(ledger.deviceId())
            .setSequence(sequence)
            .setCreatedAtMs(Math.floorDiv(clock.millis(), STAMP_MS) * STAMP_MS);
    return namesUser ? report.setUserId(ledger.userId()) : report;
  }
}
