package io.croupier.client.token;

import static io.croupier.noise.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.math.BigInteger;
import java.security.SignatureException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens from the secret of the gateways to their verification. */
class TokenTest {
  private static final byte[] SECRET = ascending(32);
  private static final TokenChallenge CHALLENGE = new TokenChallenge("clicks", 0, ByteString.EMPTY);
  private static final TokenIssuer ISSUER = TokenIssuer.derive(SECRET, CHALLENGE);
  private static final TokenChallenge OTHER = new TokenChallenge("clicks", 1, ByteString.EMPTY);
  private static final TokenIssuer OTHER_ISSUER = TokenIssuer.derive(SECRET, OTHER);

  private static byte[] ascending(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) i;
    }
    return bytes;
  }

  private static ByteString hex(String hex) {
    return ByteString.fromHex(hex);
  }

  /** The values are those of an independent program. */
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({
    "clicks, 0, '', 5102560b962ab8c6163b49fc0bd5c39e10d91914392eb9c96b21bfa7745cb5c3",
    "clicks, 1, '', e889cb7e8ee0210d611f218fa2aac3d3f9f9a61d87370ed1dfebcfbdba6ce40f",
    "wine quality, 7, 010203, 3bf35ba418b5b66d17e8dcf6701939d4892243952f15d156039f0f71f6ffd331"
  })
  void theKeyFollowsFromSecretModelWindowAndDeclaration(
      String modelId, long window, String declaration, String keyId) {
    TokenChallenge challenge = new TokenChallenge(modelId, window, hex(declaration));
    TokenKey key = TokenIssuer.derive(SECRET, challenge).key();
    assertThat(key.id()).isEqualTo(hex(keyId));
    assertThat(new BigInteger(1, key.modulus().toByteArray()).bitLength()).isEqualTo(2048);
    assertThat(key)
        .isEqualTo(new TokenKey(key.modulus()))
        .hasSameHashCodeAs(new TokenKey(key.modulus()));
  }

  @Test
  void anotherSecretIsAnotherKey() {
    byte[] other = SECRET.clone();
    other[31] ^= 1;
    assertThat(TokenIssuer.derive(other, CHALLENGE).key()).isNotEqualTo(ISSUER.key());
  }

  /** A test vector of the authors of RFC 9578, whose messages have no prefix. */
  @Test
  void keyIdAndInputAreThoseOfPrivacyPass() {
    TokenKey key =
        new TokenKey(
            hex(
                "cb1aed6b6a95f5b1ce013a4cfcab25b94b2e64a23034e4250a7eab43c0df3a8c12993af12b111908"
                    + "d4b471bec31d4b6c9ad9cdda90612a2ee903523e6de5a224d6b02f09e5c374d0cfe01d8f529c500a"
                    + "78a2f67908fa682b5a2b430c81eaf1af72d7b5e794fc98a3139276879757ce453b526ef9bf6ceb99"
                    + "979b8423b90f4461a22af37aab0cf5733f7597abe44d31c732db68a181c6cbbe607d8c0e52e0655f"
                    + "d9996dc584eca0be87afbcd78a337d17b1dba9e828bbd81e291317144e7ff89f55619709b096cbb9"
                    + "ea474cead264c2073fe49740c01f00e109106066983d21e5f83f086e2e823c879cd43cef700d2a35"
                    + "2a9babd612d03cad02db134b7e225a5f"));
    ByteString bytes =
        hex(
            "0002c0fcbbb243d8f5d4f661dbdefca95879b39aeccb77b7db731b59c09688773125ad76ab53adc2"
                + "ca44e4eaae3d71b9bf3fc9332122faeef07cb70d9e04da68c6a7ca572f8982a9ca248a3056186322"
                + "d93ca147266121ddeb5632c07f1f71cd27080d1f816364e5d4d516d2f3e80366e56edc1de4ba0d7a"
                + "ed2675c15156d774b311778091bf5f2aea99261562289459a41c5739dec6dc42447744fe07c53c9d"
                + "090f053263d019255cdfc27739132bd6821ad49f1a98db6873319d04c04703d74a8fe1d0806b2a25"
                + "b46246c5bb2ff927463b03152589068389df89494c6d82f3b92be773a9fe6bc1fed9cbf26bdfbae1"
                + "ff369f20d0267cdd20f3bcba30f8b0c0e9d9a1a39a40156b0614030d5099aa36f085347681aef502"
                + "f3d081b36cd79f7ea14df1ca9694320fc44ccbc7c5d90aeedc915af3ac11a3baf562d38c8213e39f"
                + "6731fa5e701697d0bfbfcfc83b447945b351115a20770370226b52a19df939f3080e");
    Token token = Token.parse(bytes.concat(ByteString.copyFrom(new byte[32])));
    assertThat(token.keyId()).isEqualTo(key.id());
    Token withoutPrefix =
        new Token(
            token.nonce(),
            token.challengeDigest(),
            token.keyId(),
            token.signature(),
            ByteString.EMPTY);
    assertThat(withoutPrefix.encoded()).isEqualTo(bytes);
    assertThat(key.rsa().verifies(withoutPrefix.prepared(), token.signature(), 48)).isTrue();
    assertThat(key.rsa().verifies(token.prepared(), token.signature(), 48)).isFalse();
  }

  @Test
  void aSignedTokenIsAdmittedForItsChallengeAlone() throws SignatureException {
    TokenRequest request = TokenRequest.draw(ISSUER.key(), CHALLENGE);
    Token token = Token.parse(request.finish(ISSUER.sign(request.blinded())).encoded());
    assertThat(token.encoded().size()).isEqualTo(Token.BYTES).isEqualTo(386);
    assertThat(ISSUER.key().admits(token, CHALLENGE)).isTrue();
    assertThat(token).hasToString("Token");
    for (TokenChallenge other :
        List.of(
            OTHER,
            new TokenChallenge("click", 0, ByteString.EMPTY),
            new TokenChallenge("clicks", 0, ByteString.copyFrom(new byte[1])))) {
      assertThat(ISSUER.key().admits(token, other)).isFalse();
      assertThat(OTHER_ISSUER.key().admits(token, other)).isFalse();
    }
  }

  /** No bit of a token can be changed. */
  @Test
  void aForgedTokenIsNotAdmitted() throws SignatureException {
    TokenRequest request = TokenRequest.draw(ISSUER.key(), CHALLENGE);
    byte[] bytes = request.finish(ISSUER.sign(request.blinded())).encoded().toByteArray();
    for (int at = 2; at < bytes.length; at++) {
      bytes[at] ^= (byte) (1 << (at % 8));
      assertThat(ISSUER.key().admits(Token.parse(ByteString.copyFrom(bytes)), CHALLENGE))
          .as("byte %d", at)
          .isFalse();
      bytes[at] ^= (byte) (1 << (at % 8));
    }
    assertThat(ISSUER.key().admits(Token.parse(ByteString.copyFrom(bytes)), CHALLENGE)).isTrue();
  }

  /** After a crash, the same bytes are asked for, and the issuer gives the same answer. */
  @Test
  void aRestoredRequestIsTheSame() throws SignatureException {
    TokenRequest request = TokenRequest.draw(ISSUER.key(), CHALLENGE);
    TokenRequest restored = new TokenRequest(ISSUER.key(), CHALLENGE, request.secrets());
    assertThat(restored.blinded()).isEqualTo(request.blinded());
    ByteString answer = ISSUER.sign(restored.blinded());
    assertThat(answer).isEqualTo(ISSUER.sign(request.blinded()));
    assertThat(restored.finish(answer)).isEqualTo(request.finish(answer));
    assertThat(request).hasToString("TokenRequest");
  }

  /** A request and its answer are consistent with every token: the blind that links them exists. */
  @Test
  void anIssuerFindsABlindForEveryTokenAndRequest() throws SignatureException {
    BigInteger modulus = ISSUER.key().rsa().modulus();
    List<TokenRequest> requests = new ArrayList<>();
    List<Token> tokens = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      TokenRequest request = TokenRequest.draw(ISSUER.key(), CHALLENGE);
      requests.add(request);
      tokens.add(request.finish(ISSUER.sign(request.blinded())));
    }
    for (TokenRequest request : requests) {
      for (Token token : tokens) {
        BigInteger encoded =
            new BigInteger(1, token.signature().toByteArray()).modPow(TokenKey.EXPONENT, modulus);
        BigInteger power =
            new BigInteger(1, request.blinded().toByteArray())
                .multiply(encoded.modInverse(modulus))
                .mod(modulus);
        BigInteger blind =
            new BigInteger(
                1,
                ISSUER
                    .sign(ByteString.copyFrom(BlindRsa.toBytes(power, TokenKey.BYTES)))
                    .toByteArray());
        assertThat(encoded.multiply(blind.modPow(TokenKey.EXPONENT, modulus)).mod(modulus))
            .isEqualTo(new BigInteger(1, request.blinded().toByteArray()));
      }
    }
  }

  @Test
  void anAnswerOfAnotherKeyIsNoToken() {
    TokenRequest request = TokenRequest.draw(ISSUER.key(), CHALLENGE);
    ByteString low = ByteString.copyFrom(new byte[1]).concat(request.blinded().substring(1));
    assertThatThrownBy(() -> request.finish(OTHER_ISSUER.sign(low)))
        .isInstanceOf(SignatureException.class)
        .hasMessage("the blind signature is not that of the key; it must be");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 255, 257})
  void aBlindedMessageOfAnotherLengthIsNotSigned(int length) {
    assertRefused(
        () -> ISSUER.sign(ByteString.copyFrom(new byte[length])),
        "blinded has %d bytes; it must be a number below the key's modulus in 256 bytes"
            .formatted(length));
  }

  @Test
  void aMessageThatIsNotBelowTheModulusIsNotSigned() {
    assertThatThrownBy(() -> ISSUER.sign(ISSUER.key().modulus()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void whatIsNoTokenIsRefused() {
    assertThatThrownBy(() -> Token.parse(ByteString.copyFrom(new byte[385])))
        .hasMessage("the token has 385 bytes; it must have 386");
    assertThatThrownBy(() -> Token.parse(ByteString.copyFrom(new byte[386])))
        .hasMessage("the type of the token is 0; it must be 2");
    assertThatThrownBy(() -> new TokenKey(ByteString.copyFrom(new byte[256])))
        .hasMessageStartingWith("the modulus of the key has 256 bytes; it must be an odd number");
    assertThatThrownBy(() -> TokenIssuer.derive(new byte[31], CHALLENGE))
        .hasMessage("the secret of the tokens has 31 bytes; it must have at least 32");
    assertThatThrownBy(() -> new TokenChallenge("", 0, ByteString.EMPTY))
        .hasMessage("modelId has 0 bytes; it must have 1 to 65535 bytes of UTF-8");
    assertThatThrownBy(() -> new TokenChallenge("clicks", -1, ByteString.EMPTY))
        .hasMessage("window is -1; it must be at least 0");
  }
}
