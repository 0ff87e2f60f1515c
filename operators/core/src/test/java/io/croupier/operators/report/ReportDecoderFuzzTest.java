package io.croupier.operators.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.CoordinateLaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whatever the bytes, the decoder agrees with the contract read value by value, and never throws.
 * Use {@code -Dinputs=10000000} for a long run.
 */
class ReportDecoderFuzzTest {
  private static final int INPUTS = Integer.getInteger("inputs", 100_000);

  private static final Source SOURCE = new Source("gradients", 1, 42, 9);

  private final ReportDecoder decoder = new ReportDecoder();

  @Test
  void agreesWithTheContractOnRandomReports() {
    long seed = 17;
    Random random = new Random(seed);
    int wellFormed = 0;
    for (int n = 0; n < 3 * INPUTS / 10; n++) {
      RandomReports reports = new RandomReports(random, n % 3 == 0 ? 0 : 0.03);
      wellFormed += check(reports.next().toByteArray(), "seed " + seed + ", report " + n) ? 1 : 0;
    }
    assertThat(wellFormed).isBetween(3 * INPUTS / 20, 29 * INPUTS / 100);
  }

  @Test
  void agreesWithTheContractOnMutatedBytes() {
    long seed = 23;
    Random random = new Random(seed);
    RandomReports reports = new RandomReports(random, 0.01);
    byte[] other = reports.next().toByteArray();
    int wellFormed = 0;
    for (int n = 0; n < INPUTS; n++) {
      byte[] bytes = reports.next().toByteArray();
      byte[] mutated = mutate(random, bytes, other);
      wellFormed += check(mutated, "seed " + seed + ", mutation " + n) ? 1 : 0;
      other = bytes;
    }
    assertThat(wellFormed).isBetween(INPUTS / 20, 19 * INPUTS / 20);
  }

  @Test
  void agreesWithTheContractOnGarbage() {
    long seed = 29;
    Random random = new Random(seed);
    for (int n = 0; n < INPUTS; n++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      check(bytes, "seed " + seed + ", garbage " + n);
    }
  }

  private static byte[] mutate(Random random, byte[] bytes, byte[] other) {
    byte[] mutated = bytes;
    for (int times = 1 + random.nextInt(2); times > 0; times--) {
      int at = mutated.length == 0 ? 0 : random.nextInt(mutated.length);
      int length = random.nextInt(Math.min(12, mutated.length - at) + 1);
      mutated =
          switch (random.nextInt(5)) {
            case 0 -> splice(mutated, at, at + length, new byte[0]);
            case 1 -> splice(mutated, at, at, slice(other, random));
            case 2 -> splice(mutated, at, mutated.length, new byte[0]);
            case 3 -> splice(mutated, at, at, new byte[] {(byte) random.nextInt()});
            default -> {
              byte[] flipped = mutated.clone();
              if (flipped.length > 0) {
                flipped[at] ^= (byte) (1 << random.nextInt(8));
              }
              yield flipped;
            }
          };
    }
    return mutated;
  }

  private static byte[] slice(byte[] bytes, Random random) {
    int from = random.nextInt(bytes.length + 1);
    int to = from + random.nextInt(bytes.length - from + 1);
    return Arrays.copyOfRange(bytes, from, to);
  }

  private static byte[] splice(byte[] bytes, int from, int to, byte[] insert) {
    byte[] result = new byte[bytes.length - (to - from) + insert.length];
    System.arraycopy(bytes, 0, result, 0, from);
    System.arraycopy(insert, 0, result, from, insert.length);
    System.arraycopy(bytes, to, result, from + insert.length, bytes.length - to);
    return result;
  }

  /** Returns whether the bytes are a well-formed report. */
  private boolean check(byte[] bytes, String description) {
    GradientReport message;
    try {
      message = GradientReport.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      malformed(decoder.decode(new byte[0], bytes, true, SOURCE), description);
      malformed(decoder.decode(new byte[0], bytes, false, SOURCE), description);
      return false;
    }
    byte[] key = message.getUserId().getBytes(UTF_8);
    Received right = decoder.decode(key, bytes, message.hasCentral(), SOURCE);
    Received wrong = decoder.decode(key, bytes, !message.hasCentral(), SOURCE);
    if (malformed(wrong, description).withheld() != message.hasCentral()) {
      throw new AssertionError("withheld or not, " + description);
    }
    if (!GradientReports.violations(message).isEmpty()) {
      malformed(right, description);
      return false;
    }
    if (!(right instanceof Report report)
        || !same(report, MessageReader.read(message, report.digest(), SOURCE))) {
      throw new AssertionError(right + ", " + description);
    }
    return true;
  }

  private static Received.Malformed malformed(Received decoded, String description) {
    if (decoded instanceof Received.Malformed malformed) {
      return malformed;
    }
    throw new AssertionError("taken for well-formed, " + description);
  }

  /** Whether two reports are the same, values that are no numbers included. */
  static boolean same(Report a, Report b) {
    return a.header().equals(b.header())
        && same(a.mechanism(), b.mechanism())
        && same(a.content(), b.content())
        && a.source().equals(b.source());
  }

  private static boolean same(Content a, Content b) {
    if (a instanceof VectorContent x && b instanceof VectorContent y) {
      return x.form() == y.form()
          && x.dimension() == y.dimension()
          && Arrays.equals(x.values(), y.values())
          && Arrays.equals(x.indices(), y.indices());
    }
    return (a instanceof ExampleContent x && b instanceof ExampleContent y)
        ? Arrays.equals(x.x(), y.x()) && Double.compare(x.y(), y.y()) == 0
        : a.equals(b);
  }

  private static boolean same(Mechanism a, Mechanism b) {
    return (a instanceof CoordinateLaplaceMechanism x && b instanceof CoordinateLaplaceMechanism y)
        ? x.taus().equals(y.taus())
            && x.clip() == y.clip()
            && x.openCoordinates() == y.openCoordinates()
        : a.equals(b);
  }
}
