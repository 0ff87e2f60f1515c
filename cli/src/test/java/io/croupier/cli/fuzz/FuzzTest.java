package io.croupier.cli.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.sun.management.ThreadMXBean;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Any bytes are either read or refused in the documented way. Memory is proportional to their
 * number, regardless of the lengths that they claim, and so is time, up to a megabyte. No reason
 * quotes a value of a gradient. Use {@code -Dinputs=10000000} for a long run and {@code -Dseed=N}
 * for another seed.
 */
class FuzzTest {
  private static final long SEED = Long.getLong("seed", 41);
  private static final long INPUTS = Long.getLong("inputs", 100_000);

  /** Constant allocation per input, such as buffers of files and streams. */
  private static final int BASE_BYTES = 1 << 22;

  /** Processor time for one input; quadratic time for a megabyte would take far more. */
  private static final long MOST_NANOS = 5_000_000_000L;

  private static final int MOST_SHOWN = 8000;
  private static final Path FOUND = Path.of("src", "test", "resources", "fuzz");
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir private static Path directory;

  @TestFactory
  Stream<DynamicTest> everythingSurvivesEverything() throws Exception {
    return new Targets(directory)
        .all().stream().map(target -> DynamicTest.dynamicTest(target.name(), () -> fuzz(target)));
  }

  private static void fuzz(Target target) throws Exception {
    Mutator mutator = new Mutator(SEED, target.corpus());
    for (byte[] valid : target.corpus()) {
      assertThat(check(target, valid).refusal).as(() -> describe(target, valid)).isEmpty();
    }
    long refused = 0;
    long mostBytes = 0;
    long mostNanos = 0;
    long inputs = INPUTS * target.share() / 1000;
    for (long i = 0; i < inputs; i++) {
      Outcome outcome = check(target, mutator.next());
      refused += outcome.refusal.isEmpty() ? 0 : 1;
      mostBytes = Math.max(mostBytes, outcome.allocated);
      mostNanos = Math.max(mostNanos, outcome.nanos);
    }
    System.out.printf(
        "%s: %,d inputs, %,d refused, at most %,d bytes allocated and %,d ms%n",
        target, inputs, refused, mostBytes, mostNanos / 1_000_000);
    assertThat(refused).isBetween(inputs / 20, inputs - inputs / 100);
  }

  /** Inputs that have found errors before. */
  @TestFactory
  Stream<DynamicTest> whatWasFoundIsRefused() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (Target target : new Targets(directory).all()) {
      Path found = FOUND.resolve(target.name());
      if (Files.isDirectory(found)) {
        try (Stream<Path> files = Files.list(found)) {
          for (Path file : files.sorted().toList()) {
            byte[] input = Files.readAllBytes(file);
            tests.add(
                DynamicTest.dynamicTest(
                    target + ", " + file.getFileName(),
                    () -> assertThat(check(target, input).refusal).isNotEmpty()));
          }
        }
      }
    }
    assertThat(tests).isNotEmpty();
    return tests.stream();
  }

  private record Outcome(String refusal, long allocated, long nanos) {}

  private static Outcome check(Target target, byte[] input) {
    Outcome outcome = read(target, input);
    if (outcome.allocated > limit(target, input)) {
      // The first input of a kind may load classes; the second doesn't.
      outcome = read(target, input);
    }
    if (outcome.allocated > limit(target, input)) {
      throw new AssertionError(
          outcome.allocated + " bytes allocated for " + describe(target, input));
    }
    if (outcome.nanos > MOST_NANOS) {
      throw new AssertionError(outcome.nanos + " ns for " + describe(target, input));
    }
    if (target.name().startsWith("report")) {
      requireNoValues(outcome.refusal, target, input);
    }
    return outcome;
  }

  private static long limit(Target target, byte[] input) {
    return BASE_BYTES + (long) target.bytesPerByte() * input.length;
  }

  private static Outcome read(Target target, byte[] input) {
    long nanos = THREADS.getCurrentThreadCpuTime();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      String refusal = target.reader().read(input);
      return new Outcome(
          refusal,
          THREADS.getCurrentThreadAllocatedBytes() - before,
          THREADS.getCurrentThreadCpuTime() - nanos);
    } catch (Throwable e) {
      throw new AssertionError(describe(target, input), e);
    }
  }

  private static String describe(Target target, byte[] input) {
    String text = Base64.getEncoder().encodeToString(input);
    if (text.length() <= MOST_SHOWN) {
      return target + ": " + text;
    }
    try {
      return target + ": " + Files.write(Files.createTempFile("fuzz", ".bin"), input);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Values that are long enough to be recognised in a text; shorter ones may occur by chance. */
  private static void requireNoValues(String refusal, Target target, byte[] input) {
    GradientReport report;
    try {
      report = GradientReport.parseFrom(input);
    } catch (InvalidProtocolBufferException e) {
      return;
    }
    DoubleStream.Builder values = DoubleStream.builder();
    report.getDense().getValuesList().forEach(values::add);
    report.getSparse().getValuesList().forEach(values::add);
    report.getExample().getXList().forEach(values::add);
    values.add(report.getExample().getY());
    report.getGrid().getValuesList().forEach(values::add);
    // The declaration of noise is not secret.
    String message =
        refusal
            .replace(Double.toString(report.getL2Laplace().getEpsilon()), "")
            .replace(Double.toString(report.getGaussian().getMu()), "");
    values
        .build()
        .mapToObj(Double::toString)
        .filter(text -> text.length() > 5 && !text.contains("In") && message.contains(text))
        .findAny()
        .ifPresent(
            text -> {
              throw new AssertionError("'" + refusal + "' quotes " + describe(target, input));
            });
  }
}
