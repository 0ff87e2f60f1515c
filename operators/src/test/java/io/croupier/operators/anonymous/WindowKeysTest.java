package io.croupier.operators.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.anonymous.WindowKeys.Window;
import org.junit.jupiter.api.Test;

/** Three windows are open at a time; a closed one never opens again. */
class WindowKeysTest {
  private final WindowKeys keys = new WindowKeys();

  private static byte[] modulus(int value) {
    byte[] modulus = new byte[WindowToken.KEY_BYTES];
    modulus[0] = (byte) (0x80 | value);
    modulus[WindowToken.KEY_BYTES - 1] = 1;
    return modulus;
  }

  @Test
  void theThirdWindowAfterClosesAWindow() {
    assertThat(keys.add("m/0/0", modulus(1))).isEmpty();
    assertThat(keys.add("m/1/0", modulus(2))).isEmpty();
    assertThat(keys.add("m/2/0", modulus(3))).isEmpty();
    assertThat(keys.modulus("m", 0, 0)).isEqualTo(modulus(1));
    assertThat(keys.add("m/3/0", modulus(4))).containsExactly(new Window("m", 0));
    assertThat(keys.modulus("m", 0, 0)).isNull();
    assertThat(keys.modulus("m", 1, 0)).isEqualTo(modulus(2));
    assertThat(keys.add("m/0/0", modulus(1))).isEmpty();
    assertThat(keys.modulus("m", 0, 0)).isNull();
    assertThat(keys.add("m/9/0", modulus(5)))
        .containsExactly(new Window("m", 1), new Window("m", 2), new Window("m", 3));
  }

  @Test
  void theFirstKeyHolds() {
    keys.add("m/0/0", modulus(1));
    keys.add("m/0/0", modulus(2));
    assertThat(keys.modulus("m", 0, 0)).isEqualTo(modulus(1));
    assertThat(keys.modulus("m", 0, 1)).isNull();
    assertThat(keys.modulus("n", 0, 0)).isNull();
  }

  @Test
  void whatIsNoKeyIsIgnored() {
    for (String name :
        new String[] {"", "m", "m/0", "m/x/0", "m/0/x", "m/-1/0", "m/0/-1", "a b/0/0", "m/0/0/0"}) {
      assertThat(keys.add(name, modulus(1))).as(name).isEmpty();
    }
    assertThat(keys.add("m/0/0", new byte[255])).isEmpty();
    assertThat(keys.add("m/0/0", null)).isEmpty();
    byte[] even = modulus(1);
    even[WindowToken.KEY_BYTES - 1] = 2;
    assertThat(keys.add("m/0/0", even)).isEmpty();
    byte[] small = modulus(1);
    small[0] = 0x7f;
    assertThat(keys.add("m/0/0", small)).isEmpty();
    assertThat(keys.entries()).isEmpty();
  }

  @Test
  void entriesRestoreEverything() {
    keys.add("m/4/0", modulus(1));
    keys.add("m/7/0", modulus(2));
    keys.add("m/7/1", modulus(3));
    keys.add("n/0/0", modulus(4));
    WindowKeys restored = new WindowKeys();
    keys.entries().forEach(restored::restore);
    assertThat(restored.entries()).containsOnlyKeys(keys.entries().keySet());
    assertThat(restored.modulus("m", 7, 1)).isEqualTo(modulus(3));
    restored.add("m/4/0", modulus(1));
    assertThat(restored.modulus("m", 4, 0)).isNull();
  }

  @Test
  void withoutStateEveryWindowWithAKeyIsClosed() {
    keys.add("m/4/0", modulus(1));
    keys.add("m/5/0", modulus(2));
    keys.closeAll();
    keys.add("m/5/0", modulus(2));
    assertThat(keys.modulus("m", 5, 0)).isNull();
    keys.add("m/6/0", modulus(3));
    assertThat(keys.modulus("m", 6, 0)).isEqualTo(modulus(3));
  }
}
