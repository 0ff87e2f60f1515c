package io.croupier.operators.anonymous;

import static io.croupier.operators.anonymous.WindowKeys.name;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.operators.anonymous.WindowKeys.Window;
import org.junit.jupiter.api.Test;

/** Three windows are open at a time; a closed one never opens again. */
class WindowKeysTest {
  private static final Mechanism LEVEL = new PrivUnitMechanism(0.5, 256, 100);
  private static final Mechanism OTHER = new PrivUnitMechanism(8, 256, 100);
  private static final String NAME_OF_M_0 = name("m", 0, LEVEL);

  private final WindowKeys keys = new WindowKeys();

  private static byte[] modulus(int value) {
    byte[] modulus = new byte[WindowToken.KEY_BYTES];
    modulus[0] = (byte) (0x80 | value);
    modulus[WindowToken.KEY_BYTES - 1] = 1;
    return modulus;
  }

  @Test
  void theThirdWindowAfterClosesAWindow() {
    assertThat(keys.add(name("m", 0, LEVEL), modulus(1))).isEmpty();
    assertThat(keys.add(name("m", 1, LEVEL), modulus(2))).isEmpty();
    assertThat(keys.add(name("m", 2, LEVEL), modulus(3))).isEmpty();
    assertThat(keys.modulus("m", 0, LEVEL)).isEqualTo(modulus(1));
    assertThat(keys.add(name("m", 3, LEVEL), modulus(4))).containsExactly(new Window("m", 0));
    assertThat(keys.modulus("m", 0, LEVEL)).isNull();
    assertThat(keys.modulus("m", 1, LEVEL)).isEqualTo(modulus(2));
    assertThat(keys.add(name("m", 0, LEVEL), modulus(1))).isEmpty();
    assertThat(keys.modulus("m", 0, LEVEL)).isNull();
    assertThat(keys.add(name("m", 9, LEVEL), modulus(5)))
        .containsExactly(new Window("m", 1), new Window("m", 2), new Window("m", 3));
  }

  @Test
  void theFirstKeyHolds() {
    keys.add(name("m", 0, LEVEL), modulus(1));
    keys.add(name("m", 0, LEVEL), modulus(2));
    assertThat(keys.modulus("m", 0, LEVEL)).isEqualTo(modulus(1));
    assertThat(keys.modulus("m", 0, OTHER)).isNull();
    assertThat(keys.modulus("n", 0, LEVEL)).isNull();
  }

  /** A model may be applied again with other levels while a window is open. */
  @Test
  void aChangedLevelHasAnotherKey() {
    keys.add(name("m", 0, LEVEL), modulus(1));
    assertThat(keys.modulus("m", 0, OTHER)).isNull();
    keys.add(name("m", 0, OTHER), modulus(2));
    assertThat(keys.modulus("m", 0, LEVEL)).isEqualTo(modulus(1));
    assertThat(keys.modulus("m", 0, OTHER)).isEqualTo(modulus(2));
  }

  /** The names are on the topic, and every gateway and job must compute the same. */
  @Test
  void aNameContainsTheDigestOfTheChallenge() {
    assertThat(NAME_OF_M_0)
        .isEqualTo("m/0/36a675b58885f088b477a96e216768a5f1d60c985bb8395fcc5589c5ddf3da11");
  }

  @Test
  void aWindowIsClosedByLaterKeysOnly() {
    assertThat(keys.isClosed("m", 0)).isFalse();
    keys.add(name("m", 3, LEVEL), modulus(1));
    assertThat(keys.isClosed("m", 0)).isTrue();
    assertThat(keys.isClosed("m", 1)).isFalse();
    assertThat(keys.isClosed("n", 0)).isFalse();
  }

  @Test
  void whatIsNoKeyIsIgnored() {
    for (String name :
        new String[] {
          "",
          "m",
          "m/0",
          "m/0/0",
          "m/0/" + "0".repeat(63),
          "m/0/" + "x".repeat(64),
          NAME_OF_M_0.replace("/0/", "/x/"),
          NAME_OF_M_0.replace("/0/", "/-1/"),
          NAME_OF_M_0.replace("m/", "a b/"),
          NAME_OF_M_0 + "/0"
        }) {
      assertThat(keys.add(name, modulus(1))).as(name).isEmpty();
    }
    assertThat(keys.add(name("m", 0, LEVEL), new byte[255])).isEmpty();
    assertThat(keys.add(name("m", 0, LEVEL), null)).isEmpty();
    byte[] even = modulus(1);
    even[WindowToken.KEY_BYTES - 1] = 2;
    assertThat(keys.add(name("m", 0, LEVEL), even)).isEmpty();
    byte[] small = modulus(1);
    small[0] = 0x7f;
    assertThat(keys.add(name("m", 0, LEVEL), small)).isEmpty();
    assertThat(keys.entries()).isEmpty();
  }

  @Test
  void entriesRestoreEverything() {
    keys.add(name("m", 4, LEVEL), modulus(1));
    keys.add(name("m", 7, LEVEL), modulus(2));
    keys.add(name("m", 7, OTHER), modulus(3));
    keys.add(name("n", 0, LEVEL), modulus(4));
    WindowKeys restored = new WindowKeys();
    keys.entries().forEach(restored::restore);
    assertThat(restored.entries()).containsOnlyKeys(keys.entries().keySet());
    assertThat(restored.modulus("m", 7, OTHER)).isEqualTo(modulus(3));
    restored.add(name("m", 4, LEVEL), modulus(1));
    assertThat(restored.modulus("m", 4, LEVEL)).isNull();
  }

  @Test
  void withoutStateEveryWindowWithAKeyIsClosed() {
    keys.add(name("m", 4, LEVEL), modulus(1));
    keys.add(name("m", 5, LEVEL), modulus(2));
    keys.closeAll();
    keys.add(name("m", 5, LEVEL), modulus(2));
    assertThat(keys.modulus("m", 5, LEVEL)).isNull();
    keys.add(name("m", 6, LEVEL), modulus(3));
    assertThat(keys.modulus("m", 6, LEVEL)).isEqualTo(modulus(3));
  }
}
