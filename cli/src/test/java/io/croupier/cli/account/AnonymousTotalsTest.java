package io.croupier.cli.account;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.WindowGuarantee;
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
    assertThat(ada.get("userId").getAsString()).isEqualTo("ada");
    assertThat(ada.get("windows").getAsInt()).isOne();
    assertThat(ada.get("windowsWithoutGuarantee").getAsInt()).isOne();
    assertThat(users.get(1).getAsJsonObject().get("centralEpsilon").getAsDouble())
        .isBetween(0.05757, 0.05758);
    assertThat(json.get("guarantees").getAsInt()).isOne();
    assertThat(json.get("guaranteeMismatches").getAsInt()).isZero();
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
    GuaranteeEvent.Builder tooSmall = guarantee(2);
    tooSmall.getAnonymousBuilder().setEpsilon(0.0574);
    add(tooSmall);
    GuaranteeEvent.Builder tooMany = guarantee(3);
    tooMany.getAnonymousBuilder().setHonest(0.9);
    add(tooMany);
    GuaranteeEvent.Builder otherLevel = guarantee(4);
    otherLevel.getAnonymousBuilder().setLocalEpsilon(1);
    add(otherLevel);
    GuaranteeEvent.Builder interrupted = guarantee(5);
    interrupted.getAnonymousBuilder().setInterrupted(true);
    add(interrupted);
    add(guarantee(6).setDelta(0));
    GuaranteeEvent.Builder invalid = guarantee(7);
    invalid.getAnonymousBuilder().setPrivUnit(PrivUnit.newBuilder().setEpsilon(0));
    add(invalid);
    GuaranteeEvent.Builder rarelyThere = guarantee(8);
    rarelyThere.getAnonymousBuilder().setAvailability(0.3);
    add(rarelyThere);
    // Of a central model.
    add(GuaranteeEvent.newBuilder().setModelId("m").setRound(3).setMechanism("tree"));
    assertThat(totals.mismatched()).isEqualTo(7);
    assertThat(totals.mismatches())
        .hasSize(8)
        .startsWith(
            "MISMATCH: 7 of 8 guarantees of anonymous windows don't follow from their numbers of"
                + " reports:");
    assertThat(totals.mismatches().get(1))
        .startsWith(
            "here: model m, window 2: counted 28155, local epsilon 2.0, epsilon 0.0574; recomputed"
                + " 28155, 2.0, at least 0.0575");
    assertThat(totals.mismatches().get(2)).contains("recomputed 25339, 2.0, at least 0.060");
    assertThat(totals.mismatches().get(3)).contains("local epsilon 1.0");
    assertThat(totals.mismatches().get(4)).contains("recomputed 1, 2.0, at least 2.0");
    assertThat(totals.mismatches().get(5)).contains("delta is 0");
    assertThat(totals.mismatches().get(6)).startsWith("here: model m, window 7: ");
    assertThat(totals.mismatches().get(7)).contains("recomputed 28155, 2.0, at least 0.109");
  }

  /** It would lower the total of its people. */
  @Test
  void aWindowWhoseGuaranteeDoesNotFollowIsOpen() {
    grant("ada", 1);
    grant("ada", 2);
    add(guarantee(1));
    GuaranteeEvent.Builder tooSmall = guarantee(2);
    tooSmall.getAnonymousBuilder().setEpsilon(0.0574);
    add(tooSmall);
    JsonObject json = new JsonObject();
    totals.addTo(json, 9);
    JsonObject ada = json.getAsJsonArray("anonymousByUser").get(0).getAsJsonObject();
    assertThat(ada.get("windows").getAsInt()).isOne();
    assertThat(ada.get("windowsWithoutGuarantee").getAsInt()).isOne();
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
