package io.croupier.gateway.anonymous;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.client.token.TokenIssuer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each declaration of each open window has a key of its own, and a closed window gets none. */
class TokenIssuersTest {
  private final TestWindows windows = new TestWindows();

  @AfterEach
  void close() {
    windows.close();
  }

  /** Else a token that was charged little would admit a report that reveals much. */
  @Tag("ci")
  @Test
  void aLevelThatChangesUnderTheSameNameHasAnotherKey() throws Exception {
    windows.publish("m", 0.5);
    windows.update("m", 4);
    assertThat(windows.next()).startsWith("m/0/");
    assertThat(windows.next()).startsWith("m/1/");
    TokenIssuer weak = windows.issuers.issuer("m", 0, TestWindows.level(0.5)).orElseThrow();

    windows.retire("m");
    windows.publish("m", 8);
    windows.update("m", 5);
    assertThat(windows.next()).startsWith("m/0/");
    assertThat(windows.next()).startsWith("m/1/");
    TokenIssuer strong = windows.issuers.issuer("m", 0, TestWindows.level(8)).orElseThrow();
    assertThat(strong.key()).isNotEqualTo(weak.key());
    assertThat(windows.keys.modulus("m", 0, TestWindows.level(8))).contains(strong.key().modulus());
  }

  @Test
  void aClosedWindowGetsNoKey() throws Exception {
    byte[] modulus = new byte[256];
    modulus[0] = -1;
    modulus[255] = 1;
    windows.key("m", 9, 2, ByteString.copyFrom(modulus));
    windows.publish("m", 2);
    windows.update("m", 4);
    // The models are looked at by name, so a key of m would be published first.
    windows.publish("n", 2);
    windows.update("n", 4);
    assertThat(windows.next()).startsWith("n/0/");
    assertThat(windows.next()).startsWith("n/1/");
  }

  @Test
  void nothingIsSignedIfAnotherKeyIsPublished() throws Exception {
    byte[] modulus = new byte[256];
    modulus[0] = -1;
    modulus[255] = 1;
    windows.key("m", 0, 2, ByteString.copyFrom(modulus));
    windows.publish("m", 2);
    windows.update("m", 4);
    assertThat(windows.next()).startsWith("m/1/");
    assertThat(windows.issuers.issuer("m", 0, TestWindows.level(2))).isEmpty();
    assertThat(windows.issuers.issuer("m", 1, TestWindows.level(2))).isPresent();
  }
}
