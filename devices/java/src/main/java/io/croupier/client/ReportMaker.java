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
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

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

  /**
   * Whether this device answers a published round by a gradient: each device does with the
   * probability that the model states, unless it is asked a {@linkplain #question question}, or for
   * a {@linkplain #statistic statistic} or its {@linkplain #asksForSize size} instead. The ledger
   * decides once.
   *
   * @param terms of the published round
   */
  public boolean answers(RoundTerms terms) {
    return takesPart(terms) && !isAsked(terms);
  }

  private boolean takesPart(RoundTerms terms) {
    return ledger.answers(terms.modelId(), terms.round(), terms.answerProbability());
  }

  private boolean isAsked(RoundTerms terms) {
    return ledger.isAsked(terms.modelId(), terms.round(), terms.questionProbability());
  }

  /**
   * The question that this device is asked about the average published with a round, instead of for
   * a gradient; empty for most devices and rounds. The ledger decides once, unless the job
   * publishes the round again with another probability or other questions.
   *
   * @param terms of the published round
   */
  public Optional<Question> question(RoundTerms terms) {
    if (!isAskedForOther(terms)) {
      return Optional.empty();
    }
    int chosen = chosen(terms);
    return chosen < terms.questions().size()
        ? Optional.of(terms.questions().get(chosen))
        : Optional.empty();
  }

  /**
   * The statistic for which this device is asked, instead of for a gradient; empty for most devices
   * and rounds. The ledger decides once, as for {@link #question}.
   *
   * @param terms of the published round
   */
  public Optional<Statistic> statistic(RoundTerms terms) {
    if (!isAskedForOther(terms)) {
      return Optional.empty();
    }
    int chosen = chosen(terms) - terms.questions().size();
    return chosen >= 0 ? Optional.of(terms.statistics().get(chosen)) : Optional.empty();
  }

  /** Whether this device is asked a question or for a statistic, rather than for its size. */
  private boolean isAskedForOther(RoundTerms terms) {
    return takesPart(terms) && isAsked(terms) && !asksForSize(terms);
  }

  /**
   * Whether this device is asked for its size instead of for a gradient: in every round that it
   * answers while the model {@linkplain RoundTerms#isScouting scouts}, afterwards as often as any
   * question of the model. Never if the clip is fixed. The ledger decides once, as for {@link
   * #question}.
   *
   * @param terms of the published round
   */
  public boolean asksForSize(RoundTerms terms) {
    return terms.hasMovingClip()
        && takesPart(terms)
        && isAsked(terms)
        && (terms.isScouting() || chosen(terms) == asked(terms));
  }

  private static int asked(RoundTerms terms) {
    return terms.questions().size() + terms.statistics().size();
  }

  /**
   * Which of the questions and, after them, statistics is asked, from 0; the question about the
   * size comes after all others.
   */
  private int chosen(RoundTerms terms) {
    int count = asked(terms) + (terms.hasMovingClip() ? 1 : 0);
    return ledger.question(terms.modelId(), terms.round(), count);
  }

  /**
   * Makes the report that a round asks of this device: whether its size is above the clip, or the
   * answer to a question, or whether its value is above the threshold of a statistic, by a
   * randomised bit at the cost of a gradient; or its category in a statistic, by a randomised group
   * at that cost; or else a gradient. Spends and throws as {@link #release}.
   *
   * @param terms of the published round
   * @param participant the person's data at that round
   * @param randomiser a randomiser of gradients for this model
   * @throws NotChosenException also if this device is asked for a bit or a category, and can't
   *     answer: its data can't, its reports don't disclose their level, a category is asked for and
   *     that level is a mu, or the limit leaves nothing for {@linkplain
   *     io.croupier.client.ledger.Limit#answers answers}
   */
  public StoredReport respond(RoundTerms terms, Participant participant, Randomiser randomiser) {
    DataKey key = participant.key();
    ledger.requireUnreported(terms.modelId(), key);
    Optional<BitRandomiser> bits =
        BitRandomiser.costing(randomiser.cost()).filter(ledger::admitsAnswer);
    if (bits.isPresent() && asksForSize(terms)) {
      return answerSize(terms, key, participant::size, bits.get());
    }
    if (bits.isPresent() && question(terms).filter(participant::canAnswer).isPresent()) {
      return answer(terms, key, participant::answer, bits.get());
    }
    Optional<Statistic> statistic = statistic(terms).filter(participant::canVote);
    if (bits.isPresent() && statistic.filter(each -> hasThreshold(terms, each)).isPresent()) {
      return answerValue(terms, key, participant::value, bits.get());
    }
    if (statistic.filter(each -> each.hasChoice() || hasTexts(terms, each)).isPresent()) {
      Optional<HashedResponseRandomiser> groups =
          HashedResponseRandomiser.costing(
                  randomiser.cost(), Statistics.candidates(statistic.get()))
              .filter(ledger::admitsVote);
      if (groups.isPresent()) {
        return vote(terms, key, participant::category, groups.get());
      }
    }
    if (takesPart(terms) && isAsked(terms)) {
      throw NotChosenException.ofUnable(terms, asks(terms));
    }
    requireGradient(terms);
    double[] gradient = participant.gradient();
    return terms.hasMovingClip()
        ? release(terms, key, gradient, participant.size(), randomiser)
        : release(terms, key, gradient, randomiser);
  }

  /**
   * Clips and randomises a gradient. Spends the randomiser's privacy level, unless it throws: then
   * no noise was drawn, except with an {@link java.io.UncheckedIOException}.
   *
   * @param terms of the published round at whose weights the gradient was evaluated
   * @param key names the person's data
   * @param gradient gradient of this person's loss, shape [d], not modified; values that are not
   *     finite are replaced as {@link Randomiser#release} states
   * @param randomiser a randomiser for this model; with a moving clip, it is {@linkplain
   *     Randomiser#fitted fitted} to the clip of the round
   * @return a {@link io.croupier.schemas.GradientReport}, pending in the ledger
   * @throws IllegalArgumentException if the randomiser's dimension or, with a fixed clip, grid
   *     exponent or gradient bound differs from the model's, or the gradient has another shape, or
   *     the clip moves and bounds a size other than the gradient's norm, or the randomiser clips
   *     coordinates or can't be fitted
   * @throws AlreadyReportedException if the data were reported to the model as often as they may be
   * @throws NotChosenException if this device doesn't {@linkplain #answers answer} that round by a
   *     gradient
   * @throws LimitReachedException if the report would exceed the person's limit
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet
   * @throws java.io.UncheckedIOException if the report could not be made durable: it must not be
   *     sent, and must not be drawn again until the ledger has been reopened
   */
  public StoredReport release(
      RoundTerms terms, DataKey key, double[] gradient, Randomiser randomiser) {
    if (terms.is(AdaptiveClip.Size.FEATURES)) {
      throw new IllegalArgumentException(
          "the clip of model "
              + terms.modelId()
              + " bounds the size FEATURES, and no size is given; call 'respond', or give 'report'"
              + " the size: slope bound of the round times norm of the features, as Sizes.ofLinear"
              + " computes it");
    }
    return releaseScaled(terms, key, gradient, randomiser);
  }

  private void requireGradient(RoundTerms terms) {
    if (!answers(terms)) {
      throw notChosen(terms, "a gradient");
    }
  }

  private NotChosenException notChosen(RoundTerms terms, String given) {
    return takesPart(terms)
        ? NotChosenException.ofOther(terms, asks(terms), given)
        : NotChosenException.ofNothing(terms);
  }

  /** What a round asks of this device, which takes part in it. */
  private String asks(RoundTerms terms) {
    if (asksForSize(terms)) {
      return "the size of its gradient";
    }
    return question(terms)
        .map(question -> "an answer to question " + question.getName())
        .or(() -> statistic(terms).map(statistic -> "statistic " + statistic.getName()))
        .orElse("a gradient");
  }

  /**
   * The same for a gradient of a known size, which is first multiplied by min(1, clip / size). The
   * privacy of the report doesn't depend on the size: the gradient is clipped in any case. Where
   * the clip is fixed, the size has no effect.
   *
   * @param size of the gradient as the model {@linkplain RoundTerms#size bounds} it; {@link Sizes}
   *     computes it for linear predictions, and states what a size that is no number of at least 0
   *     means
   */
  public StoredReport release(
      RoundTerms terms, DataKey key, double[] gradient, double size, Randomiser randomiser) {
    double[] scaled =
        terms.hasMovingClip() ? Sizes.scaled(gradient, size, terms.gradientBound()) : gradient;
    return releaseScaled(terms, key, scaled, randomiser);
  }

  private StoredReport releaseScaled(
      RoundTerms terms, DataKey key, double[] gradient, Randomiser randomiser) {
    requireSame("dimension", randomiser.dimension(), terms.dimension());
    Randomiser fitted = randomiser;
    if (terms.hasMovingClip()) {
      requireKnownSize(terms);
      requireNormClip(randomiser);
      fitted = randomiser.fitted(terms.gradientBound(), terms.gridExponent());
    }
    if (fitted instanceof GridRandomiser onGrid) {
      requireSame("gridExponent", onGrid.gridExponent(), terms.gridExponent());
    }
    requireSame("gradientBound", fitted.gradientBound(), terms.gradientBound());
    requireGradient(terms);
    Randomiser chosen = fitted;
    admission.accept(terms.modelId(), chosen.cost());
    return ledger.release(
        terms.modelId(), key, chosen, sequence -> draw(sequence, terms, gradient, chosen));
  }

  /**
   * Answers the {@linkplain #question question} that this device is asked, by a randomised bit.
   * Spends the randomiser's privacy level, unless it throws: then no noise was drawn, except with
   * an {@link java.io.UncheckedIOException}.
   *
   * @param terms of the published round whose average the answer is about
   * @param key names the person's data
   * @param truth evaluates the question on the person's data and the average published with the
   *     round; called at most once, and only if this device is asked
   * @return a {@link io.croupier.schemas.GradientReport}, pending in the ledger
   * @throws AlreadyReportedException if the data were reported to the model as often as they may be
   * @throws NotChosenException if this device isn't asked about that round
   * @throws LimitReachedException if the report would exceed the person's limit
   * @throws IllegalStateException if the report {@value LocalLedger#WINDOW} numbers earlier is not
   *     settled yet
   * @throws java.io.UncheckedIOException if the report could not be made durable: it must not be
   *     sent, and must not be drawn again until the ledger has been reopened
   */
  public StoredReport answer(
      RoundTerms terms, DataKey key, Predicate<Question> truth, BitRandomiser randomiser) {
    Question question =
        question(terms).orElseThrow(() -> notChosen(terms, "the answer to a question"));
    return answer(terms, key, question.getName(), truth.test(question), randomiser);
  }

  /**
   * Answers whether this device's size is above the clip of a round, where the device is
   * {@linkplain #asksForSize asked} for it, by a randomised bit. Spends and throws as {@link
   * #answer}.
   *
   * @param terms of the published round
   * @param key names the person's data
   * @param size computes the size of the person's gradient as the model {@linkplain RoundTerms#size
   *     bounds} it; called at most once, and only if this device is asked. {@link Sizes} states
   *     what a size that is no number of at least 0 means
   * @throws IllegalArgumentException if the clip bounds a size that this version doesn't know
   */
  public StoredReport answerSize(
      RoundTerms terms, DataKey key, DoubleSupplier size, BitRandomiser randomiser) {
    if (!asksForSize(terms)) {
      throw notChosen(terms, "its size");
    }
    requireKnownSize(terms);
    boolean isAbove = Sizes.isAbove(size.getAsDouble(), terms.gradientBound());
    return answer(terms, key, AdaptiveClips.QUESTION, isAbove, randomiser);
  }

  /**
   * Reports the person's category, or text, in the {@linkplain #statistic statistic} for which this
   * device is asked, by a randomised group. Spends and throws as {@link #answer}.
   *
   * @param terms of the published round
   * @param key names the person's data
   * @param category the person's category or text; called at most once, and only if this device is
   *     asked. A value that is none of the statistic's categories, or null, counts as the last one,
   *     and what is no text of its alphabet as the empty text
   * @throws IllegalArgumentException if the randomiser is one of another number of categories, or
   *     the statistic has no texts in these terms
   */
  public StoredReport vote(
      RoundTerms terms,
      DataKey key,
      Function<Statistic, String> category,
      HashedResponseRandomiser randomiser) {
    Statistic statistic = statistic(terms).orElseThrow(() -> notChosen(terms, "a statistic"));
    requireSame("categories", randomiser.categories(), Statistics.candidates(statistic));
    if (!statistic.hasChoice() && !hasTexts(terms, statistic)) {
      throw new IllegalArgumentException(
          "statistic "
              + statistic.getName()
              + " has no texts in the terms of the round; it must be a choice, or one of prefixes");
    }
    String value = category.apply(statistic);
    int index =
        statistic.hasChoice()
            ? Statistics.category(statistic.getChoice(), value)
            : terms.texts().get(statistic.getName()).of(value);
    admission.accept(terms.modelId(), randomiser.cost());
    return ledger.release(
        terms.modelId(),
        key,
        randomiser,
        sequence -> {
          GradientReportView.Builder report = report(sequence, terms);
          randomiser.release(statistic.getName(), index, report);
          return report.build().toByteArray();
        });
  }

  private static boolean hasTexts(RoundTerms terms, Statistic statistic) {
    return statistic.hasPrefixes() && terms.texts().containsKey(statistic.getName());
  }

  private static boolean hasThreshold(RoundTerms terms, Statistic statistic) {
    return statistic.hasQuantiles() && terms.thresholds().containsKey(statistic.getName());
  }

  /**
   * Answers whether the person's value is above the threshold of the round, in the {@linkplain
   * #statistic statistic} of quantiles for which this device is asked, by a randomised bit. Spends
   * and throws as {@link #answer}.
   *
   * @param key names the person's data
   * @param value the person's value; called at most once, and only if this device is asked. One
   *     beyond the range counts as the nearest end, NaN as its lower end
   * @throws IllegalArgumentException if the statistic has no threshold in these terms
   */
  public StoredReport answerValue(
      RoundTerms terms, DataKey key, ToDoubleFunction<Statistic> value, BitRandomiser randomiser) {
    Statistic statistic = statistic(terms).orElseThrow(() -> notChosen(terms, "a statistic"));
    if (!hasThreshold(terms, statistic)) {
      throw new IllegalArgumentException(
          "statistic "
              + statistic.getName()
              + " has no threshold in the terms of the round; it must be one of quantiles");
    }
    double threshold = terms.thresholds().get(statistic.getName());
    boolean isAbove = Statistics.isAbove(value.applyAsDouble(statistic), threshold);
    return answer(terms, key, statistic.getName(), isAbove, randomiser);
  }

  private StoredReport answer(
      RoundTerms terms, DataKey key, String question, boolean answer, BitRandomiser randomiser) {
    admission.accept(terms.modelId(), randomiser.cost());
    return ledger.release(
        terms.modelId(),
        key,
        randomiser,
        sequence -> {
          GradientReportView.Builder report = report(sequence, terms);
          randomiser.release(question, answer, report);
          return report.build().toByteArray();
        });
  }

  private static void requireKnownSize(RoundTerms terms) {
    if (!terms.hasKnownSize()) {
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
    if (terms.hasMovingClip()) {
      report.setGradientBound(terms.gradientBound());
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
