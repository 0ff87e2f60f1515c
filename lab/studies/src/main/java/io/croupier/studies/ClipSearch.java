package io.croupier.studies;

import io.croupier.accounting.ResponseLaw;
import io.croupier.bench.MarkdownPage;
import io.croupier.operators.clip.ClipTracker;
import java.util.ArrayList;
import java.util.List;

/** How many answers a tracker needs to find the clip, one in each publication. */
final class ClipSearch {
  private static final double[] INITIAL = {1e-4, 1e-3, 1e-2, 1, 1e2, 1e3, 1e4};
  private static final double[] EPSILONS = {1, 4};
  private static final int MOST = 100_000;

  /** The 20 % quantile of the standard exponential law. */
  private static final double QUANTILE = -Math.log(0.8);

  private final int replications;

  ClipSearch(int replications) {
    this.replications = replications;
  }

  /**
   * What one search takes.
   *
   * @param scouting answers until scouting ends
   * @param later further answers until the clip is within a factor of 2 of the quantile
   */
  private record Length(int scouting, int later) {}

  private static Length length(double initial, double epsilon, SeededRandom random) {
    double strength = ResponseLaw.ofEpsilon(epsilon).strength();
    ClipTracker tracker = new ClipTracker(initial * QUANTILE);
    int scouting = 0;
    int later = 0;
    while (tracker.isScouting() || (!isClose(tracker.clip()) && later < MOST)) {
      double size = Math.abs(random.laplace());
      boolean isTrue = random.uniform() < (1 + strength) / 2;
      if (tracker.isScouting()) {
        scouting++;
      } else {
        later++;
      }
      tracker.add(size > tracker.clip() == isTrue ? strength : -strength);
      tracker.advance();
    }
    return new Length(scouting, later);
  }

  private static boolean isClose(double clip) {
    return clip > QUANTILE / 2 && clip < QUANTILE * 2;
  }

  /** Writes a section. */
  void report(long seed, MarkdownPage page) {
    page.heading("How long the search takes");
    page.paragraph(
        "Answers until the clip is within a factor of 2 of the 20 % quantile, "
            + replications
            + " replications, sizes of an exponential law, one answer in each publication. After scouting, one person in 50"
            + " answers.");
    List<String> columns = new ArrayList<>(List.of("initial clip / quantile"));
    for (double epsilon : EPSILONS) {
      String level = "eps = " + NumberLabels.short3(epsilon);
      columns.add(level + ": scouting (median)");
      columns.add("later answers (median)");
      columns.add("largest");
    }
    List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < INITIAL.length; i++) {
      List<String> row = new ArrayList<>(List.of(ChartStyle.tick(INITIAL[i])));
      for (int e = 0; e < EPSILONS.length; e++) {
        Ratios scouting = new Ratios();
        Ratios later = new Ratios();
        for (int r = 0; r < replications; r++) {
          long own = SeededRandom.seed(seed, i * EPSILONS.length + e, r);
          Length length = length(INITIAL[i], EPSILONS[e], new SeededRandom(own));
          scouting.add(length.scouting);
          later.add(length.later);
        }
        row.add(NumberLabels.short3(scouting.quantile(0.5)));
        row.add(NumberLabels.short3(later.quantile(0.5)));
        row.add(NumberLabels.short3(later.quantile(1)));
      }
      rows.add(row);
    }
    page.table(columns, rows);
  }
}
