package io.croupier.cli.watch;

import com.google.gson.JsonObject;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.Guarantee;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PredictionRules;
import io.croupier.schemas.WindowGuarantee;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What the page shows of one model. Not safe for use by several threads. */
final class WatchedModel {
  /** People of one model in a histogram: a share of them has a standard error below 1 %. */
  static final int MOST_PEOPLE = 4096;

  private static final int MOST_DIAGNOSTICS = 16;
  private static final int MOST_NAME = 60;
  private static final int LATENCIES = 64;

  /** An estimate with a wider interval is not shown. */
  private static final double WIDEST = 0.5;

  /** Of a model's windows. */
  private static final int MOST_LEVELS = 8;

  private final RecentRate rate = new RecentRate();
  private final Tally outcomes = new Tally(Outcome.values().length);
  private final SpendingSample spending = new SpendingSample(MOST_PEOPLE);
  private final Map<String, Curve> curves = new TreeMap<>();
  private final long[] latencies = new long[LATENCIES];
  private int measured;
  private ModelSpec spec;
  private ModelUpdate update;
  private GuaranteeEvent guarantee;

  /** What the newest window of anonymous reports guarantees, by declaration. */
  private final List<GuaranteeEvent> window = new ArrayList<>();

  private long publications;
  private long repeated;

  void spec(ModelSpec newest) {
    spec = newest.toBuilder().clearInitialWeights().build();
  }

  /**
   * Takes an update.
   *
   * @param latencyMs time from its publication until it was visible; negative if unknown
   */
  void update(ModelUpdate newest, long latencyMs) {
    publications++;
    if (update != null && update.getRound() == newest.getRound()) {
      repeated++;
    }
    if (latencyMs >= 0) {
      latencies[measured++ % LATENCIES] = latencyMs;
      if (measured >= 2 * LATENCIES) {
        measured -= LATENCIES;
      }
    }
    double used = newest.getUsed();
    for (Map.Entry<String, Double> value : newest.getDiagnosticsMap().entrySet()) {
      String name = value.getKey();
      if (curves.containsKey(name)
          || (curves.size() < MOST_DIAGNOSTICS && name.length() <= MOST_NAME)) {
        add(name, used, value.getValue());
      }
    }
    if (newest.getAverageCount() > 0) {
      add("norm", used, norm(newest));
    }
    if (newest.hasSize()) {
      add("clip", used, newest.getGradientBound());
    }
    for (Estimate estimate : newest.getEstimatesList()) {
      if (estimate.hasFraction() && estimate.getHigh() - estimate.getLow() <= WIDEST) {
        add("estimated " + estimate.getQuestion().getName(), used, estimate.getFraction());
      }
    }
    // The page needs their norm alone.
    update = newest.toBuilder().clearWeights().clearAverage().build();
  }

  /** Forgets all updates, since the model was retired; returns whether it has a spec again. */
  boolean endUpdates() {
    curves.clear();
    measured = 0;
    update = null;
    guarantee = null;
    window.clear();
    publications = 0;
    repeated = 0;
    return spec != null;
  }

  private void add(String name, double used, double value) {
    if (Math.abs(value) <= Double.MAX_VALUE) {
      curves.computeIfAbsent(name, key -> new Curve()).add(used, value);
    }
  }

  private static double norm(ModelUpdate update) {
    double largest = 0;
    for (int i = 0; i < update.getAverageCount(); i++) {
      largest = Math.max(largest, Math.abs(update.getAverage(i)));
    }
    if (largest == 0) {
      return 0;
    }
    double sum = 0;
    for (int i = 0; i < update.getAverageCount(); i++) {
      double scaled = update.getAverage(i) / largest;
      sum += scaled * scaled;
    }
    return largest * Math.sqrt(sum);
  }

  /**
   * Takes a verdict of the ledger.
   *
   * @param user key of its user in samples
   * @param second when it became visible; negative if that was before this process followed
   */
  void event(AccountingEvent event, long user, long second) {
    outcomes.add(event.getOutcome().name());
    if (second >= 0) {
      rate.add(second);
    }
    if (event.hasModelTotals()) {
      spending.put(user, AccountingEvents.countedOnModel(event), event.getLeftModel());
    }
  }

  void guarantee(GuaranteeEvent newest) {
    if (!newest.hasAnonymous()) {
      guarantee = newest;
      return;
    }
    long number = newest.getAnonymous().getWindow();
    window.removeIf(event -> event.getAnonymous().getWindow() != number);
    if (window.size() < MOST_LEVELS) {
      window.add(newest);
    }
  }

