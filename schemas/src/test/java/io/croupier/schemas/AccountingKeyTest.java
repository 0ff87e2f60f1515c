package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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

  @Test
  void differentPartsHaveDifferentKeys() {
    Random random = new Random(3);
    Set<List<String>> parts = new HashSet<>();
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 20_000; i++) {
      String device = text(random);
      String user = "u" + text(random);
      byte[] key = AccountingKey.of(event(device, user).build());
      parts.add(List.of(device, user));
      keys.add(new String(key, UTF_8));
      assertThat(AccountingKey.parse(key)).isEqualTo(new AccountingKey("m", device, user));
    }
    assertThat(keys).hasSameSizeAs(parts);
  }

  private static String text(Random random) {
    List<String> pieces = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      pieces.add(List.of("/", "%", "2", "F", "\u00fc").get(random.nextInt(5)));
    }
    return String.join("", pieces);
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
    assertThat(key(AccountingEvent.newBuilder().setUserId("ada").setOutcome(Outcome.ERASED)))
        .isEqualTo("//ada");
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
