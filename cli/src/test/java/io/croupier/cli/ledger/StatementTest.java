package io.croupier.cli.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Left;
import io.croupier.schemas.Spend;
import org.junit.jupiter.api.Test;

class StatementTest {

  private static Spend spend(long reports, double epsilon) {
    return Spend.newBuilder()
        .setReports(reports)
        .setEpsilon(epsilon)
        .setMu(0)
        .setRho(epsilon / 3)
        .build();
  }

  /** An event of a report with epsilon 0.5, to a model with a limit of 1. */
  private static AccountingEvent event(String user, Outcome outcome, String reason, int charged) {
    return AccountingEvent.newBuilder()
        .setUserId(user)
        .setModelId("taps")
        .setOutcome(outcome)
        .setReason(reason)
        .setSpent(
            spend(outcome == Outcome.DUPLICATE ? 0 : 1, outcome == Outcome.DUPLICATE ? 0 : 0.5))
        .setModelTotals(spend(charged, 0.5 * charged))
        .setUserTotals(spend(charged + 1, 0.5 * charged + 2.25))
        .setLeftModel(Left.newBuilder().setEpsilon(Math.max(0, 1 - 0.5 * charged)))
        .build();
  }

  private static final AccountingEvent[] ADA = {
    event("ada", Outcome.ADMITTED, "", 1),
    event("ada", Outcome.DUPLICATE, "seen", 1),
    event("ada", Outcome.ADMITTED, "", 2),
    event("ada", Outcome.REFUSED_BUDGET, "too much", 3),
    event("ada", Outcome.REFUSED_BUDGET, "far too much", 4),
  };

  /** The brokers may still have the events that the erasure deleted. */
  @Test
  void ofAPersonWhoseTotalsAreForgotten() {
    UserStatement statement = new UserStatement("ada");
    TopStatement top = new TopStatement();
    for (AccountingEvent event : ADA) {
      statement.add(event);
      top.add(event);
    }
    statement.forget("bob");
    assertThat(statement.events()).isEqualTo(5);
    statement.forget("ada");
    top.forget("ada");
    assertThat(statement.events()).isZero();
    assertThat(top.people()).isZero();

    statement.add(event("ada", Outcome.ADMITTED, "", 1));
    assertThat(statement.text())
        .containsPattern("all models +\\| +2 \\| +2\\.75 ")
        .containsPattern("ADMITTED +\\| +1 \\|")
        .doesNotContain("DUPLICATE", "Erased");
  }

  @Test
  void ofOnePerson() {
    UserStatement statement = new UserStatement("ada");
    for (AccountingEvent event : ADA) {
      statement.add(event);
    }
    statement.add(event("bob", Outcome.ADMITTED, "", 9));

    assertThat(statement.events()).isEqualTo(5);
    assertThat(statement.text())
        .startsWith("User ada")
        .containsPattern("model taps +\\| +4 \\| +2 \\| +0 \\| .+ \\| +epsilon 0")
        .containsPattern("all models +\\| +5 \\| +4\\.25 \\| .+ \\| +no limit")
        .containsPattern("ADMITTED +\\| +2 \\|")
        .containsPattern("DUPLICATE +\\| +1 \\| +seen")
        .containsPattern("REFUSED_BUDGET +\\| +2 \\| +far too much")
        .contains("Epsilon spent, by report:")
        .containsPattern("up to +0\\.5 \\| 4 \\| #{40}")
        .doesNotContain("Mu spent");
    JsonObject json = statement.json();
    assertThat(json.getAsJsonObject("spent").get("reports").getAsLong()).isEqualTo(5);
    assertThat(json.getAsJsonArray("models")).hasSize(1);
    assertThat(json.getAsJsonArray("models").get(0).getAsJsonObject().getAsJsonObject("left"))
        .hasToString("{\"epsilon\":0.0}");
    assertThat(json.getAsJsonArray("verdicts")).hasSize(3);
  }

  /**
   * One report with an epsilon of 1e8, or a mu of 1e4, saturates sums, and must not hide others.
   */
  @Test
  void ofAPersonWhoseSumsAreTooLarge() {
    Spend saturated =
        spend(2, Double.POSITIVE_INFINITY).toBuilder().setMu(Double.POSITIVE_INFINITY).build();
    AccountingEvent event =
        event("eve", Outcome.ADMITTED, "", 1).toBuilder()
            .setSpent(saturated)
            .setModelTotals(saturated)
            .setUserTotals(saturated.toBuilder().setEpsilonAtDelta(Double.POSITIVE_INFINITY))
            .build();
    TopStatement all = new TopStatement();
    all.add(event("bob", Outcome.ADMITTED, "", 9));
    all.add(event);
    assertThat(all.text(2))
        .containsPattern(
            "eve +\\| +2 \\| +more than 9223370000 \\| +more than 3037 \\| +more than 9223370 \\|"
                + " +more than 9223370000")
        .containsPattern("bob +\\| +10 \\| +6\\.75")
        .containsPattern("up to +6\\.8 \\| 1 \\|")
        .containsPattern("above +9223372036\\.8547\\d* up to +infinite \\| 1 \\|");
    assertThat(all.json(2).toString())
        .contains("\"epsilon\":\"Infinity\"", "\"upTo\":\"Infinity\"");
    UserStatement one = new UserStatement("eve");
    one.add(event);
    assertThat(one.text()).containsPattern("model taps +\\| +2 \\| +more than 9223370000 ");
    assertThat(one.json().toString()).contains("\"rho\":\"Infinity\"");
  }

  @Test
  void ofTopSpenders() {
    TopStatement statement = new TopStatement();
    for (AccountingEvent event : ADA) {
      statement.add(event);
    }
    statement.add(event("bob", Outcome.ADMITTED, "", 9));
    statement.add(event("cy", Outcome.ADMITTED, "", 1));

    assertThat(statement.people()).isEqualTo(3);
    assertThat(statement.text(2))
        .containsPattern("(?s)bob +\\| +10 \\| +6\\.75 .*ada +\\| +5 \\| +4\\.25 ")
        .doesNotContain(" cy ")
        .contains("left over all models", "a single model leave a person: --user ID")
        .contains("2 of 3 people", "Epsilon spent, by person:")
        .containsPattern("REFUSED_BUDGET +\\| +2 \\| +far too much");
    JsonObject json = statement.json(1);
    assertThat(json.get("users").getAsLong()).isEqualTo(3);
    assertThat(json.getAsJsonArray("top")).hasSize(1);
    assertThat(json.getAsJsonArray("top").get(0).getAsJsonObject().get("userId").getAsString())
        .isEqualTo("bob");
    assertThat(json.getAsJsonObject("histogram").getAsJsonArray("epsilon")).isNotEmpty();
  }
}
