package io.croupier.cli.account;

import static io.croupier.cli.JsonFields.assertHas;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.WindowGuarantee;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The windows of all users, and their guarantees computed again. */
class AnonymousTotalsTest {
  /** Of priv_unit in eight dimensions at epsilon 2. */
  private static final PrivUnit UNIT =
      PrivUnit.newBuilder().setEpsilon(2).setCandidates(256).setTop(59).build();

  private final AnonymousTotals totals = new AnonymousTotals();

  private void grant(String userId, long window) {
    totals.addEvent(
        AccountingEvent.newBuilder()
            .setUserId(userId)
            .setModelId("m")
            .setOutcome(Outcome.GRANTED)
            .setTokenRound(10 * window)
            .setLastTokenWindow(window)
            .setPrivUnit(UNIT)
            .build());
  }

  /** What the job writes for 28,155 reports, 0.05753 being its coarse bound. */
  private static GuaranteeEvent.Builder guarantee(long window) {
    return GuaranteeEvent.newBuilder()
        .setModelId("m")
        .setDelta(1e-6)
        .setAnonymous(
            WindowGuarantee.newBuilder()
                .setWindow(window)
                .setFirstRound(10 * window)
                .setLastRound(10 * window + 9)
                .setReports(28_155)
                .setHonest(1)
                .setCounted(28_155)
                .setLocalEpsilon(2)
                .setEpsilon(0.05757)
                .setPrivUnit(UNIT));
  }

  private void add(GuaranteeEvent.Builder event) {
    totals.addGuarantee(event.build(), "here");
  }

  /** Adds a guarantee in which something is wrong. */
  private void add(long window, Consumer<WindowGuarantee.Builder> change) {
    GuaranteeEvent.Builder event = guarantee(window);
    change.accept(event.getAnonymousBuilder());
    add(event);
  }

  @Test
  void usersHaveTheTotalsOfTheirWindows() {
    grant("ada", 1);
    grant("ada", 2);
    grant("bob", 1);
    grant("eve", 1);
    totals.addEvent(
        AccountingEvent.newBuilder().setUserId("eve").setOutcome(Outcome.ERASED).build());
    add(guarantee(1));
    JsonObject json = new JsonObject();
    totals.addTo(json, 9);
    JsonArray users = json.getAsJsonArray("anonymousByUser");
    assertThat(users).hasSize(2);
    JsonObject ada = users.get(0).getAsJsonObject();
    assertHas(ada, "{userId: ada, windows: 1, windowsWithoutGuarantee: 1}");
    assertThat(users.get(1).getAsJsonObject().get("centralEpsilon").getAsDouble())
        .isBetween(0.05757, 0.05758);
    assertHas(json, "{guarantees: 1, guaranteeMismatches: 0}");
    assertThat(totals.mismatches()).isEmpty();
    assertThat(String.join("\n", totals.text(1)))
        .containsPattern("ada +\\| +1 \\| +2\\.00001 \\| +0\\.05757\\d* \\| +1e-6 \\| +1 \\|")
        .contains("... and 1 more")
        .contains("The guarantees of all 1 windows and declarations follow");
  }

  @Test
  void aGuaranteeMustFollowFromItsNumbers() {
    grant("ada", 1);
    add(guarantee(1));
    add(2, window -> window.setEpsilon(0.0574));
    add(3, window -> window.setHonest(0.9));
    add(4, window -> window.setLocalEpsilon(1));
    add(5, window -> window.setInterrupted(true));
    add(guarantee(6).setDelta(0));
    add(7, window -> window.setPrivUnit(PrivUnit.newBuilder().setEpsilon(0)));
    add(8, window -> window.setAvailability(0.3));
    // Of a central model.
    add(GuaranteeEvent.newBuilder().setModelId("m").setRound(3).setMechanism("tree"));
    assertThat(totals.mismatched()).isEqualTo(7);
    assertThat(totals.mismatches())
        .zipSatisfy(
            List.of(
                "MISMATCH: 7 of 8 guarantees of anonymous windows don't follow from their numbers of"
                    + " reports:",
                "here: model m, window 2: counted 28155, local epsilon 2.0, epsilon 0.0574;"
                    + " recomputed 28155, 2.0, at least 0.0575",
                "recomputed 25339, 2.0, at least 0.060",
                "local epsilon 1.0",
                "recomputed 1, 2.0, at least 2.0",
                "delta is 0",
                "here: model m, window 7: ",
                "recomputed 28155, 2.0, at least 0.109"),
            (mismatch, part) -> assertThat(mismatch).contains(part));
  }

  /** It would lower the total of its people. */
  @Test
  void aWindowWhoseGuaranteeDoesNotFollowIsOpen() {
    grant("ada", 1);
    grant("ada", 2);
    add(guarantee(1));
    add(2, window -> window.setEpsilon(0.0574));
    JsonObject json = new JsonObject();
    totals.addTo(json, 9);
    JsonObject ada = json.getAsJsonArray("anonymousByUser").get(0).getAsJsonObject();
    assertHas(ada, "{windows: 1, windowsWithoutGuarantee: 1}");
  }

  @Test
  void aFileHasNoGuarantees() {
    grant("ada", 1);
    assertThat(String.join("\n", totals.text(1))).contains("No guarantee was read: ");
  }

  @Test
  void withoutTokensNothingIsPrinted() {
    JsonObject json = new JsonObject();
    totals.addTo(json, 9);
    assertThat(json.size()).isZero();
    assertThat(totals.text(9)).isEmpty();
  }
}
