package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.accounting.mechanism.GradientSpace;
import io.croupier.cli.plan.LearningLaw;
import io.croupier.schemas.Declarations;
import io.croupier.studies.LawFit.FittedRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The law of a plan against the files of the studies. */
class LawFitTest {
  private static final Path STUDIES = Path.of("../../lab/studies/results");
  private static final Map<String, Integer> DIMENSIONS = Map.of("census", 8, "logistic d = 20", 20);
  private static final int LEAST_REPORTS = 100;
  private static final int LEAST_PUBLICATIONS = 30;

  private static List<FittedRun> points() throws IOException {
    List<String> lines = Files.readAllLines(STUDIES.resolve("plan.csv"));
    assertThat(lines.get(0)).isEqualTo(String.join(",", PlanStudy.COLUMNS));
    return lines.stream()
        .skip(1)
        .map(line -> PlanStudy.point(List.of(line.split(",", -1))))
        .toList();
  }

  /** Runs that the fit never saw, of other rounds and fixed clips. */
  private static List<FittedRun> pointsOfRounds() throws IOException {
    List<String> lines = Files.readAllLines(STUDIES.resolve("rounds.csv"));
    List<String> columns = List.of(lines.get(0).split(",", -1));
    List<FittedRun> points = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      Integer dimension = DIMENSIONS.get(cells[0]);
      int reports = Integer.parseInt(cells[columns.indexOf("N")]);
      int publications = Integer.parseInt(cells[columns.indexOf("K")]);
      if (dimension != null
          && !cells[1].equals("no noise")
          && cells[2].equals("timely")
          && reports >= LEAST_REPORTS
          && publications >= LEAST_PUBLICATIONS) {
        double gain = Double.parseDouble(cells[columns.indexOf("of_doing_nothing")]);
        double excess = Double.parseDouble(cells[columns.indexOf("combined")]);
        double signal = LearningLaw.signal(dimension, gain, noise(cells[1], dimension));
        points.add(new FittedRun(cells[0], signal * reports * publications, excess / gain));
      }
    }
    return points;
  }

  private static double noise(String label, int dimension) {
    String[] words = label.split(" ", -1);
    StudiedMechanism mechanism = StudiedMechanism.valueOf(words[0].toUpperCase(Locale.ROOT));
    return Declarations.of(
            Declarations.declared(mechanism.declared(dimension, 1, Double.parseDouble(words[1]))),
            dimension)
        .squaredError(new GradientSpace(dimension, 1, 0));
  }

  @Test
  void theConstantsAreThoseOfTheFile() throws IOException {
    LearningLaw law = LawFit.of(points());
    assertThat(LearningLaw.OF_COMBINED.half()).isCloseTo(law.half(), within(0.05));
    assertThat(LearningLaw.OF_COMBINED.factor()).isCloseTo(law.factor(), within(0.05));
  }

  /** In 9 of 10 cases, of problems without which the law was fitted. */
  @Test
  void problemsThatTheLawNeverSawAreWithinItsLimits() throws IOException {
    List<FittedRun> points = points();
    long within =
        LawFit.problems(points).stream()
            .mapToLong(problem -> LawFit.withinOthers(problem, points))
            .sum();
    assertThat(points).hasSize(640);
    assertThat(within).isBetween((long) (0.9 * points.size()), (long) (0.95 * points.size()));
    assertThat(Files.readString(STUDIES.resolve("plan.md")))
        .contains("%d of %d in all".formatted(within, points.size()));
  }

  @Test
  void runsOfAnotherStudyAreWithinTheLimits() throws IOException {
    List<FittedRun> points = pointsOfRounds();
    long within = LawFit.within(LearningLaw.OF_COMBINED, points);
    assertThat(points).hasSize(120);
    assertThat(within).isGreaterThanOrEqualTo(108);
    assertThat(Files.readString(STUDIES.resolve("README.md")))
        .contains("%d of %d".formatted(within, points.size()));
  }

  /** A law without noise is found again; runs that miss all or nothing have no part in its half. */
  @Test
  void findsALaw() {
    LearningLaw law = new LearningLaw(7, 1);
    List<FittedRun> points =
        new ArrayList<>(
            IntStream.range(-2, 3)
                .mapToObj(i -> 7 * Math.pow(4, i))
                .map(x -> new FittedRun(x < 7 ? "a" : "b", x, law.missed(x).likely()))
                .toList());
    points.add(new FittedRun("a", 1e-3, 1.02));
    points.add(new FittedRun("b", 1e5, 1e-3));
    LearningLaw found = LawFit.of(points);
    assertThat(found.half()).isCloseTo(7, within(1e-9));
    assertThat(found.factor()).isCloseTo(1, within(1e-9));
    assertThat(LawFit.within(new LearningLaw(7, 1 + 1e-9), points)).isEqualTo(7);
    assertThat(LawFit.within(new LearningLaw(70, 1.5), points)).isEqualTo(2);
  }
}
