package io.croupier.client.ohttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.util.List;
import org.junit.jupiter.api.Test;

class HpkeTest {
  private static final byte[] MESSAGE = {1, 2, 3};

  /** Appendix A.1.1 of RFC 9180, from both sides. */
  @Test
  void theVectorsOfTheRfcHold() throws Exception {
    Golden rfc = Golden.of("rfc9180");
    byte[] ephemeral = Hpke.derivePrivateKey(rfc.bytes("ikmE"));
    assertThat(ephemeral).isEqualTo(rfc.bytes("skEm"));
    assertThat(Hpke.publicKey(ephemeral)).isEqualTo(rfc.bytes("enc"));
    assertThat(Hpke.publicKey(rfc.bytes("skRm"))).isEqualTo(rfc.bytes("pkRm"));
    for (Hpke.Context context :
        List.of(
            Hpke.sender(ephemeral, rfc.bytes("pkRm"), rfc.bytes("info")),
            Hpke.recipient(
                rfc.bytes("enc"), rfc.bytes("skRm"), rfc.bytes("pkRm"), rfc.bytes("info")))) {
      assertThat(context.seal(MESSAGE))
          .isEqualTo(Hpke.seal(rfc.bytes("key"), rfc.bytes("base_nonce"), MESSAGE));
      assertThat(context.export("", 32)).isEqualTo(rfc.bytes("exported"));
      assertThat(context.export("TestContext", 32)).isEqualTo(rfc.bytes("exported_TestContext"));
    }
  }

  /** With such a key, everybody would know the shared secret. */
  @Test
  void aPointOfSmallOrderIsRefused() {
    byte[] one = new byte[32];
    one[0] = 1;
    for (byte[] point : List.of(new byte[32], one)) {
      assertThatThrownBy(() -> Hpke.recipient(point, Hpke.newPrivateKey(), point, new byte[0]))
          .isInstanceOf(GeneralSecurityException.class);
    }
  }
}
