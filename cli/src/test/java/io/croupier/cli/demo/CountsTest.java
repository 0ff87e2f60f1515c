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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        .hasMessage("demo statistics: logistic has no column of words to count, such as region");
  }

  private static DataSet words(Map<String, List<String>> columns) {
    return new DataSet("people.csv", "", List.of(), "", CENSUS.problem(), 1, 1, columns, List.of());
  }

  private static List<String> numbered(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  @Test
  void columnsThatNoSpecMayCountAreLeftOut() {
    Map<String, List<String>> columns = new LinkedHashMap<>();
    columns.put("constant", List.of("same", "same"));
    columns.put("street", numbered("street ", 1025));
    columns.put("text", List.of("x".repeat(101), "b"));
    columns.put("missing", List.of("a", ""));
    columns.put("padded", List.of("a", " b"));
    columns.put("home town", List.of("a", "b"));
    columns.put("clip", List.of("a", "b"));
    columns.put(CENSUS.problem().fitName(), List.of("a", "b"));
    columns.put("plan", List.of("b", "a"));
    Counts counts = Counts.of(words(columns));

    ModelSpec spec = counts.in(ModelSpec.newBuilder().setModelId("m").build());
    assertThat(spec.getStatisticsList()).extracting(Statistic::getName).containsExactly("plan");
    assertThat(counts.has(spec.getStatistics(0))).isTrue();
    assertThat(counts.has(Statistic.newBuilder().setName("constant").build())).isFalse();
    assertThat(counts.notes()).hasSize(8);
    assertThat(counts.notes().get(0))
        .startsWith("Not counted is the column 'constant': it has 1 different values; a statistic");
    assertThat(String.join("", counts.notes())).doesNotContain("street 7", "xxx");
    columns.remove("plan");
    assertThatThrownBy(() -> Counts.of(words(columns)))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("has no column of words to count, such as region. Not counted is");
  }

  @Test
  void asManyAreCountedAsAModelMayHave() {
    Map<String, List<String>> columns = new LinkedHashMap<>();
    numbered("column-", 17).forEach(name -> columns.put(name, List.of("a", "b")));
    assertThat(Counts.of(words(columns)).notes())
        .containsExactly(
            "Not counted is the column 'column-16': a model has at most 16 statistics.");
    numbered("column-", 17).forEach(name -> columns.put(name, numbered("a", 1024)));
    Counts large = Counts.of(words(columns));
    assertThat(large.notes()).hasSize(12).allMatch(note -> note.contains("bytes of statistics"));
  }

  @Test
  void barsHaveIntervalAndTruth() {
    assertThat(Counts.bar(0.25, 0.5, 0.4)).isEqualTo("##########------|---");
    assertThat(Counts.bar(0, 0.1, 1)).isEqualTo("----" + " ".repeat(35) + "|");
  }
}
