package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.croupier.cli.InputException;
import io.croupier.cli.data.Census;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.data.Simulation;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Statistic;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CountsTest {
  private static final DataSet CENSUS = Census.load();

  @Test
  void countsTheRegionsOfTheCensus() {
    ModelSpec spec = Counts.of(CENSUS).in(ModelSpec.newBuilder().setModelId("m").build());
    assertThat(spec.getStatisticsList()).hasSize(1);
    Statistic region = spec.getStatistics(0);
    assertThat(region.getName()).isEqualTo("region");
    assertThat(region.getChoice().getCategoriesList())
        .containsExactly("midwest", "northeast", "south", "west");
    assertThat(spec.getQuestionProbability()).isEqualTo(0.3);
  }

  @Test
  void theTruthIsThatOfThePeopleWhoTakePart() {
    Counts counts = Counts.of(CENSUS);
    int[] all = IntStream.range(0, CENSUS.problem().size()).toArray();
    List<Double> truth = counts.truth(all).get("region");
    List<String> regions = CENSUS.categories().get("region");
    double south = regions.stream().filter("south"::equals).count() / (double) regions.size();
    assertThat(truth.get(2)).isCloseTo(south, within(1e-9));
    assertThat(truth.stream().mapToDouble(Double::doubleValue).sum()).isCloseTo(1, within(1e-9));
    int first = List.of("midwest", "northeast", "south", "west").indexOf(regions.get(0));
    assertThat(counts.truth(new int[] {0}).get("region").get(first)).isEqualTo(1);
  }

  @Test
  void dataWithoutWordsHasNothingToCount() {
    assertThatThrownBy(() -> Counts.of(Simulation.logistic(100, 1)))
        .isInstanceOf(InputException.class)
        .hasMessage("--statistics: logistic has no column of words to count, such as region");
  }

  @Test
  void barsHaveIntervalAndTruth() {
    assertThat(Counts.bar(0.25, 0.5, 0.4)).isEqualTo("##########------|---");
    assertThat(Counts.bar(0, 0.1, 1)).isEqualTo("----" + " ".repeat(35) + "|");
  }
}