  /** The reports that the model used or dropped, the answers, and the open round. */
  long received() {
    if (update == null) {
      return 0;
    }
    // Without a learner, the answers are those of the rounds.
    long answers = update.hasGradientBound() ? update.getAnswers() : 0;
    return answers
        + update.getUsed()
        + update.getOpen()
        + update.getDroppedStale()
        + update.getDroppedUnpublished()
        + update.getDroppedBound();
  }

  /** The model's state, without curves. */
  JsonObject json(String modelId, long second) {
    JsonObject json = new JsonObject();
    json.addProperty("id", modelId);
    if (spec != null) {
      json.addProperty("learner", ModelSpecs.learner(spec).replace('_', '-'));
      json.addProperty("dimension", spec.getDimension());
      json.addProperty("central", ModelSpecs.isCentral(spec));
      if (spec.hasPredicts()) {
        json.addProperty("predicts", PredictionRules.inWords(spec.getPredicts()));
      }
    }
    json.add("perSecond", PageNumbers.number(rate.at(second)));
    json.add("outcomes", outcomes.json());
    if (update != null) {
      addUpdate(json);
    }
    if (guarantee != null) {
      json.add("guarantee", PageNumbers.json(GuaranteeView.of(guarantee)));
    }
    if (!window.isEmpty()) {
      json.add("window", PageNumbers.json(window.stream().map(WindowView::of).toList()));
    }
    return json;
  }

  private void addUpdate(JsonObject json) {
    json.addProperty("round", update.getRound());
    json.addProperty("publishedAtMs", update.getPublishedAtMs());
    json.addProperty("used", update.getUsed());
    json.addProperty("answers", update.getAnswers());
    json.addProperty("open", update.getOpen());
    if (update.hasWaitsFor()) {
      json.addProperty("waitsFor", update.getWaitsFor().name().toLowerCase(Locale.ROOT));
    }
    json.addProperty("stale", update.getDroppedStale());
    json.addProperty("unpublished", update.getDroppedUnpublished());
    json.addProperty("bound", update.getDroppedBound());
    json.addProperty("publications", publications);
    json.addProperty("repeated", repeated);
    Double halfLife = update.getDiagnosticsMap().get("half-life");
    if (halfLife != null) {
      json.add("halfLife", PageNumbers.number(halfLife));
      json.addProperty("drifting", update.getDiagnosticsOrDefault("drifting", 0) > 0);
    }
    json.addProperty("scouting", update.hasSize() && update.getQuestionProbability() >= 1);
    if (measured > 0) {
      long[] sorted = Arrays.copyOf(latencies, Math.min(measured, LATENCIES));
      Arrays.sort(sorted);
      json.addProperty("latencyMs", sorted[sorted.length / 2]);
      json.addProperty("largestLatencyMs", sorted[sorted.length - 1]);
    }
    json.add(
        "estimates",
        PageNumbers.json(update.getEstimatesList().stream().map(EstimateView::of).toList()));
    json.add(
        "statistics",
        PageNumbers.json(update.getStatisticsList().stream().map(StatisticView::of).toList()));
  }

  /** What a central model guarantees. */
  private record GuaranteeView(
      long round,
      String mechanism,
      double noiseMultiplier,
      double delta,
      EpsilonAndMu zeroOut,
      EpsilonAndMu replaceOne) {

    private record EpsilonAndMu(double epsilon, double mu) {
      static EpsilonAndMu of(Guarantee guarantee) {
        return new EpsilonAndMu(guarantee.getEpsilon(), guarantee.getMu());
      }
    }

    static GuaranteeView of(GuaranteeEvent event) {
      return new GuaranteeView(
          event.getRound(),
          event.getMechanism(),
          event.getNoiseMultiplier(),
          event.getDelta(),
          EpsilonAndMu.of(event.getZeroOut()),
          EpsilonAndMu.of(event.getReplaceOne()));
    }
  }

  /** What a window of anonymous reports guarantees at one level. */
  private record WindowView(
      long number, long reports, double localEpsilon, double epsilon, double delta) {
    static WindowView of(GuaranteeEvent event) {
      WindowGuarantee of = event.getAnonymous();
      return new WindowView(
          of.getWindow(), of.getReports(), of.getLocalEpsilon(), of.getEpsilon(), event.getDelta());
    }
  }

  /** The curves by name. */
  JsonObject curves() {
    JsonObject json = new JsonObject();
    curves.forEach((name, curve) -> json.add(name, curve.json()));
    return json;
  }

  /** The newest point of each curve. */
  JsonObject newestPoints() {
    JsonObject json = new JsonObject();
    curves.forEach((name, curve) -> json.add(name, curve.newest()));
    return json;
  }

  /** The people who reported to the model. */
  SpendingSample people() {
    return spending;
  }
}
