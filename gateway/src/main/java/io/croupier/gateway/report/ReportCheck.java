package io.croupier.gateway.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.RoundTerms;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.operators.report.Gradient;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Topics;
import java.time.Duration;

/**
 * Checks a report as the job will, and encodes it with its sender's user id. The job's decoder
 * reads the very bytes that go to Kafka, and the job's ledger judges them by the present spec, for
 * a sender without an account. Equal reports give equal bytes, in whatever form they arrive, so the
 * job recognises a resend. Safe for use by several threads.
 *
 * @param raw whether raw reports are accepted
 */
public record ReportCheck(Topics topics, boolean raw, Specs specs, Updates updates) {
  private static final Duration SOON = Duration.ofSeconds(1);

  /**
   * A report that may be stored.
   *
   * @param topic where to store it
   * @param value its bytes; must not be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // no two are compared
  public record Checked(String topic, byte[] value) {}

  /** Reads and checks a report in Protobuf. */
  public Checked protobuf(byte[] body, String userId) {
    return check(ReportReader.protobuf(body), userId);
  }

  /** Reads and checks a report in Protobuf's JSON mapping. */
  public Checked json(byte[] body, String userId) {
    return check(ReportReader.json(body), userId);
  }

  /**
   * Checks a report.
   *
   * @param userId of the sender
   * @throws ProblemException if the job would not use it
   */
  Checked check(GradientReport sent, String userId) {
    if (sent.hasUserId() && !sent.getUserId().equals(userId)) {
      throw new ProblemException(
          ProblemDocument.ofField(
              ProblemType.FORBIDDEN,
              "user_id",
              "user_id must be absent, or the one that this gateway computes for the sender"));
    }
    if (sent.hasToken()) {
      throw new ProblemException(
          ProblemDocument.ofField(
              ProblemType.FORBIDDEN,
              "gradient",
              "gradient is token: ask for a token at /v1/tokens"));
    }
    if (sent.hasCentral() && !raw) {
      throw new ProblemException(
          ProblemDocument.ofField(
              ProblemType.FORBIDDEN,
              "declaration",
              "declaration is central: this gateway takes no raw reports"));
    }
    String topic = sent.hasCentral() ? topics.rawGradients() : topics.gradients();
    byte[] value = sent.toBuilder().setUserId(userId).build().toByteArray();
    Received received =
        new ReportDecoder()
            .decode(userId.getBytes(UTF_8), value, sent.hasCentral(), Source.unknown(0));
    if (received instanceof Received.Malformed malformed) {
      throw new ProblemException(
          ProblemDocument.ofFields(ProblemType.MALFORMED, malformed.violations()));
    }
    Report report = (Report) received;
    Specs.Judge judge =
        specs
            .judge(report.header().modelId())
            .orElseThrow(
                () ->
                    new ProblemException(
                        ProblemDocument.ofField(
                            ProblemType.NOT_FOUND,
                            "model_id",
                            "model_id must name a model that is published and not retired")));
    AccountingEvent event = judge.judge(report);
    if (event.getOutcome() != Outcome.ADMITTED) {
      throw new ProblemException(
          ProblemDocument.ofField(
                  ProblemType.REFUSED, field(report, event.getOutcome()), event.getReason())
              .outcome(event.getOutcome().name()));
    }
    requireRound(report, judge);
    return new Checked(topic, value);
  }

  /** The field of a report that the ledger refuses. */
  private static String field(Report report, Outcome outcome) {
    return switch (outcome) {
      case REFUSED_DECLARATION, REFUSED_BUDGET -> "declaration";
      case REFUSED_PARTICIPATION, REFUSED_SEPARATION -> "round";
      case REFUSED_SEQUENCE -> "sequence";
      default -> report.content().field();
    };
  }

  /** The learner drops, but the ledger charges, a report whose round it can't use. */
  private void requireRound(Report report, Specs.Judge judge) {
    long round = report.header().round();
    ServedModel newest = updates.newest(report.header().modelId()).orElse(null);
    if (newest == null) {
      throw conflict("round must be a published one, and the model has published none yet", true);
    }
    if (round > newest.round()) {
      throw conflict(
          "round is %d: it must be a published one, at most %d".formatted(round, newest.round()),
          true);
    }
    int staleness = newest.newerThan(round);
    int most = ModelSpecs.maxStaleness(judge.spec());
    if (staleness > most) {
      throw conflict(
          "round is %d: it must be one of the newest %d, since max_staleness is %d; the newest is %d"
              .formatted(round, most + 1, most, newest.round()),
          false);
    }
    RoundTerms terms = newest.terms(round);
    if (terms != null && terms.clip().moves()) {
      requireClip(report, terms, newest);
    }
  }

  private static void requireClip(Report report, RoundTerms terms, ServedModel newest) {
    long round = report.header().round();
    double bound = report.header().gradientBound();
    boolean isAnswer = !(report.content() instanceof Gradient);
    if (terms.isScouting() && !(isAnswer && newest.terms().isScouting())) {
      throw conflict(
          "round is %d, in which the model searched for its clip: it must be a later one, unless the"
                  .formatted(round)
              + " model still searches, and this is an answer",
          false);
    }
    if (!isAnswer && bound != terms.clip().bound()) {
      throw new ProblemException(
          ProblemDocument.ofField(
              ProblemType.REFUSED,
              "gradient_bound",
              "gradient_bound is %s: it must be that of round %d, %s"
                  .formatted(bound, round, terms.clip().bound())));
    }
  }

  private static ProblemException conflict(String detail, boolean soon) {
    ProblemDocument problem = ProblemDocument.ofField(ProblemType.CONFLICT, "round", detail);
    return new ProblemException(soon ? problem.retryAfter(SOON) : problem);
  }
}
