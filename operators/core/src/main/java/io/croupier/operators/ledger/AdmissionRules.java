package io.croupier.operators.ledger;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.Cost;
import io.croupier.accounting.mechanism.DeclaredClip;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Statistics;
import io.croupier.schemas.StrongestNoise;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * The rules by which a model admits reports, precomputed from its spec. Built once per spec. Not
 * safe for use by several threads.
 */
public final class AdmissionRules {
  private final ModelSpec spec;
  private final boolean central;
  private final Optional<CentralCharge> charge;
  private final boolean takesExamples;
  private final Set<String> questions;

  /** The number of categories of each statistic, by its name. */
  private final Map<String, Integer> statistics;

  private final Budget budget;
  private final int maxParticipations;
  private final long minSeparation;
  private final GradientSpace space;
  private final Predicate<Mechanism> acceptedNoise;
  private final String strongestNoise;
  private final BiPredicate<Report, Mechanism> plausible;
  private final List<Mechanism> levels;

  /**
   * The cost of the last report; most reports to a model declare the same. Null before the first.
   */
  private DeclaredCost lastCost;

  /**
   * Compiles a valid spec.
   *
   * @param mechanism the noise that the job adds; empty if the model is not central
   * @param space the model's gradients
   * @param acceptedNoise whether the model's learner accepts a mechanism
   * @param plausible whether a report's length is plausible under its declared noise
   */
  public AdmissionRules(
      ModelSpec spec,
      Optional<CentralMechanism> mechanism,
      GradientSpace space,
      Predicate<Mechanism> acceptedNoise,
      BiPredicate<Report, Mechanism> plausible) {
    this.spec = spec;
    this.space = space;
    this.acceptedNoise = acceptedNoise;
    this.plausible = plausible;
    strongestNoise = text(spec.getBanco().getStrongestNoise());
    central = mechanism.isPresent();
    charge = mechanism.map(noise -> CentralCharge.of(noise, spec.getLimits()));
    Limits limits = central ? spec.getLimits() : withoutParticipation(spec.getLimits());
    takesExamples = spec.hasDpFtrlLeastSquares();
    questions = new LinkedHashSet<>();
    spec.getQuestionsList().forEach(question -> questions.add(question.getName()));
    statistics = new LinkedHashMap<>();
    spec.getStatisticsList()
        .forEach(
            each -> {
              if (each.hasQuantiles()) {
                questions.add(each.getName());
              } else {
                statistics.put(each.getName(), Statistics.candidates(each));
              }
            });
    if (spec.hasAdaptiveClip()) {
      questions.add(AdaptiveClips.QUESTION);
    }
    levels = AnonymousWindows.levels(spec);
    budget = new Budget("limits.", limits);
    maxParticipations = limits.getMaxParticipations();
    minSeparation = limits.getMinSeparation();
  }

  /** Local models have no participations, so their events contain no remaining ones either. */
  private static Limits withoutParticipation(Limits limits) {
    return limits.toBuilder().clearMaxParticipations().clearMinSeparation().build();
  }

  /** Returns the spec. */
  public ModelSpec spec() {
    return spec;
  }

  /** Returns the budget of one user on the model. */
  Budget budget() {
    return budget;
  }

  /**
   * Judges a report by its own fields, independently of its sender's account; dimension first.
   *
   * @param mechanism that the report declares
   * @param cost of the mechanism
   * @param perUser the budget of its user on all models
   */
  Judgement judge(Report report, Mechanism mechanism, Cost cost, Budget perUser) {
    boolean isRequest = report.form == VectorForm.TOKEN;
    Judgement judgement = isRequest ? judgeLevel(report, mechanism) : judgeDimension(report);
    if (judgement.isAdmitted()) {
      judgement = judgeDeclaration(report, mechanism);
    }
    if (judgement.isAdmitted()) {
      judgement = budget.judgeDeclaration(mechanism, cost);
    }
    if (judgement.isAdmitted()) {
      judgement = perUser.judgeDeclaration(mechanism, cost);
    }
    // Central reports are clipped instead: no outcome may depend on their values.
    if (judgement.isAdmitted() && !central && !isRequest && !plausible.test(report, mechanism)) {
      return new Judgement(
          Outcome.REFUSED_IMPLAUSIBLE,
          "the report is longer than "
              + (spec.hasAdaptiveClip()
                  ? "its gradient_bound, " + report.gradientBound
                  : "report_bound, or than gradient_bound, " + spec.getGradientBound())
              + ", and its declared noise allow: the gradient must be clipped to gradient_bound,"
              + " then noised as declared");
    }
    return judgement;
  }

