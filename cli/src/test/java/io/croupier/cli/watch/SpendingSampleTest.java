package io.croupier.cli.watch;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SpendingSampleTest {

  private static Spend epsilon(double epsilon) {
    return Spend.newBuilder().setReports(1).setEpsilon(epsilon).build();
  }

  @Test
  void countsTheNewestTotalsOfEachPerson() {
    SpendingSample sample = new SpendingSample(10);
    for (long person = 0; person < 4; person++) {
      sample.put(person, epsilon(2), Left.getDefaultInstance());
      sample.put(person, epsilon(4), Left.getDefaultInstance());
    }
    sample.put(4, epsilon(10), Left.getDefaultInstance());

    // Bins include their upper ends: (3, 4] and (9, 10].
    assertHas(
        sample.json(),
        """
        {people: 5, oneIn: 1, limited: 0,
         costs: [{name: epsilon, beyond: 0, width: 1, bins: [0, 0, 0, 4, 0, 0, 0, 0, 0, 1]}]}
        """);
  }

  /** One person's declaration doesn't hide what the others spent. */
  @Test
  void countsSumsThatNoAccountCanContain() {
    SpendingSample sample = new SpendingSample(10);
    sample.put(1, epsilon(2), Left.getDefaultInstance());
    sample.put(2, epsilon(Double.POSITIVE_INFINITY), Left.newBuilder().setEpsilon(0).build());
    assertHas(
        sample.json(),
        """
        {near: 1,
         costs: [{name: epsilon, beyond: 1, width: 0.2, bins: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]}]}
        """);
    sample.put(1, epsilon(Double.POSITIVE_INFINITY), Left.getDefaultInstance());
    assertHas(sample.json(), "{costs: [{name: epsilon, beyond: 2, width: 1, bins: [0]}]}");
  }

  @Test
  void measuresEachLimitByWhatItSums() {
    SpendingSample sample = new SpendingSample(10);
    sample.put(1, epsilon(5), Left.newBuilder().setEpsilon(5).build());
    // Mu composes in squares: 3 of 5 are 36 % of the budget.
    sample.put(
        2, Spend.newBuilder().setMu(1).setMuOfAll(3).build(), Left.newBuilder().setMu(4).build());
    sample.put(
        3,
        Spend.newBuilder().setReports(19).setEpsilon(1).build(),
        Left.newBuilder().setReports(1).setEpsilon(100).build());
    sample.put(4, epsilon(8), Left.newBuilder().setEpsilon(0).build());
    sample.put(5, epsilon(8), Left.getDefaultInstance());

    assertHas(sample.json(), "{limited: 4, near: 2, shares: [0, 0, 0, 1, 0, 1, 0, 0, 0, 2]}");
  }

  /** A quarter of the people has spent twice as much; so has a quarter of every fair sample. */
  @Test
  void staysBoundedAndFair() {
    SpendingSample sample = new SpendingSample(4096);
    SplittableRandom random = new SplittableRandom(1);
    int people = 1_000_000;
    for (int person = 0; person < people; person++) {
      sample.put(random.nextLong(), epsilon(person % 4 == 0 ? 2 : 1), Left.getDefaultInstance());
    }

    JsonObject json = sample.json();
    int kept = json.get("people").getAsInt();
    assertThat(kept).isBetween(2048 - 300, 4096);
    assertThat(kept * json.get("oneIn").getAsDouble() / people).isCloseTo(1, within(0.1));
    JsonObject cost = json.getAsJsonArray("costs").get(0).getAsJsonObject();
    double twice =
        cost.getAsJsonArray("bins").get(cost.getAsJsonArray("bins").size() - 1).getAsDouble()
            / kept;
    assertThat(twice).isCloseTo(0.25, within(0.05));
  }
}
