package io.croupier.cli.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import io.croupier.cli.account.EventReading;
import io.croupier.client.ModelSnapshot;
import io.croupier.operators.ledger.CentralMechanism;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.ledger.UserAccount;
import io.croupier.operators.model.CentralModel;
import io.croupier.operators.model.LiveModel;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * The path of a report through the job: it is decoded and judged, the ledger emits an event, and an
 * admitted report is added to its model. The same follows with the next sequence number and the
 * model's round. There is a model with two coordinates for every learner, and one that finds its
 * clip.
 */
final class ReportPath {
  /** The initial clip of the model that finds its clip. */
  private static final double CLIP = 1;

  /** Size of an event without the names that it repeats. */
  private static final int EVENT_BYTES = 2000;

  private static final String CENTRAL =
      "limits { delta: 1e-6 max_participations: 2 min_separation: 0 } ";
  private static final List<String> MODELS =
      List.of(
          "black_box { radius: 3 }",
          "limits { epsilon: 4 } banco { strongest_noise { l2_laplace { epsilon: 1e-3 } } }",
          "limits { epsilon: 4 delta: 1e-6 } questions { name: 'a' accuracy {} } black_box {}",
          "statistics { name: 's' choice { categories: ['a', 'b', 'c'] } } statistics { name: 't' choice"
              + " { categories: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'] } } combined {}",
          "limits { mu: 5 } reports_per_round: 2 black_box {}",
          "limits { reports: 1 } ldp_sgd { step_size: 1 decay: 0.5 radius: 5 }",
          "averaging { polynomial { degree: 3 } } coordinate_wise {}",
          "coordinate_wise { prior { conjugate {} } }",
          "adaptive_clip { size: GRADIENT } limits { epsilon: 4 delta: 1e-6 } black_box {}",
          CENTRAL
              + "dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1 momentum: 0.5"
              + " noise { tree {} } }",
          CENTRAL
              + "dp_ftrl { clip_norm: 1 noise_multiplier: 1 learning_rate: 1"
              + " noise { blt { buffers: 2 horizon: 5 } } }",
          CENTRAL
              + "dp_ftrl_least_squares { x_norm: 1 y_bound: 1 radius: 5 noise_multiplier: 1"
              + " lambda: 1 noise { tree {} } }",
          CENTRAL
              + "dp_ftrl_parameter_free { clip_norm: 1 noise_multiplier: 1 restart_every: 2"
              + " noise { tree {} } }");

  private static final List<String> VECTORS =
      List.of(
          "dense { values: [0.5, -0.25] }",
          "grid { values: [32768, -1] }",
          "sparse { dimension: 2 indices: [1] values: [0.125] }",
          "candidate { dimension: 2 seed: 7 index: 3 }",
          "answer { question: 'a' bit: true }",
          "answer { question: 'clip' bit: true }",
          "vote { statistic: 's' index: 1 }",
          "vote { statistic: 't' seed: 7 index: 1 }");
  private static final List<String> NOISES =
      List.of(
          "l2_laplace { epsilon: 1 }",
          "gaussian { mu: 0.5 }",
          "coordinate_laplace { taus: [0.5, 0.25] }",
          "coordinate_laplace { taus: [0.5, 0.25] clip: L2 }",
          "coordinate_laplace { taus: [0.5, inf] clip: COORDINATES }",
          // The event of a sparse report is as long as its indices.
          "coordinate_laplace { taus: 0.5 clip: COORDINATES }",
          "undisclosed {}",
          "priv_unit { epsilon: 1 candidates: 64 top: 24 }",
          "randomised_response { epsilon: 1 }",
          "randomised_response { mu: 0.5 }",
          "hashed_response { epsilon: 1 groups: 3 }",
          "hashed_response { epsilon: 1 groups: 4 }");

  private final ReportDecoder decoder = new ReportDecoder();
  private final Ledger ledger = new Ledger(Limits.newBuilder().setReports(1_000_000).build());
  private final Map<String, ModelSpec> specs = new LinkedHashMap<>();
  private final Map<String, ReportIntake> intakes = new LinkedHashMap<>();

  /** The mechanisms of the central models: a search for one allocates megabytes. */
  private final Map<String, CentralMechanism> mechanisms = new LinkedHashMap<>();

  ReportPath() {
    for (int i = 0; i < MODELS.size(); i++) {
      ModelSpec.Builder spec = ModelSpec.newBuilder();
      merge("model_id: 'm%d' dimension: 2 gradient_bound: 1 %s".formatted(i, MODELS.get(i)), spec);
      if (spec.hasAdaptiveClip()) {
        spec.clearGradientBound();
      }
      specs.put(spec.getModelId(), spec.build());
      intakes.put(spec.getModelId(), new ReportIntake(spec.build(), 0));
      if (ModelSpecs.isCentral(spec.build())) {
        mechanisms.put(spec.getModelId(), CentralMechanism.of(spec.build()));
      }
    }
  }

