package io.croupier.operators.ledger;

import com.google.protobuf.TextFormat;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.accounting.numerics.DecimalUnits;
import io.croupier.operators.report.Gradient;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportTerms;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.StrongestNoise;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The rules by which a model admits reports, precomputed from its spec. Built once per spec. Not
 * safe for use by several threads.
 */
public final class AdmissionRules {
  private final ModelSpec spec;
  private final boolean central;
  private final Optional<CentralCharge> charge;
  private final ReportTerms terms;
  private final Budget budget;
  private final int maxParticipations;
  private final long minSeparation;
  private final GradientSpace space;
  private final Predicate<Mechanism> acceptedNoise;
  private final String strongestNoise;
  private final Predicate<Report> plausible;
  private final TokenGrants tokens;

  /**
   * What the last report declared; most reports to a model declare the same. Null before the first.
   */
  private Mechanism last;

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
      Predicate<Report> plausible) {
    this.spec = spec;
    this.space = space;
    this.acceptedNoise = acceptedNoise;
    this.plausible = plausible;
    strongestNoise = text(spec.getBanco().getStrongestNoise());
    central = mechanism.isPresent();
    charge = mechanism.map(noise -> CentralCharge.of(noise, spec.getLimits()));
    Limits limits = central ? spec.getLimits() : withoutParticipation(spec.getLimits());
    terms = ReportTerms.of(spec);
    tokens = new TokenGrants(spec);
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

  /** Returns who may have tokens for anonymous reports to the model. */
  public TokenGrants tokens() {
    return tokens;
  }

  /** Returns the budget of one user on the model. */
  Budget budget() {
    return budget;
  }

  /**
   * Judges everything of a report but the limits: first its own fields, then whether its sender may
   * take part once more, or have the token that it asks for.
   *
   * @param earlier the judgement of its number, and of what only a request for a token has
   * @param perUser the budget of its user on all models
   */
  AccountClaim judge(Report report, Judgement earlier, Budget perUser, UserAccount account) {
    Mechanism mechanism = report.mechanism();
    DeclaredCost cost = cost(mechanism);
    Judgement judgement =
        earlier
            .then(() -> judgeContent(report))
            .then(() -> judgeDeclaration(report))
            .then(() -> budget.judgeDeclaration(mechanism, cost.cost()))
            .then(() -> perUser.judgeDeclaration(mechanism, cost.cost()))
            .then(() -> judgeLength(report));
    if (!judgement.isAdmitted()) {
      return new AccountClaim(judgement, cost);
    }
    return central ? participation(report, cost, account) : tokens.claim(report, cost, account);
  }

  private DeclaredCost cost(Mechanism mechanism) {
    if (!mechanism.equals(last)) {
      lastCost = DeclaredCost.of(mechanism, space);
      last = mechanism;
    }
    return lastCost;
  }

  private Judgement judgeContent(Report report) {
    String objection = report.content().objection(terms);
    return objection.isEmpty()
        ? Judgement.ADMITTED
        : new Judgement(Outcome.REFUSED_DIMENSION, objection);
  }

  private Judgement judgeDeclaration(Report report) {
    String objection = objectionToDeclaration(report);
    return objection.isEmpty()
        ? Judgement.ADMITTED
        : Judgement.refusedDeclaration(report.mechanism(), objection);
  }

  /** Central reports are clipped instead: no outcome may depend on their values. */
  private Judgement judgeLength(Report report) {
    return central || plausible.test(report)
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_IMPLAUSIBLE,
            "the report is longer than "
                + (spec.hasAdaptiveClip()
                    ? "its gradient_bound, " + report.header().gradientBound()
                    : "report_bound, or than gradient_bound, " + spec.getGradientBound())
                + ", and its declared noise allow: the gradient must be clipped to gradient_bound,"
                + " then noised as declared");
  }

  /** Returns the claim to a participation, whose cost depends on the earlier ones. */
  private AccountClaim participation(Report report, DeclaredCost cost, UserAccount account) {
    String modelId = report.header().modelId();
    long round = report.header().round();
    Totals before = account.modelTotals(modelId);
    Judgement judgement = judgeParticipation(round, before, account.isErased());
    if (!judgement.isAdmitted()) {
      return new AccountClaim(judgement, cost);
    }
    Participation participation =
        charge.orElseThrow().participation(account, modelId, before, round);
    return new AccountClaim(
        judgement,
        DeclaredCost.of(participation.cost()),
        (spent, event) -> {
          participation.store(account, modelId);
          spent.participate(round);
          event.setCentralSpend(participation.toProto());
        });
  }

  /**
   * Central models limit the number of participations and their separation to those that the
   * guarantee was computed for.
   */
  private Judgement judgeParticipation(long round, Totals spent, boolean erased) {
    if (erased) {
      return new Judgement(
          Outcome.REFUSED_PARTICIPATION,
          "the user's account was erased, and with it the rounds from which the charge follows");
    }
    Optional<String> refusal = charge.orElseThrow().refusal(round);
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
    return round >= earliest && round > spent.lastRound
        ? Judgement.ADMITTED
        : new Judgement(
            Outcome.REFUSED_SEPARATION,
            "round is "
                + round
                + ": it must be at least "
                + earliest
                + ", since the user took part in round "
                + spent.lastRound
                + " and limits.min_separation is "
                + minSeparation);
  }

  /** Returns why the model refuses an anonymous report by its own fields; empty if it doesn't. */
  public String refusalOfAnonymous(Report report) {
    Judgement judgement = judgeContent(report).then(() -> judgeDeclaration(report));
    return judgement.isAdmitted() && !plausible.test(report)
        ? "the report is longer than report_bound"
        : judgement.reason();
  }

  /** Returns why the model refuses a declaration; empty if it doesn't. */
  private String objectionToDeclaration(Report report) {
    Mechanism mechanism = report.mechanism();
    String wrong = spec.hasAdaptiveClip() ? refusalOfClip(report) : refusalOfBound(report);
    if (!wrong.isEmpty()) {
      return wrong;
    }
    if (central != mechanism instanceof CentralNoise) {
      return central
          ? "the model adds the noise itself, so it must be central"
          : "the model takes noised reports only, so it must be one of the others";
    }
    wrong = report.content().objectionTo(mechanism, terms);
    if (wrong.isEmpty()) {
      wrong = mechanism.objection(space);
    }
    return wrong.isEmpty() && !isAccepted(mechanism)
        ? "the noise must be disclosed and no stronger than the model's strongest_noise, "
            + strongestNoise
        : wrong;
  }

  private boolean isAccepted(Mechanism mechanism) {
    return central
        || mechanism instanceof RandomisedResponseMechanism
        || mechanism instanceof HashedResponseMechanism
        || acceptedNoise.test(mechanism);
  }

  private String refusalOfBound(Report report) {
    double bound = report.header().gradientBound();
    return bound == 0 || bound == spec.getGradientBound()
        ? ""
        : "gradient_bound is %s: it must be the model's, %s, or left out"
            .formatted(bound, spec.getGradientBound());
  }

  /** The ledger doesn't know the clip of a round; the learner compares the bound with it. */
  private String refusalOfClip(Report report) {
    double least = AdaptiveClips.least(spec.getAdaptiveClip());
    double largest = AdaptiveClips.largest(spec.getAdaptiveClip());
    double bound = report.header().gradientBound();
    if (!(report.content() instanceof Gradient) || (bound >= least && bound <= largest)) {
      return "";
    }
    return "gradient_bound is %s: it must be that of the update whose round the report names, from %s to %s"
        .formatted(bound == 0 ? "missing" : String.valueOf(bound), least, largest);
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
}
