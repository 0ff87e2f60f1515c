package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.noise.CandidateVectors;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Test;

/**
 * From a seed to its vectors: bit for bit those of lab/proofs/vectors.md, and of the Java client.
 */
class CandidatesTest extends BrowserFixture {
  private static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private static double[] expand(long seed, int index, double length, int d) {
    Value values = browser.export("expandCandidate").execute(browser.big(seed), index, length, d);
    return Browser.doubles(values);
  }

  /** The SHA-256 of lab/proofs/vectors.md. */
  @Test
  void knotsAreTheRoundedQuantiles() throws NoSuchAlgorithmException {
    Value knots = browser.internal("computeKnots").execute();
    assertThat(knots.getArraySize()).isEqualTo(6145);
    ByteBuffer bytes = ByteBuffer.allocate(4 * 6145).order(ByteOrder.LITTLE_ENDIAN);
    for (int k = 0; k < 6145; k++) {
      bytes.putInt(knots.getArrayElement(k).asInt());
    }
    assertThat(sha256(bytes.array()))
        .isEqualTo("5bed81b19f97dcfcf112f5542faa3d28d82c1b5ed3177559167d24bfebe57bf2");
  }

  /** An engine with another exponential function draws nothing, instead of biased reports. */
  @Test
  void anInaccurateEngineIsRefused() {
    try (Browser inaccurate = new Browser()) {
      inaccurate.eval("{ const exact = Math.exp; Math.exp = (x) => exact(x) * (1 + 1e-9); }");
      assertThatThrownBy(() -> inaccurate.internal("knots").execute())
          .hasMessageContaining("Math.exp is too inaccurate");
    }
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /**
   * The same 9,150 coordinates as in the test of the Java client, from an implementation in Python.
   */
  @Test
  void manyVectorsAreThoseOfTheSpecification() throws NoSuchAlgorithmException {
    ByteBuffer bytes = ByteBuffer.allocate(8 * 9150).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 300; i++) {
      for (double value : expand(mix(i), 2 * (i % 2048), 1, 1 + i % 60)) {
        bytes.putDouble(value);
      }
    }
    assertThat(bytes.remaining()).isZero();
    assertThat(sha256(bytes.array()))
        .isEqualTo("34136a903e835304aa3e1c0ac215a6bfb6eff390b63d7b16fd74558459be6acf");
  }

  @Test
  void candidatesAndHeightsAreThoseOfTheJavaClient() {
    SplittableRandom random = new SplittableRandom(5);
    Value height =
        browser.callInternals(
            "(i) => (seed, pair, direction) => i.height(i.knots(), i.halves(seed), pair,"
                + " direction, new i.Word(), new i.Word())");
    for (int n = 0; n < 200; n++) {
      long seed = random.nextLong();
      int index = random.nextInt(4096);
      double length = 20 * random.nextDouble();
      double[] expected = new double[1 + random.nextInt(40)];
      CandidateVectors.expand(seed, index, length, expected);
      assertThat(expand(seed, index, length, expected.length)).containsExactly(expected);
      double[] direction = new double[expected.length + 1];
      Arrays.setAll(direction, j -> random.nextDouble() - 0.5);
      assertThat(height.execute(browser.big(seed), index / 2, browser.array(direction)).asDouble())
          .isEqualTo(CandidateVectors.height(seed, index / 2, direction));
    }
  }
}
