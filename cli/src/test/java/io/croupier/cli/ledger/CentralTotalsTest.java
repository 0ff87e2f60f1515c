package io.croupier.cli.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.croupier.cli.account.CentralTotals.Total;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Spend;
import io.croupier.schemas.WindowGuarantee;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a person's windows guarantee together. */
class CentralTotalsTest {
  /** Of priv_unit in eight dimensions at epsilon 2. */
  private static final PrivUnit UNIT =
      PrivUnit.newBuilder().setEpsilon(2).setCandidates(256).setTop(59).build();

  private final UserStatement statement = new UserStatement("ada");

  private static AccountingEvent.Builder granted(String model, long window) {
    return AccountingEvent.newBuilder()
        .setUserId("ada")
        .setModelId(model)
        .setOutcome(Outcome.GRANTED)
        .setTokenRound(10 * window)
        .setLastTokenWindow(window)
        .setSpent(Spend.newBuilder().setReports(1).setEpsilon(2))
        .setPrivUnit(UNIT);
  }

  private static GuaranteeEvent.Builder guarantee(String model, long window, long counted) {
    return GuaranteeEvent.newBuilder()
        .setModelId(model)
        .setDelta(1e-6)
        .setAnonymous(
            WindowGuarantee.newBuilder()
                .setWindow(window)
                .setFirstRound(10 * window)
                .setLastRound(10 * window + 9)
                .setReports(counted)
                .setCounted(counted)
                .setLocalEpsilon(2)
                .setEpsilon(0.0575085883)
                .setPrivUnit(UNIT));
  }

  private void add(GuaranteeEvent.Builder event) {
    statement.windows().guarantee(event.build());
  }

  private void addChanged(long window, long counted, Consumer<WindowGuarantee.Builder> change) {
    GuaranteeEvent.Builder event = guarantee("m", window, counted);
    change.accept(event.getAnonymousBuilder());
    add(event);
  }

  private void add(AccountingEvent.Builder event) {
    statement.add(event.build());
  }

  /** The references are those of 28,155 reports, which count as 28,000. */
  @Tag("ci")
  @Test
  void windowsComposeByTheirLosses() {
    for (int window = 0; window < 10; window++) {
      add(granted("m", window));
    }
    add(granted("m", 10));
    add(granted("m", 11));
    for (int window = 0; window < 10; window++) {
      add(guarantee("m", window, 28_155));
    }
    Total total = statement.windows().all();
    assertThat(total.windows()).isEqualTo(10);
    assertThat(total.local()).isBetween(20.0, 20.0001);
    assertThat(total.central()).isBetween(0.1973, 0.1973 * 1.01);
    assertThat(total.delta()).isEqualTo(1e-6);
    assertThat(total.open()).isEqualTo(2);
    assertThat(total.openLocal()).isBetween(4.0, 4.0001);
    assertThat(statement.text())
        .containsPattern("model m +\\| +10 \\| +20\\.0001 \\| +0\\.19\\d+ \\| +1e-6 \\| +2 \\|");
    JsonObject json = statement.json().getAsJsonObject("anonymous");
    assertThat(json.get("centralEpsilon").getAsDouble()).isEqualTo(total.central());
    assertThat(json.getAsJsonArray("models")).hasSize(1);
  }

  @Test
  void oneWindowHasTheEpsilonOfItsEvent() {
    add(granted("m", 3));
    add(guarantee("m", 3, 28_155));
    assertThat(statement.windows().all().central()).isBetween(0.0575085883, 0.0575085884);
  }

  /** None of these is a guarantee of the person's window. */
  @Test
  void aGuaranteeMustBeOfTheGrant() {
    add(granted("m", 3));
    add(guarantee("other", 3, 1000));
    add(guarantee("m", 4, 1000));
    addChanged(3, 1000, window -> window.setFirstRound(15));
    addChanged(3, 1000, window -> window.setPrivUnit(UNIT.toBuilder().setTop(58)));
    addChanged(3, 1000, window -> window.getRandomisedResponseBuilder().setEpsilon(2));
    add(GuaranteeEvent.newBuilder().setModelId("m").setRound(3).setMechanism("tree"));
    Total total = statement.windows().all();
    assertThat(total.windows()).isZero();
    assertThat(total.open()).isOne();
    assertThat(statement.text()).containsPattern("model m +\\| +0 \\| +0 \\| +- \\| +- \\| +1 \\|");
    assertThat(statement.json().getAsJsonObject("anonymous").has("centralEpsilon")).isFalse();
  }

  /** One event states that people may be away; it counts, whatever another one states. */
  @Tag("thorough")
  @Test
  void theLeastAvailabilityCounts() {
    for (int window = 0; window < 2; window++) {
      add(granted("m", window));
      add(guarantee("m", window, 28_155));
    }
    double always = statement.windows().all().central();
    addChanged(1, 28_155, window -> window.setAvailability(0.05).setEpsilon(0.287));
    add(guarantee("m", 1, 28_155));
    assertThat(statement.windows().all().central()).isGreaterThan(Math.max(always, 0.287));
  }

  @Test
  void ofTwoGuaranteesTheLargerEpsilonHolds() {
    add(granted("m", 3));
    add(guarantee("m", 3, 28_155));
    addChanged(3, 1, window -> window.setEpsilon(2).setInterrupted(true));
    add(guarantee("m", 3, 28_155));
    assertThat(statement.windows().all().central()).isBetween(2.0, 2.0001);
  }

  /** A window that claims nothing composes as one report by itself. */
  @Test
  void anInterruptedWindowAddsItsLocalEpsilon() {
    add(granted("m", 3));
    add(granted("m", 4));
    add(guarantee("m", 3, 28_155));
    addChanged(4, 1, window -> window.setEpsilon(2).setInterrupted(true));
    assertThat(statement.windows().all().central()).isBetween(2.0, 2.1);
  }

  @Tag("thorough")
  @Test
  void modelsComposeToo() {
    add(granted("a", 3));
    add(granted("b", 3));
    add(guarantee("a", 3, 28_155));
    add(guarantee("b", 3, 28_155));
    double all = statement.windows().all().central();
    assertThat(all).isBetween(0.0575, 2 * 0.0575);
    assertThat(statement.text())
        .containsPattern("all models +\\| +2 \\| +4\\.\\d+ \\| +0\\.0\\d+ ");
  }

  /** A delta that is too small for a composition leaves the local epsilons. */
  @Test
  void withATinyDeltaTheLocalEpsilonsHold() {
    for (int window = 0; window < 2; window++) {
      add(granted("m", window));
      add(guarantee("m", window, 28_155).setDelta(1e-12));
    }
    assertThat(statement.windows().all().central()).isBetween(4.0, 4.0001);
  }

  @Test
  void anErasureForgetsTheWindows() {
    add(granted("m", 3));
    add(AccountingEvent.newBuilder().setUserId("ada").setOutcome(Outcome.ERASED));
    assertThat(statement.windows().isEmpty()).isTrue();
    assertThat(statement.text()).doesNotContain("anonymous");
    assertThat(statement.json().has("anonymous")).isFalse();
  }
}