  /**
   * Judges whether the sender of a well-formed report may take part once more. Central models limit
   * the number of participations and their separation to those that the guarantee was computed for.
   *
   * @param spent totals of the sender and the model
   */
  Judgement judgeParticipation(Report report, Totals spent, boolean erased) {
    if (!central) {
      return Judgement.ADMITTED;
    }
    if (erased) {
      return new Judgement(
          Outcome.REFUSED_PARTICIPATION,
          "the user's account was erased, and with it the rounds from which the charge follows");
    }
    Optional<String> refusal = charge.orElseThrow().refusal(report.round);
    if (refusal.isPresent()) {
      return new Judgement(Outcome.REFUSED_PARTICIPATION, refusal.get());
    }
    if (spent.participations == 0) {
      return Judgement.ADMITTED;
    }
    if (spent.participations >= maxParticipations) {
      return new Judgement(
          Outcome.REFUSED_PARTICIPATION,
          "limits.max_participations is "
              + maxParticipations
              + ", and the user has taken part "
              + spent.participations
              + (spent.participations == 1 ? " time" : " times"));
    }
    long earliest = DecimalUnits.add(DecimalUnits.add(spent.lastRound, minSeparation), 1);
    return report.round >= earliest && report.round > spent.lastRound
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_SEPARATION,
            "round is "
                + report.round
                + ": it must be at least "
                + earliest
                + ", since the user took part in round "
                + spent.lastRound
                + " and limits.min_separation is "
                + minSeparation);
  }

  /** Returns what a report costs that is no participation. */
  DeclaredCost cost(Mechanism mechanism) {
    Cost cost = mechanism.cost(space);
    if (lastCost == null || !lastCost.cost().equals(cost)) {
      lastCost = DeclaredCost.of(cost);
    }
    return lastCost;
  }

  /** Records what the cost of a report depends on beside its declaration. */
  void recordGrid(Mechanism mechanism, AccountingEvent.Builder event) {
    if (mechanism instanceof CoordinateLaplaceMechanism laplace
        && laplace.effectiveCoordinates() > 0) {
      event.getCoordinateLaplaceBuilder().setLeastScale(laplace.leastScale(space));
    }
  }

  /**
   * Computes the sender's participation for a report that {@link #judgeParticipation} admitted.
   *
   * @param spent totals of the sender and the model
   * @return empty if the model is not central
   */
  Optional<Participation> participation(Report report, Totals spent, UserAccount account) {
    return charge.map(c -> c.participation(account, report.modelId, spent, report.round));
  }

  /** Returns why the model refuses an anonymous report by its own fields; empty if it doesn't. */
  public String refusalOfAnonymous(Report report) {
    Mechanism mechanism = Declaration.of(report);
    Judgement judgement = judgeDimension(report);
    if (judgement.isAdmitted()) {
      judgement = judgeDeclaration(report, mechanism);
    }
    return judgement.isAdmitted() && !plausible.test(report, mechanism)
        ? "the report is longer than report_bound"
        : judgement.reason();
  }

  /**
   * Judges whether a request names a window that may still have a token of its user.
   *
   * @param newest token of the user
   */
  Judgement judgeToken(Report request, TokenRecord newest, boolean erased) {
    if (erased) {
      return new Judgement(
          Outcome.REFUSED_PARTICIPATION,
          "the user's account was erased, and with it the windows of its tokens");
    }
    long window = tokenWindow(request);
    return window > newest.window()
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_PARTICIPATION,
            "the window is %d: it must be at least %d, since the user has a token of window %d"
                .formatted(window, newest.window() + 1, newest.window()));
  }

  /** Returns whether the model takes anonymous reports, so that its users may have tokens. */
  public boolean hasTokens() {
    return spec.hasAnonymous();
  }

  /** Returns the window of a request for a token; -1 if the model has none. */
  long tokenWindow(Report request) {
    return spec.hasAnonymous() ? AnonymousWindows.window(spec, request.round) : -1;
  }

  private Judgement judgeLevel(Report report, Mechanism mechanism) {
    if (!spec.hasAnonymous()) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION, "gradient is a token: the model takes no anonymous reports");
    }
    long first = AnonymousWindows.firstRound(spec, tokenWindow(report));
    if (report.round != first) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          "round is %d: it must be the first one of a window, such as %d"
              .formatted(report.round, first));
    }
    return levels.contains(mechanism)
        ? Judgement.ADMITTED
        : Judgement.refusedDeclaration(mechanism, "it must be one of the model's anonymous levels");
  }

  private Judgement judgeDimension(Report report) {
    if (report.form == VectorForm.ANSWER) {
      return questions.contains(report.question)
          ? Judgement.ADMITTED
          : new Judgement(
              Outcome.REFUSED_DIMENSION,
              "answer.question must be one of the model's: it asks " + text(questions));
    }
    if (report.form == VectorForm.VOTE) {
      return statistics.containsKey(report.question)
          ? Judgement.ADMITTED
          : new Judgement(
              Outcome.REFUSED_DIMENSION,
              "vote.statistic must be one of the model's: it has " + text(statistics.keySet()));
    }
    if (!ModelSpecs.hasLearner(spec)) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          "gradient is %s: it must be a vote or an answer, since the model has no learner"
              .formatted(name(report.form)));
    }
    boolean example = report.form == VectorForm.EXAMPLE;
    if (example != takesExamples) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          takesExamples
              ? "gradient is " + name(report.form) + ": for least squares it must be an example"
              : "gradient is an example: for this learner it must be dense, grid, sparse or"
                  + " candidate");
    }
    if (report.dimension != spec.getDimension()) {
      return new Judgement(
          Outcome.REFUSED_DIMENSION,
          "the vector has dimension "
              + report.dimension
              + ": it must have the model's, "
              + spec.getDimension());
    }
    return Judgement.ADMITTED;
  }

  private Judgement judgeDeclaration(Report report, Mechanism mechanism) {
    String wrong = spec.hasAdaptiveClip() ? refusalOfClip(report) : refusalOfBound(report);
    if (wrong.isEmpty() && mechanism instanceof HashedResponseMechanism response) {
      wrong = response.objection(statistics.get(report.question), report.isHashed);
    }
    if (wrong.isEmpty()) {
      wrong = refusal(report.form == VectorForm.SPARSE, mechanism);
    }
    return wrong.isEmpty() ? Judgement.ADMITTED : Judgement.refusedDeclaration(mechanism, wrong);
  }

  private String refusalOfBound(Report report) {
    return report.gradientBound == 0 || report.gradientBound == spec.getGradientBound()
        ? ""
        : "gradient_bound is %s: it must be the model's, %s, or left out"
            .formatted(report.gradientBound, spec.getGradientBound());
  }

  /** The ledger doesn't know the clip of a round; the learner compares the bound with it. */
  private String refusalOfClip(Report report) {
    double least = AdaptiveClips.least(spec.getAdaptiveClip());
    double largest = AdaptiveClips.largest(spec.getAdaptiveClip());
    if (!report.form.isGradient()
        || (report.gradientBound >= least && report.gradientBound <= largest)) {
      return "";
    }
    return "gradient_bound is %s: it must be that of the update whose round the report names, from %s to %s"
        .formatted(
            report.gradientBound == 0 ? "missing" : String.valueOf(report.gradientBound),
            least,
            largest);
  }

  /** Returns why the model refuses a declaration; empty if it doesn't. */
  private String refusal(boolean isSparse, Mechanism mechanism) {
    if (central != mechanism instanceof CentralNoise) {
      return central
          ? "the model adds the noise itself, so it must be central"
          : "the model takes noised reports only, so it must be one of the others";
    }
    if (isSparse && !mechanism.hidesSparsity()) {
      return "the vector is sparse, so it reveals which coordinates it names, whatever the noise: it must"
          + " be undisclosed"
          + (spec.hasAdaptiveClip() ? "" : ", or coordinate_laplace with the clip COORDINATES");
    }
    if (mechanism instanceof CoordinateLaplaceMechanism laplace) {
      String wrong = refusalOfTaus(isSparse, laplace);
      if (!wrong.isEmpty()) {
        return wrong;
      }
    }
    String objection = mechanism.objection(space);
    if (!objection.isEmpty()) {
      return objection;
    }
    boolean isAnswer =
        mechanism instanceof RandomisedResponseMechanism
            || mechanism instanceof HashedResponseMechanism;
    return central || isAnswer || acceptedNoise.test(mechanism)
        ? ""
        : "the noise must be disclosed and no stronger than the model's strongest_noise, "
            + strongestNoise;
  }

  private String refusalOfTaus(boolean isSparse, CoordinateLaplaceMechanism mechanism) {
    if (mechanism.clip() == DeclaredClip.COORDINATES) {
      if (spec.hasBanco()) {
        return "the clip is COORDINATES: it must be L2, since BANCO bets on gradients whose L2 norm"
            + " is at most gradient_bound";
      }
      return spec.hasAdaptiveClip()
          ? "the clip is COORDINATES: it must be L2, since adaptive_clip follows the norm of"
              + " gradients"
          : "";
    }
    if (isSparse) {
      return "the vector is sparse, so the coordinates that it doesn't name are not private: the"
          + " clip must be COORDINATES";
    }
    return mechanism.openCoordinates() > 0
        ? "a tau is infinite, so the clip must be COORDINATES: scaled to an L2 norm, a coordinate"
            + " that is not private reveals the others"
        : "";
  }

  private static String text(Set<String> questions) {
    return questions.isEmpty() ? "none" : String.join(", ", questions);
  }

  /** Prints only the least tau, which alone decides; there are as many as coordinates. */
  private static String text(StrongestNoise noise) {
    StrongestNoise.Builder shown = noise.toBuilder();
    if (noise.hasCoordinateLaplace()) {
      double least = Collections.min(noise.getCoordinateLaplace().getTausList());
      shown.getCoordinateLaplaceBuilder().clearTaus().addTaus(least);
    }
    return TextFormat.printer().emittingSingleLine(true).printToString(shown).strip();
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