  /** Admitted reports, in all encodings, with all noises, to all models. */
  List<byte[]> corpus() {
    List<byte[]> corpus = new ArrayList<>();
    for (ModelSpec spec : specs.values()) {
      boolean central = ModelSpecs.isCentral(spec);
      for (String vector :
          spec.hasDpFtrlLeastSquares() ? List.of("example { x: [0.5, 0] y: 1 }") : VECTORS) {
        for (String noise : central ? List.of("central {}") : NOISES) {
          GradientReport.Builder report = GradientReport.newBuilder();
          if (spec.hasAdaptiveClip()) {
            report.setGradientBound(CLIP);
          }
          merge(
              "model_id: '%s' round: 0 user_id: 'ada' device_id: 'phone' sequence: 1 %s %s"
                  .formatted(spec.getModelId(), vector, noise),
              report);
          byte[] bytes = report.build().toByteArray();
          if (read(bytes).isEmpty()) {
            corpus.add(bytes);
          }
        }
      }
    }
    return corpus;
  }

  private static void merge(String text, com.google.protobuf.Message.Builder message) {
    try {
      TextFormat.merge(text, message);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  /** The reason why the report is not added to a model; empty if it is. */
  String read(byte[] bytes) {
    GradientReport message;
    try {
      message = GradientReport.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      return e.getMessage();
    }
    byte[] key = message.getUserId().getBytes(UTF_8);
    if (decoder.decode(key, bytes, message.hasCentral(), Source.unknown(0))
        instanceof Report report) {
      return play(report);
    }
    return "malformed";
  }

  private String play(Report report) {
    UserAccount account = EventReading.account();
    ReportIntake intake = intakes.get(report.header().modelId());
    if (intake == null) {
      AccountingEvent event = ledger.judgeUnknownModel(report, account);
      checkSize(event, report);
      return event.getReason();
    }
    LiveModel model = model(specs.get(report.header().modelId()));
    model.publish(true, 0);
    if (model.spec().hasAdaptiveClip()) {
      scout(model);
    }
    String refusal = add(report, intake, account, model);
    String next = add(next(report, model.round()), intake, account, model);
    return refusal.isEmpty() ? "" : refusal + next;
  }

  /** Returns the same report with the next number, about a round. */
  private static Report next(Report report, long round) {
    Header header = report.header();
    Header next =
        new Header(
            header.modelId(),
            round,
            header.userId(),
            header.deviceId(),
            header.sequence() == Long.MAX_VALUE ? 0 : header.sequence() + 1,
            header.createdAtMs(),
            header.gradientBound());
    return new Report(next, report.mechanism(), report.content(), report.digest(), report.source());
  }

  /** Answers until the model asks for gradients; the clip remains the initial one. */
  private static void scout(LiveModel model) {
    for (int publication = 0; publication < 6; publication++) {
      // As many as above the median, at last as many as above the 20 % quantile.
      int above = publication < 5 ? 5 : 8;
      for (int i = 0; i < 10; i++) {
        RoundSum answer = new RoundSum();
        answer.modelId = model.spec().getModelId();
        answer.namedRound = model.publishedRound();
        answer.count = 1;
        answer.form = VectorForm.ANSWER;
        answer.question = "clip";
        answer.response = i < above ? 1 : -1;
        model.add(answer);
      }
      model.publish(true, 0);
    }
    ModelSnapshot snapshot =
        ModelSnapshot.parse(model.publish(true, 0).orElseThrow().toByteArray());
    if (snapshot.gradientBound() != CLIP || snapshot.round() != 6) {
      throw new AssertionError("A clip of " + snapshot.gradientBound());
    }
  }

  private LiveModel model(ModelSpec spec) {
    return ModelSpecs.isCentral(spec)
        ? new CentralModel(spec, 0, mechanisms.get(spec.getModelId()))
        : LiveModel.begin(spec, 0);
  }

  private String add(Report report, ReportIntake intake, UserAccount account, LiveModel model) {
    AccountingEvent event = ledger.judge(report, intake.terms(), account);
    checkSize(event, report);
    checkTotals(event);
    if (event.getOutcome() != Outcome.ADMITTED) {
      return event.getReason();
    }
    model.add(intake.withoutUser(report));
    ModelSnapshot snapshot =
        ModelSnapshot.parse(model.publish(true, 0).orElseThrow().toByteArray());
    if (!DoubleStream.concat(
            DoubleStream.of(snapshot.weights()), DoubleStream.of(snapshot.average()))
        .allMatch(Double::isFinite)) {
      throw new AssertionError("Weights that are not finite");
    }
    for (Estimate estimate : snapshot.estimates()) {
      if (!Double.isFinite(estimate.getFraction())
          || !(estimate.getLow() >= 0 && estimate.getLow() <= estimate.getHigh())
          || !(estimate.getHigh() <= 1)) {
        throw new AssertionError("An impossible estimate");
      }
    }
    return "";
  }

  private static void checkSize(AccountingEvent event, Report report) {
    Header header = report.header();
    int names =
        3 * (header.modelId().length() + header.userId().length() + header.deviceId().length());
    if (event.getSerializedSize() > EVENT_BYTES + names) {
      throw new AssertionError("An event of " + event.getSerializedSize() + " bytes");
    }
  }

  private static void checkTotals(AccountingEvent event) {
    if (Double.isNaN(event.getModelTotals().getMuOfAll())
        || Double.isNaN(event.getModelTotals().getEpsilon())
        || Double.isNaN(event.getModelTotals().getRho())
        || Double.isNaN(event.getModelTotals().getEpsilonAtDelta())) {
      throw new AssertionError("Totals that are no numbers");
    }
  }
}
