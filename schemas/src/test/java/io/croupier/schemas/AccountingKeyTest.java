package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccountingKeyTest {

  private static AccountingEvent.Builder event(String device, String user) {
    return AccountingEvent.newBuilder()
        .setOutcome(Outcome.ADMITTED)
        .setModelId("m")
        .setDeviceId(device)
        .setUserId(user)
        .setModelTotals(Spend.getDefaultInstance());
  }

  @Test
  void consistsOfModelDeviceAndUser() {
    byte[] key = AccountingKey.of(event("phone", "ada").build());
    assertThat(key).asString(UTF_8).isEqualTo("m/phone/ada");
    assertThat(AccountingKey.parse(key)).isEqualTo(new AccountingKey("m", "phone", "ada"));
    assertThat(AccountingKey.user(key)).asString(UTF_8).isEqualTo("ada");
  }

  @ParameterizedTest
  @CsvSource({
    "'', ada, m//ada",
    "a/b, c/d, m/a%2Fb/c/d",
    "100%, 5%2F, m/100%25/5%2F",
    "\u00fc, \u00e9, m/\u00fc/\u00e9"
  })
  void anyDeviceAndUserHaveAKey(String device, String user, String expected) {
    byte[] key = AccountingKey.of(event(device, user).build());
    assertThat(key).asString(UTF_8).isEqualTo(expected);
    assertThat(AccountingKey.parse(key)).isEqualTo(new AccountingKey("m", device, user));
  }

  /** The key of every event with short parts; a central report without a charge has no model. */
  @Tag("ci")
  @Test
  void differentHistoriesHaveDifferentKeys() {
    List<String> texts = texts("/", "%", "+", "2", "F", "\u00fc");
    Set<List<String>> histories = new HashSet<>();
    Set<String> keys = new HashSet<>();
    for (String user : texts) {
      histories.add(List.of(user));
      AccountingEvent.Builder erased =
          AccountingEvent.newBuilder().setUserId(user).setOutcome(Outcome.ERASED);
      keys.add(requireParts("", "", erased));
      for (String device : texts) {
        for (String model : List.of("", "m", "m.")) {
          AccountingEvent.Builder event = event(device, user).setModelId(model);
          if (model.isEmpty()) {
            event.clearModelTotals();
          }
          histories.add(List.of(model, device, user));
          keys.add(requireParts(model, device, event));
        }
        histories.add(List.of("m", "central", device, user));
        keys.add(
            requireParts(
                "m", device, event(device, user).setCentral(Central.getDefaultInstance())));
      }
    }
    assertThat(keys).hasSameSizeAs(histories);
  }

  private static String requireParts(String model, String device, AccountingEvent.Builder ofEvent) {
    AccountingEvent event = ofEvent.build();
    byte[] key = AccountingKey.of(event);
    AccountingKey parts = AccountingKey.parse(key);
    if (!parts.equals(new AccountingKey(model, device, event.getUserId()))
        || !new String(AccountingKey.user(key), UTF_8).equals(event.getUserId())) {
      throw new AssertionError(parts + " from " + new String(key, UTF_8));
    }
    return new String(key, UTF_8);
  }

  /** All texts of up to three of the pieces. */
  private static List<String> texts(String... pieces) {
    List<String> texts = new ArrayList<>(List.of(""));
    int longer = 0;
    for (int length = 1; length <= 3; length++) {
      int end = texts.size();
      for (; longer < end; longer++) {
        for (String piece : pieces) {
          texts.add(texts.get(longer) + piece);
        }
      }
    }
    return texts;
  }

  /** Compaction keeps the newest event of a key, so those that charge nothing have another one. */
  @Test
  void hasNoModelIfTheAccountWithItDoesNotChange() {
    AccountingEvent.Builder charged = event("phone", "ada");
    assertThat(key(charged.clone().setOutcome(Outcome.REFUSED_SEQUENCE))).startsWith("m/");
    assertThat(key(charged.clone().setOutcome(Outcome.DUPLICATE))).isEqualTo("/phone/ada");
    AccountingEvent.Builder central = charged.clone().setCentral(Central.getDefaultInstance());
    assertThat(key(central)).isEqualTo("m+/phone/ada");
    assertThat(AccountingKey.parse(AccountingKey.of(central.build())))
        .isEqualTo(new AccountingKey("m", "phone", "ada"));
    assertThat(key(central.clone().setOutcome(Outcome.REFUSED_BUDGET))).isEqualTo("/phone/ada");
    assertThat(key(charged.clone().clearModelTotals().setOutcome(Outcome.REFUSED_UNKNOWN_MODEL)))
        .isEqualTo("/phone/ada");
  }

  /** Otherwise compaction would remove the erasure, and a rebuild restore what was erased. */
  @Test
  void noReportHasTheKeyOfAnErasure() {
    AccountingEvent.Builder erased =
        AccountingEvent.newBuilder().setUserId("ada").setOutcome(Outcome.ERASED);
    assertThat(key(erased)).isEqualTo("//ada");
    AccountingEvent.Builder unknown =
        event("", "ada").clearModelTotals().setOutcome(Outcome.REFUSED_UNKNOWN_MODEL);
    assertThat(key(unknown)).isEqualTo("+//ada");
    assertThat(key(unknown.clearDeviceId())).isEqualTo("+//ada");
    assertThat(key(event("", "ada").setOutcome(Outcome.DUPLICATE))).isEqualTo("+//ada");
    assertThat(AccountingKey.parse("+//ada".getBytes(UTF_8)))
        .isEqualTo(AccountingKey.parse("//ada".getBytes(UTF_8)))
        .isEqualTo(new AccountingKey("", "", "ada"));
  }

  private static String key(AccountingEvent.Builder event) {
    return new String(AccountingKey.of(event.build()), UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ada", "m/ada", "m/%2/ada", "m/%/ada", "m/%zz/ada"})
  void otherKeysAreRefused(String key) {
    assertThatIllegalArgumentException().isThrownBy(() -> AccountingKey.parse(key.getBytes(UTF_8)));
  }
}
