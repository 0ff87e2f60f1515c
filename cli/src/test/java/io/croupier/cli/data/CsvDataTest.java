package io.croupier.cli.data;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.protobuf.TextFormat;
import io.croupier.cli.InputException;
import io.croupier.client.Features;
import io.croupier.schemas.Feature;
import io.croupier.schemas.ModelSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvDataTest {

  private static final String PEOPLE =
      """
      age,city,bought
      20,Aachen,no
      30,Bonn,no
      40,Chur,yes
      50,Aachen,yes
      """;

  @TempDir Path directory;

  @Test
  void numbersAreStandardisedAndCategoriesGetAColumnEach() throws IOException {
    DataSet data = CsvData.load(file(PEOPLE), "bought", false);

    assertThat(data.features()).containsExactly("intercept", "age", "city = Bonn", "city = Chur");
    assertThat(data.description()).contains("4 rows", "bought = yes");
    assertThat(data.problem().gradientBound()).isCloseTo(1, within(1e-12));
    assertThat(data.problem().score(data.problem().optimum()).fit()).isEqualTo(1);
  }

  /** Sums and squares of finite values need not be finite. */
  @Test
  void theLargestNumbersAreStandardised() throws IOException {
    String people =
        """
        wide,narrow,income
        1.7e308,0,-1.7e308
        -1.7e308,4.9e-324,-1.6e308
        1.7e308,0,1.6e308
        -1.7e308,4.9e-324,1.7e308
        """;
    DataSet data = CsvData.load(file(people), "income", false);
    assertThat(data.features()).containsExactly("intercept", "wide", "narrow");
    assertThat(data.notes()).isEmpty();
    assertThat(data.description()).endsWith("is income above its median of 0.0?");
    assertThat(data.problem().gradientBound()).isCloseTo(1, within(1e-12));
    assertThat(data.problem().score(data.problem().optimum()).loss()).isFinite();
  }

  private static Features described() throws TextFormat.ParseException {
    return new Features(
        TextFormat.parse(
                "features { name: 'one' intercept {} } features { name: 'age' range { from: 0 to:"
                    + " 100 } } features { name: 'city' one_hot { categories: 'Bonn' categories:"
                    + " 'Chur' other: true } }",
                ModelSpec.class)
            .getFeaturesList());
  }

  @Test
  void saysWhetherScalingUsedEverybodysData() throws IOException, TextFormat.ParseException {
    assertThat(CsvData.load(file(PEOPLE), "bought", false).scaling())
        .startsWith("Features are scaled with everybody's data")
        .contains("--features FILE");
    assertThat(CsvData.load(file(PEOPLE), "bought", described(), "spec.yaml", false).scaling())
        .isEqualTo(
            "Features are scaled by the public ranges of spec.yaml alone, as devices scale them.");
    String wages = "age,city,wage\n20,Bonn,1\n30,Chur,2\n40,Chur,3\n";
    assertThat(CsvData.load(file(wages), "wage", described(), "spec.yaml", false).scaling())
        .endsWith("as devices scale them; the median of the label is of everybody's data.");
  }

  /** Another person's row changes nothing. */
  @Test
  void featuresOfASpecAreScaledByItAlone() throws IOException, TextFormat.ParseException {
    DataSet four = CsvData.load(file(PEOPLE), "bought", described(), "spec.yaml", false);
    DataSet five =
        CsvData.load(file(PEOPLE + "1000,Delft,no\n"), "bought", described(), "spec.yaml", false);

    assertThat(four.features())
        .containsExactly("one", "age", "city = Bonn", "city = Chur", "city: other");
    for (int person = 0; person < 4; person++) {
      assertThat(gradient(four, person)).containsExactly(gradient(five, person));
    }
    // A half of (1, -0.6, 0, 0, 1), of the first person, 20 of Aachen, who hasn't bought.
    assertThat(gradient(four, 0)).containsExactly(0.5, -0.3, 0, 0, 0.5);
    assertThat(four.clip()).isEqualTo(0.25 * Math.sqrt(3));
  }

  private static double[] gradient(DataSet data, int person) {
    double[] gradient = new double[data.problem().dimension()];
    data.problem().gradient(person, new double[gradient.length], gradient);
    return gradient;
  }

  @Test
  void theLabelIsNoFeature() {
    assertThatThrownBy(() -> CsvData.load(file(PEOPLE), "city", described(), "spec.yaml", false))
        .isInstanceOf(InputException.class)
        .hasMessage("spec.yaml: feature 'city' is the label, which is to be predicted");
  }

  @Test
  void aNumberIsComparedWithItsMedian() throws IOException {
    DataSet data = CsvData.load(file("age,wage\n20,1\n30,5\n40,9\n50,20\n60,3\n"), "wage", false);

    assertThat(data.description()).contains("wage above its median of 5.0");
    // Two of five lie above it.
    assertThat(data.problem().untrained().fit()).isEqualTo(0.6);
  }

  @Test
  void aLabelOfSeveralWordsHasAsManyWeightsForEach() throws IOException {
    DataSet data =
        CsvData.load(
            file("age,city\n20,Bonn\n30,Aachen\n40,Chur\n50,Bonn\n20,Bonn\n"), "city", false);

    assertThat(data.description()).contains("which of 3 is city?");
    assertThat(data.features())
        .containsExactly(
            "Aachen: intercept",
            "Aachen: age",
            "Bonn: intercept",
            "Bonn: age",
            "Chur: intercept",
            "Chur: age");
    assertThat(data.problem().dimension()).isEqualTo(6);
    // Without weights, each class is as probable, and the first one is predicted.
    assertThat(data.problem().score(new double[6]).loss()).isCloseTo(Math.log(3), within(1e-12));
    assertThat(data.problem().score(new double[6]).fit()).isEqualTo(0.2);
    assertThat(data.problem().score(new double[] {0, 0, 1, 0, 0, 0}).fit()).isEqualTo(0.6);
  }

  @Test
  void theRarerOfTwoValuesIsPredictedAndGuessingIsRightForTheOthers() throws IOException {
    for (String[] numbers :
        new String[][] {{"9", "10"}, {"10", "9"}, {"no", "yes"}, {"yes", "no"}}) {
      String rare = numbers[0];
      String often = numbers[1];
      DataSet data =
          CsvData.load(
              file("age,class\n20,%s\n30,%s\n40,%s\n40,%s\n".formatted(rare, often, often, often)),
              "class",
              false);

      assertThat(data.description()).contains("class = " + rare + "?");
      assertThat(data.problem().untrained().fit()).isEqualTo(0.75);
      assertThat(data.problem().turned().untrained().fit()).isEqualTo(0.75);
      assertThat(data.problem().untrained().loss()).isCloseTo(Math.log(2), within(1e-12));
      assertThat(data.notes()).anyMatch(note -> note.contains(often + " 3"));
    }
    DataSet tie = CsvData.load(file("age,class\n20,9\n30,10.0\n20,9\n30,10\n"), "class", false);
    assertThat(tie.description()).contains("class = 10.0?");
    assertThat(tie.problem().untrained().fit()).isEqualTo(0.5);
  }

  @Test
  void classesAreCountedAndThoseThatDifferInCaseOnlyAreNamed() throws IOException {
    DataSet data =
        CsvData.load(file("age,Left??\n1,yes\n2, no \n3,YES\n4,no\n5,\" no\"\n"), "Left??", false);

    assertThat(data.description()).endsWith("which of 3 is Left?");
    assertThat(data.problem().untrained().fit()).isEqualTo(0.6);
    assertThat(data.notes())
        .containsExactly(
            "Column 'Left??': YES 1, no 3, yes 1.",
            "Warning: values of column 'Left??' differ in case only, and count as different: 'YES',"
                + " 'yes'.");
  }

  @Test
  void incompleteRowsAreLeftOutIfAsked() throws IOException {
    String text = PEOPLE + "n/a,Bonn,yes\n60,,no\n";
    assertRefused(text, "bought", "2 of 6 rows", "leave these rows out with --drop-incomplete");
    DataSet data = CsvData.load(file(text), "bought", true);
    assertThat(data.problem().size()).isEqualTo(4);
    assertThat(data.notes().get(0)).endsWith("2 of 6 rows can't be used, and are left out.");
  }

  @Test
  void uselessColumnsAreIgnoredWithANote() throws IOException {
    StringBuilder text = new StringBuilder("id,planet,star,age,bought\n");
    for (int i = 0; i < 30; i++) {
      text.append("u").append(i).append(",7,Sun,").append(i).append(i % 2 == 0 ? ",a\n" : ",b\n");
    }

    DataSet data = CsvData.load(file(text.toString()), "bought", false);

    assertThat(data.features()).containsExactly("intercept", "age");
    assertThat(data.notes())
        .containsExactly(
            "Column 'bought': a 15, b 15.",
            "Column 'id' is ignored: it has 30 different values; at most 20 are supported.",
            "Column 'planet' is ignored: all its values are equal.",
            "Column 'star' is ignored: all its values are equal.");
  }

  @Test
  void readsGzip() throws IOException {
    Path file = directory.resolve("people.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(PEOPLE.getBytes(StandardCharsets.UTF_8));
    }

    assertThat(CsvData.load(file, "bought", false).problem().size()).isEqualTo(4);
  }

  @Test
  void errorsNameLineAndColumn() {
    assertRefused(PEOPLE, "wage", "no column 'wage'", "age, city, bought");
    assertRefused(
        "age,bought\n20,no\n,yes\n",
        "bought",
        "column 'age': missing values: 1, the first in line 3");
    assertRefused(
        "age,bought\n20,no\nold,yes\n",
        "bought",
        "column 'age'",
        "finite numbers",
        "the first in line 3");
    assertRefused(
        "age,bought\n20,no\nNaN,yes\n",
        "bought",
        "column 'age'",
        "finite numbers",
        "the first in line 3");
    assertRefused("age,bought\n20,no\n30\n", "bought", "the header's 2: 1, the first in line 3");
    assertRefused("age,bought\n20,no\n30,no\n", "bought", "column 'bought'", "one value only");
    String many = IntStream.range(0, 21).mapToObj(i -> i + ",a" + i).collect(joining("\n"));
    assertRefused(
        "age,bought\n" + many, "bought", "column 'bought'", "21 values", "from two to 20");
    assertRefused("age,bought\n", "bought", "no rows");
    assertRefused("bought\nno\nyes\n", "bought", "no column from which to predict");
    assertRefused("age,age\n1,2\n", "age", "the header has the column 'age' twice");
  }

  /** Leaving rows out is no way to get a column. */
  @Test
  void aColumnThatTheFeaturesLackIsNamedAlone() throws IOException {
    Feature.Builder wage = Feature.newBuilder().setName("wage");
    wage.getYesNoBuilder();
    Path people = file(PEOPLE);
    Features features = new Features(List.of(wage.build()));
    assertThatThrownBy(() -> CsvData.load(people, "bought", features, "spec.yaml", false))
        .isInstanceOf(InputException.class)
        .hasMessage(people + ": no column 'wage'; the columns are age, city, bought");
  }

  @Test
  void noRowIsLeftToLeaveOut() throws IOException {
    Path people = file("age,bought\n,yes\n");
    assertThatThrownBy(() -> CsvData.load(people, "bought", true))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("1 of 1 rows can't be used")
        .hasMessageNotContaining("--drop-incomplete");
  }

  @Test
  void aMissingFileIsReported() {
    assertThatThrownBy(() -> CsvData.load(directory.resolve("none.csv"), "x", false))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("none.csv: no such file");
  }

  private void assertRefused(String text, String label, String... parts) {
    assertThatThrownBy(() -> CsvData.load(file(text), label, false))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("people.csv")
        .hasMessageContainingAll(parts);
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("people.csv"), text);
  }
}
