package io.croupier.client.ohttp;

import static io.croupier.noise.Refusals.assertRefusedWith;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ObliviousExchangeTest {
  private static final ObliviousKeyPair PAIR = ObliviousKeyPair.derive(new byte[32]);
  private static final byte[] MESSAGE = "a request".getBytes(UTF_8);

  /** Appendix A of RFC 9458, from both sides. */
  @Test
  void theExampleOfTheRfcHolds() throws Exception {
    Golden rfc = Golden.of("rfc9458");
    ObliviousKeyPair pair = new ObliviousKeyPair((byte) 1, rfc.bytes("gateway_private_key"));
    // The example's configuration has a second AEAD.
    assertThat(HexFormat.of().formatHex(pair.key().encoded(), 2, 37))
        .isEqualTo(rfc.hex("key_configuration").substring(0, 70));

    ObliviousExchange client =
        pair.key().encapsulate(rfc.bytes("request"), rfc.bytes("ephemeral_private_key"));
    assertThat(client.request()).isEqualTo(rfc.bytes("encapsulated_request"));
    ObliviousExchange gateway = pair.open(client.request());
    assertThat(gateway.request()).isEqualTo(rfc.bytes("request"));
    assertThat(gateway.seal(rfc.bytes("response"), rfc.bytes("response_nonce")))
        .isEqualTo(rfc.bytes("encapsulated_response"));
    assertThat(client.open(rfc.bytes("encapsulated_response"))).isEqualTo(rfc.bytes("response"));
  }

  @Test
  void lengthsDependOnTheMessageAlone() throws Exception {
    ObliviousExchange client = PAIR.key().encapsulate(MESSAGE);
    assertThat(client.request()).hasSize(MESSAGE.length + ObliviousExchange.REQUEST_OVERHEAD);
    byte[] answer = PAIR.open(client.request()).seal(new byte[100]);
    assertThat(answer).hasSize(100 + ObliviousExchange.ANSWER_OVERHEAD);
    assertThat(client.open(answer)).isEqualTo(new byte[100]);
    // Everything but the header is new.
    byte[] second = PAIR.key().encapsulate(MESSAGE).request();
    assertThat(Arrays.copyOf(second, 7)).isEqualTo(Arrays.copyOf(client.request(), 7));
    assertThat(Arrays.copyOfRange(second, 7, 39))
        .isNotEqualTo(Arrays.copyOfRange(client.request(), 7, 39));
  }

  @Test
  void anyChangedByteIsRefused() throws Exception {
    ObliviousExchange client = PAIR.key().encapsulate(MESSAGE);
    byte[] request = client.request();
    for (int i = 0; i < 2 * request.length; i++) {
      byte[] changed = request.clone();
      // The top bit of the ephemeral key isn't part of the point, but of what is authenticated.
      changed[i / 2] ^= (byte) (i % 2 == 0 ? 1 : 0x80);
      assertThatThrownBy(() -> PAIR.open(changed))
          .as("byte %d", i / 2)
          .isInstanceOf(GeneralSecurityException.class);
    }
    byte[] answer = PAIR.open(request).seal(MESSAGE);
    for (int i = 0; i < answer.length; i++) {
      byte[] changed = answer.clone();
      changed[i] ^= 1;
      assertThatThrownBy(() -> client.open(changed)).isInstanceOf(GeneralSecurityException.class);
    }
    for (int length = 0; length < request.length; length++) {
      byte[] cut = Arrays.copyOf(request, length);
      assertThatThrownBy(() -> PAIR.open(cut)).isInstanceOf(GeneralSecurityException.class);
    }
    assertThatThrownBy(() -> client.open(new byte[31]))
        .isInstanceOf(GeneralSecurityException.class);
  }

  @Test
  void anotherRequestsAnswerIsRefused() throws Exception {
    ObliviousExchange client = PAIR.key().encapsulate(MESSAGE);
    byte[] other = PAIR.open(PAIR.key().encapsulate(MESSAGE).request()).seal(MESSAGE);
    assertThatThrownBy(() -> client.open(other)).isInstanceOf(GeneralSecurityException.class);
  }

  @Test
  void gatewaysOfOneSecretHaveOneKey() {
    byte[] other = new byte[32];
    other[31] = 1;
    assertThat(ObliviousKeyPair.derive(new byte[32]).key().encoded())
        .isEqualTo(PAIR.key().encoded())
        .isNotEqualTo(ObliviousKeyPair.derive(other).key().encoded());
    assertThat(ObliviousKey.parse(PAIR.key().encoded()).encoded()).isEqualTo(PAIR.key().encoded());
    assertThat(PAIR).hasToString("ObliviousKeyPair");
  }

  @Test
  void otherKeysAreRefused() {
    byte[] right = PAIR.key().encoded();
    for (int place : new int[] {1, 3, 4, 38, 40, 42}) {
      byte[] changed = right.clone();
      changed[place]++;
      assertRefusedWith(() -> ObliviousKey.parse(changed), "/v1/ohttp-keys");
    }
    assertThatThrownBy(() -> ObliviousKey.parse(new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void messagesOfTheRfcAreRead() throws Exception {
    Golden rfc = Golden.of("rfc9458");
    BinaryRequest request = BinaryRequest.parse(rfc.bytes("request"));
    assertThat(request.method()).isEqualTo("GET");
    assertThat(request.authority()).isEqualTo("example.com");
    assertThat(request.path()).isEqualTo("/");
    assertThat(request.header()).isEmpty();
    assertThat(request.content()).isEmpty();
    BinaryResponse response = BinaryResponse.parse(rfc.bytes("response"));
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.content()).isEmpty();
  }

  @Test
  void messagesAreReadAsTheyWereWrittenWithTheirPadding() {
    for (int length : new int[] {0, 63, 64, 2048}) {
      byte[] content = new byte[length];
      Arrays.fill(content, (byte) 7);
      Map<String, String> header = Map.of("accept", "x", "content-type", "a/b");
      BinaryRequest request =
          new BinaryRequest("POST", "a:1", "/v1/x", header, ByteString.copyFrom(content));
      assertThat(request.encoded()).hasSize(BinaryRequest.BYTES);
      assertThat(BinaryRequest.parse(request.encoded())).isEqualTo(request);
      BinaryResponse response = new BinaryResponse(202, header, ByteString.copyFrom(content));
      assertThat(response.encoded()).hasSize(BinaryResponse.BYTES);
      assertThat(BinaryResponse.parse(response.encoded())).isEqualTo(response);
    }
    byte[] longest = new byte[BinaryResponse.MOST_BYTES];
    BinaryResponse response = new BinaryResponse(200, Map.of(), ByteString.copyFrom(longest));
    assertThatThrownBy(response::encoded).hasMessageContaining("at most 49152");
    byte[] update = new byte[2 * BinaryResponse.BYTES];
    assertThat(new BinaryResponse(200, Map.of(), ByteString.copyFrom(update)).encoded())
        .hasSize(3 * BinaryResponse.BYTES);
    assertThatThrownBy(
            () ->
                new BinaryRequest("GET", "a", "/", Map.of(), ByteString.copyFrom(longest))
                    .encoded())
        .hasMessageContaining("at most 2560");
  }

  @Test
  void anyBytesAreReadOrRefused() {
    Random random = new Random(5);
    byte[] valid =
        new BinaryRequest("POST", "a", "/", Map.of("a", "b"), ByteString.copyFrom(new byte[50]))
            .unpadded()
            .toByteArray();
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = valid.clone();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      byte[] message = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      assertThatCode(
              () -> {
                try {
                  BinaryRequest.parse(message);
                } catch (IllegalArgumentException e) {
                  // Expected.
                }
                try {
                  BinaryResponse.parse(message);
                } catch (IllegalArgumentException e) {
                  // Expected.
                }
              })
          .doesNotThrowAnyException();
    }
    byte[] padded = new BinaryRequest("GET", "a", "/", Map.of(), ByteString.EMPTY).encoded();
    padded[padded.length - 1] = 1;
    assertThatThrownBy(() -> BinaryRequest.parse(padded)).hasMessageContaining("padding");
  }
}
