package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.PrivUnitMechanism;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.schemas.AnonymousWindows;
import java.math.BigInteger;
import java.util.Base64;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blind tokens of the browser: the test vectors of RFC 9474, appendix A, and the Java issuer. */
class BlindTokensTest extends DeviceFixture {
  private static final Rfc VECTORS = Rfc.of(9474);

  private ProxyObject crypto;

  @BeforeEach
  void makeCrypto() {
    crypto = browser.crypto(new SplittableRandom(5)::nextLong);
  }

  private static byte[] bytes(String name) {
    return VECTORS.bytes(name);
  }

  private Value array(String name) {
    return browser.array(bytes(name));
  }

  private static Value integer(BigInteger value) {
    return browser.eval("BigInt").execute(value.toString());
  }

  private static Value internal(String name, Object... arguments) {
    return browser.internal(name).execute(arguments);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PSS-Randomized",
        "PSSZERO-Randomized",
        "PSS-Deterministic",
        "PSSZERO-Deterministic"
      })
  void followsTheRfc(String variant) {
    BigInteger modulus = new BigInteger(1, bytes("n"));
    Value blind = integer(new BigInteger(1, bytes(variant + ".inv")).modInverse(modulus));
    Value prepared = array(variant + ".prepared_msg");
    Value salt = array(variant + ".salt");
    Value encoded =
        visits.await(internal("emsaPss", crypto, prepared, salt, modulus.bitLength() - 1));
    assertThat(Browser.bytes(encoded)).isEqualTo(bytes(variant + ".encoded_msg"));
    Value blinded =
        visits.await(internal("blindMessage", crypto, array("n"), prepared, salt, blind));
    assertThat(Browser.bytes(blinded.getMember("blinded")))
        .isEqualTo(bytes(variant + ".blinded_msg"));
    Value signature =
        internal(
            "unblind",
            array("n"),
            blinded.getMember("encoded"),
            array(variant + ".blind_sig"),
            blind);
    assertThat(Browser.bytes(signature)).isEqualTo(bytes(variant + ".sig"));
  }

  /** The issuer of the Java client signs, and its key admits, what the browser asks for. */
  @ParameterizedTest
  @ValueSource(strings = {"clicks", "a_model.of-100"})
  void tokensAreThoseOfTheJavaClient(String modelId) {
    PrivUnitMechanism level = new PrivUnitMechanism(0.7, 256, 99);
    TokenChallenge challenge = new TokenChallenge(modelId, 1L << 40, AnonymousWindows.bytes(level));
    Value declared = browser.eval("({epsilon: 0.7, candidates: 256, top: 99})");
    Value digest = internal("challengeDigest", modelId, (double) (1L << 40), declared);
    assertThat(Browser.bytes(digest)).isEqualTo(challenge.digest().toByteArray());

    TokenIssuer issuer = TokenIssuer.derive(new byte[32], challenge);
    Value modulus = browser.array(issuer.key().modulus().toByteArray());
    Value secrets = internal("drawTokenSecrets", crypto, modulus);
    Value request = visits.await(internal("tokenRequest", crypto, modulus, digest, secrets));
    byte[] blinded = Browser.bytes(request.getMember("blinded"));
    ByteString signature = issuer.sign(ByteString.copyFrom(blinded));
    byte[] token =
        Browser.bytes(request.invokeMember("finish", browser.array(signature.toByteArray())));
    assertThat(issuer.key().admits(Token.parse(ByteString.copyFrom(token)), challenge)).isTrue();

    Value again = visits.await(internal("tokenRequest", crypto, modulus, digest, secrets));
    assertThat(Browser.bytes(again.getMember("blinded"))).isEqualTo(blinded);
    byte[] wrong = signature.toByteArray();
    wrong[100] ^= 1;
    assertThat(
            browser
                .eval("(r, s) => { try { r.finish(s); } catch (e) { return e.message; } }")
                .execute(request, browser.array(wrong))
                .asString())
        .isEqualTo(
            "the blind signature is not that of the key; it must be that of the key of the window");
  }

  /** Computed with Python's hmac, in integers. */
  @Test
  void slotsAreThoseOfTheJavaClient() {
    Value secret =
        browser.array(HexFormat.of().parseHex("00112233445566778899aabbccddeeff".repeat(2)));
    Value zeros = browser.array(new byte[32]);
    assertThat(internal("slotOf", secret, zeros, 1).asInt()).isZero();
    assertThat(internal("slotOf", secret, zeros, 2).asInt()).isEqualTo(1);
    assertThat(internal("slotOf", secret, zeros, 300).asInt()).isEqualTo(209);
    assertThat(internal("slotOf", secret, zeros, Integer.MAX_VALUE).asInt())
        .isEqualTo(1_498_568_240);
  }

  @Test
  void base64IsThatOfJava() {
    SplittableRandom random = new SplittableRandom(3);
    for (int length = 0; length < 40; length++) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      String text = Base64.getEncoder().encodeToString(bytes);
      assertThat(internal("toBase64", browser.array(bytes)).asString()).isEqualTo(text);
      assertThat(Browser.bytes(internal("fromBase64", text))).isEqualTo(bytes);
    }
    for (String other : new String[] {"a", "ab=", "a===", "ab-=", "abcde"}) {
      assertThat(Browser.bytes(internal("fromBase64", other))).isEmpty();
    }
  }
}
