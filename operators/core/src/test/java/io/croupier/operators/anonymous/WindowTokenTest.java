package io.croupier.operators.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A token is for one model, one window and one level, and every bit of it counts. */
class WindowTokenTest {
  private static final Mechanism LEVEL = new PrivUnitMechanism(2, 256, 69);

  @Test
  void aTokenIsForWhatItWasSignedFor() throws Exception {
    TestTokens tokens = new TestTokens(1);
    WindowToken token = WindowToken.read(tokens.token("m", 7, LEVEL));

    assertThat(token.isFor("m", 7, LEVEL, tokens.modulus())).isTrue();
    assertThat(token.isFor("m", 8, LEVEL, tokens.modulus())).isFalse();
    assertThat(token.isFor("n", 7, LEVEL, tokens.modulus())).isFalse();
    assertThat(token.isFor("m", 7, new PrivUnitMechanism(2, 256, 70), tokens.modulus())).isFalse();
    assertThat(token.isFor("m", 7, new RandomisedResponseMechanism(2, false), tokens.modulus()))
        .isFalse();
    assertThat(token.isFor("m", 7, LEVEL, new TestTokens(2).modulus())).isFalse();
    assertThat(tokens.readModulus()).isEqualTo(new BigInteger(1, tokens.modulus()));
  }

  @Tag("ci")
  @Test
  void everyBitCounts() throws Exception {
    TestTokens tokens = new TestTokens(1);
    byte[] signed = tokens.token("m", 7, LEVEL);
    for (int i = 2; i < signed.length; i++) {
      byte[] changed = signed.clone();
      changed[i] ^= (byte) (1 << i % 8);
      assertThat(WindowToken.read(changed).isFor("m", 7, LEVEL, tokens.modulus()))
          .as("byte %d", i)
          .isFalse();
    }
    assertThat(WindowToken.read(new byte[WindowToken.BYTES - 1])).isNull();
    byte[] otherType = signed.clone();
    otherType[1] = 1;
    assertThat(WindowToken.read(otherType)).isNull();
  }

  /** The JDK makes no key of them, and a writer to the topic of keys decides the bytes. */
  @Test
  void bytesThatAreNoKeyHaveSignedNothing() throws Exception {
    byte[] signed = new TestTokens(1).token("m", 7, LEVEL);
    byte[] small = new byte[WindowToken.KEY_BYTES];
    small[WindowToken.KEY_BYTES - 1] = 3;
    byte[] even = new TestTokens(2).modulus();
    even[WindowToken.KEY_BYTES - 1] &= (byte) 0xfe;
    for (byte[] modulus : List.of(new byte[WindowToken.KEY_BYTES], small, even)) {
      WindowToken token = WindowToken.read(TestTokens.underKey(signed, modulus));
      assertThat(token.isFor("m", 7, LEVEL, modulus)).isFalse();
    }
  }

  @Test
  void aTokenIsNotPrinted() throws Exception {
    byte[] signed = new TestTokens(1).token("m", 7, LEVEL);
    assertThat(WindowToken.read(signed).toString())
        .isEqualTo("WindowToken")
        .doesNotContain(HexFormat.of().formatHex(signed, 2, 6));
  }
}
