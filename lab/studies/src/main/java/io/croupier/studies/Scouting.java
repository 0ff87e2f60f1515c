package io.croupier.studies;

import io.croupier.accounting.ResponseLaw;
import io.croupier.bench.MarkdownPage;
import io.croupier.operators.model.LocalModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How many people the job's model asks while it scouts, and how good the clip is with which it then
 * begins to learn: with devices that follow the announced probability of an answer, and with ones
 * that always answer.
 */
final class Scouting {
  private static final int[] DEVICES = {10, 100, 1000, 10_000};
  private static final double[] INITIAL = {1e-4, 0.01, 1, 100, 1e4};
  private static final double[] EPSILONS = {1, 4};

  /** The median of the standard exponential law, towards which the clip moves while it scouts. */
  private static final double MEDIAN = Math.log(2);

  private final int replications;

  Scouting(int replications) {
    this.replications = replications;
  }

  /**
   * What one search took.
   *
   * @param asked people who answered
   * @param factor by which the first clip of gradients is off the median of the sizes, at least 1
   */
  private record Search(int asked, double factor) {}

  /** All devices are there at each publication, each with a size of an exponential law. */
  private static Search search(
      double initial, int devices, double epsilon, boolean follows, SeededRandom random) {
    double strength = ResponseLaw.ofEpsilon(epsilon).strength();
    AdaptiveClip clip =
        AdaptiveClip.newBuilder()
            .setInitial(initial * MEDIAN)
            .setSize(AdaptiveClip.Size.GRADIENT)
            .build();
    LocalModel model =
        new LocalModel(
            ModelSpec.newBuilder()
                .setModelId("study")
                .setDimension(1)
                .setAdaptiveClip(clip)
                .setBlackBox(BlackBox.getDefaultInstance())
                .setAveraging(CandidateLearners.AVERAGING)
                .build(),
            0);
    int asked = 0;
    ModelUpdateView update = publish(model);
    while (update.getQuestionProbability() == 1) {
      for (int i = 0; i < devices; i++) {
        if (!follows || random.uniform() < update.getAnswerProbability()) {
          boolean isTrue = random.uniform() < (1 + strength) / 2;
          boolean isAbove = Math.abs(random.laplace()) > update.getGradientBound();
          model.add(answer(update.getRound(), isAbove == isTrue ? strength : -strength));
          asked++;
        }
      }
      update = publish(model);
    }
    double off = update.getGradientBound() / MEDIAN;
    return new Search(asked, Math.max(off, 1 / off));
  }

  private static ModelUpdateView publish(LocalModel model) {
    ModelUpdateView update = model.publish(true, 0).orElseThrow();
    model.confirm();
    return update;
  }

  private static RoundSum answer(long round, double response) {
    RoundSum answer = new RoundSum();
    answer.modelId = "study";
    answer.namedRound = round;
    answer.count = 1;
    answer.form = VectorForm.ANSWER;
    answer.question = AdaptiveClips.QUESTION;
    answer.response = response;
    return answer;
  }

  /** Writes a section. */
  void report(long seed, MarkdownPage page) {
    page.heading("How many people scouting takes");
    page.paragraph(
        ("Devices at each publication; those that answer until the model asks for gradients, and the factor by which its clip then is"
                + " off the median of the sizes, which scouting looks for (medians of %d replications; exponential law). *Asked*: the devices"
                + " answer with the probability that the update announces. *All*: they always answer.")
            .formatted(replications));
    for (int e = 0; e < EPSILONS.length; e++) {
      List<String> columns =
          new ArrayList<>(List.of("eps = %s: devices".formatted(NumberLabels.short3(EPSILONS[e]))));
      columns.addAll(List.of("asked: answers", "all: answers"));
      for (double initial : INITIAL) {
        columns.add("initial %s: asked".formatted(ChartStyle.tick(initial)));
        columns.add("all");
      }
      List<List<String>> rows = new ArrayList<>();
      for (int d = 0; d < DEVICES.length; d++) {
        rows.add(row(e, d, SeededRandom.seed(seed, e * DEVICES.length + d, 0)));
      }
      page.table(columns, rows);
    }
  }

  private List<String> row(int e, int d, long seed) {
    Ratios[] answers = {new Ratios(), new Ratios()};
    List<String> factors = new ArrayList<>();
    for (int i = 0; i < INITIAL.length; i++) {
      for (int way = 0; way < 2; way++) {
        Ratios factor = new Ratios();
        for (int r = 0; r < replications; r++) {
          // The same people for both ways.
          SeededRandom random = new SeededRandom(SeededRandom.seed(seed, i, r));
          Search search = search(INITIAL[i], DEVICES[d], EPSILONS[e], way == 0, random);
          answers[way].add(search.asked);
          factor.add(search.factor);
        }
        factors.add(NumberLabels.short3(factor.quantile(0.5)));
      }
    }
    List<String> row = new ArrayList<>();
    row.add(count(DEVICES[d]));
    row.add(count(answers[0].quantile(0.5)));
    row.add(count(answers[1].quantile(0.5)));
    row.addAll(factors);
    return row;
  }

  private static String count(double answers) {
    return String.format(Locale.ROOT, "%,.0f", answers);
  }
}
