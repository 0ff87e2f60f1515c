package io.croupier.cli.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.croupier.cli.CommandRun;
import org.junit.jupiter.api.Test;

class GaussianCommandTest {

  private static CommandRun gaussian(String arguments) {
    return CommandRun.of(new GaussianCommand(), arguments);
  }

  /** Golden: mu 0.3 four times is mu 0.6. */
  @Test
  void epsilonAtDelta() {
    String arguments = "--mu 0.3 --mu 0.3 --mu 0.3 --mu 0.3 --delta 1e-6";
    JsonObject json = gaussian(arguments + " --json").json();

    assertThat(json.keySet())
        .containsExactly("zeta", "mu", "epsilon", "epsilonRenyi", "delta", "relation");
    assertThat(json.get("zeta").isJsonNull()).isTrue();
    assertThat(json.get("mu").getAsDouble()).isCloseTo(0.6, within(1e-15));
    assertThat(json.get("epsilon").getAsDouble()).isCloseTo(2.7559521433410317, within(1e-9));
    assertThat(json.get("epsilonRenyi").getAsDouble()).isCloseTo(2.954477581277521, within(1e-9));
    assertThat(json.get("relation").getAsString()).isEqualTo("replace-one");
    assertThat(gaussian(arguments).out())
        .containsPattern("epsilon +\\| +2\\.76 \\| +2\\.7559521433\\d+")
        .contains("one person's data are replaced by another's");
  }

  @Test
  void deltaAtEpsilonIsItsInverse() {
    double epsilon = gaussian("--mu 1 --delta 1e-6 --json").json().get("epsilon").getAsDouble();
    JsonObject json = gaussian("--mu 1 --relation zero-out --json --epsilon " + epsilon).json();

    assertThat(json.get("delta").getAsDouble()).isCloseTo(1e-6, within(1e-15));
    assertThat(json.get("relation").getAsString()).isEqualTo("zero-out");
    assertThat(gaussian("--mu 0.01 --epsilon 900 --json").json().get("delta").getAsDouble())
        .isPositive();
  }

  @Test
  void invalidInputIsReported() {
    gaussian("--mu -1 --delta 0.1").assertRefused("--mu is -1.0; it must be positive and finite");
    gaussian("--mu 1 --delta 2")
        .assertRefused("--delta is 2.0; it must be between 0 and 1, such as 1e-6");
    gaussian("--mu 1 --epsilon NaN")
        .assertRefused("--epsilon is NaN; it must be positive and finite");
    assertThat(gaussian("--mu 1").code()).isEqualTo(2);
    assertThat(gaussian("--mu 1 --delta 0.1 --epsilon 1").code()).isEqualTo(2);
  }
}
