package io.croupier.client.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.croupier.client.ohttp.Golden;
import java.math.BigInteger;
import java.security.SignatureException;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The test vectors of RFC 9474, appendix A: all variants, of which tokens use the first. */
class BlindRsaTest {
  private static final Golden VECTORS = Golden.of("rfc9474");
  private static final BlindRsa RSA = new BlindRsa(number("n"), number("e"));

  private static byte[] bytes(String name) {
    return HexFormat.of().parseHex(VECTORS.values().getProperty(name, ""));
  }

  private static BigInteger number(String name) {
    return new BigInteger(1, bytes(name));
  }

  private static BigInteger blind(String variant) {
    return number(variant + ".inv").modInverse(RSA.modulus());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PSS-Randomized",
        "PSSZERO-Randomized",
        "PSS-Deterministic",
        "PSSZERO-Deterministic"
      })
  void followsTheRfc(String variant) throws SignatureException {
    byte[] prepared = bytes(variant + ".prepared_msg");
    assertThat(prepared)
        .isEqualTo(
            ByteString.copyFrom(bytes(variant + ".msg_prefix"))
                .concat(ByteString.copyFrom(bytes(variant + ".msg")))
                .toByteArray());
    byte[] salt = bytes(variant + ".salt");
    assertThat(EmsaPss.encode(prepared, salt, RSA.modulus().bitLength() - 1))
        .isEqualTo(bytes(variant + ".encoded_msg"));
    assertThat(RSA.blind(prepared, salt, blind(variant)))
        .isEqualTo(bytes(variant + ".blinded_msg"));
    byte[] blindSignature = bytes(variant + ".blind_sig");
    assertThat(number(variant + ".blinded_msg").modPow(number("d"), number("n")))
        .isEqualTo(new BigInteger(1, blindSignature));
    assertThat(RSA.unblind(prepared, blindSignature, blind(variant), salt.length))
        .isEqualTo(bytes(variant + ".sig"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 255, 511})
  void oneWrongByteIsNoSignature(int at) {
    String variant = "PSS-Randomized";
    byte[] prepared = bytes(variant + ".prepared_msg");
    byte[] signature = bytes(variant + ".sig");
    assertThat(RSA.verifies(prepared, ByteString.copyFrom(signature), 48)).isTrue();
    signature[at] ^= 1;
    assertThat(RSA.verifies(prepared, ByteString.copyFrom(signature), 48)).isFalse();
    byte[] blindSignature = bytes(variant + ".blind_sig");
    blindSignature[at] ^= 1;
    assertThatThrownBy(() -> RSA.unblind(prepared, blindSignature, blind(variant), 48))
        .isInstanceOf(SignatureException.class)
        .hasMessage("the blind signature is not that of the key; it must be");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 511, 513})
  void aSignatureOfAnotherLengthIsNone(int length) {
    byte[] prepared = bytes("PSS-Randomized.prepared_msg");
    assertThat(RSA.verifies(prepared, ByteString.copyFrom(new byte[length]), 48)).isFalse();
    assertThatThrownBy(() -> RSA.unblind(prepared, new byte[length], blind("PSS-Randomized"), 48))
        .isInstanceOf(SignatureException.class)
        .hasMessage("the blind signature has " + length + " bytes; it must have 512");
  }

  @ParameterizedTest
  @ValueSource(strings = {"p", "q"})
  void aBlindWithoutInverseIsRefused(String factor) {
    assertThatThrownBy(() -> RSA.blind(new byte[1], new byte[48], number(factor)))
        .isInstanceOf(ArithmeticException.class);
  }
}
