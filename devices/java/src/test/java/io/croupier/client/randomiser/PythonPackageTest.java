package io.croupier.client.randomiser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.noise.CandidateVectors;
import io.croupier.noise.SecureBits;
import io.croupier.noise.Statistics;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.Statistic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The package in {@code python}: its wheel is built and installed into a virtual environment,
 * passes its own tests there, draws what the Java client draws, and its reports pass the job's
 * checks.
 *
 * <p>Skipped, with a message, where Python 3.11, or what pip has to fetch, is missing.
 */
@Tag("ci")
class PythonPackageTest {
  private static final Path SOURCES = Path.of("../../devices/python");
  private static final int MOST_SECONDS = 300;
  private static final double BOUND = 0.5;

  @TempDir static Path directory;
  private static String python;

  @BeforeAll
  static void install() throws Exception {
    assumeTrue(
        isDone("python3", "-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"),
        "Skipped: Python 3.11 isn't installed");
    String environment = directory.resolve("environment").toString();
    assumeTrue(
        isDone("python3", "-m", "venv", environment), "Skipped: Python's venv isn't installed");
    python = environment + "/bin/python";
    assumeTrue(
        isDone(pip("install --retries 2 protobuf>=3.20 setuptools>=65 wheel")),
        "Skipped: pip can't fetch protobuf, setuptools and wheel");
    // A copy, since a build leaves files beside the sources.
    Path sources = directory.resolve("sources");
    copy(SOURCES, sources);
    String wheels = directory.resolve("wheels").toString();
    run("", pip("wheel --no-deps --no-build-isolation -w", wheels, sources + ""));
    run("", pip("install --no-index croupier-device -f", wheels));
  }

  /** A command of pip: options, between which are blanks, and what else it takes. */
  private static String[] pip(String options, String... others) {
    return Stream.of(new String[] {python, "-m", "pip"}, options.split(" ", -1), others)
        .flatMap(Stream::of)
        .toArray(String[]::new);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  @Test
  void hasTheVersionOfTheBuild() throws Exception {
    String version =
        run(
            "",
            python,
            "-c",
            "from importlib.metadata import version; print(version('croupier-device'))");
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("<version>" + version.strip() + "</version>");
  }

  @Tag("thorough")
  @Test
  void theWheelPassesItsTests() throws Exception {
    String output = run("", python, "-m", "unittest", "discover", SOURCES.resolve("tests") + "");
    assertThat(output).containsPattern("Ran (9\\d|\\d{3}) tests").contains("\nOK");
  }

  /** Seed, ranking and index, from the same random words; and the vector of a candidate. */
  @Test
  void drawsWhatTheJavaClientDraws() throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    List<String> lines = new ArrayList<>();
    List<PrivUnitRandomiser> randomisers = new ArrayList<>();
    List<Choice> choices = new ArrayList<>();
    double[][] kinds = {{1, 1, 64}, {2, 0.25, 64}, {3, 2.5, 256}, {20, 4, 64}, {5, 7.3, 1024}};
    for (int n = 0; n < 60; n++) {
      double[] kind = kinds[n % kinds.length];
      int d = (int) kind[0];
      int candidates = (int) kind[2];
      double size = n % 3 == 0 ? 4 : BOUND;
      double[] gradient = random.doubles(d).map(x -> size * (x - 0.5)).toArray();
      if (n % 7 == 1) {
        gradient[d - 1] = Double.NaN;
      }
      PrivUnitRandomiser randomiser =
          new PrivUnitRandomiser(
              BOUND, d, kind[1], candidates, Statistics.seeded(n), Statistics.seeded(1000 + n));
      randomisers.add(randomiser);
      choices.add(randomiser.choose(gradient));
      lines.add(
          "%d %s %d %d %s %s %s"
              .formatted(
                  d,
                  kind[1],
                  candidates,
                  randomiser.law().top(),
                  BOUND,
                  list(gradient),
                  words(n, 16 * candidates)));
    }
    List<String> drawn = compare("draws", lines);
    assertThat(drawn).hasSize(lines.size());
    for (int n = 0; n < drawn.size(); n++) {
      String[] fields = drawn.get(n).split(" ", -1);
      PrivUnitRandomiser randomiser = randomisers.get(n);
      Choice choice = choices.get(n);
      assertThat(Long.parseUnsignedLong(fields[0])).isEqualTo(choice.seed());
      assertThat(Integer.parseInt(fields[1])).isEqualTo(choice.index());
      double[] vector = new double[randomiser.dimension()];
      CandidateVectors.expand(choice.seed(), choice.index(), 1, vector);
      assertThat(Stream.of(fields[2].split(",", -1)).mapToDouble(Double::parseDouble).toArray())
          .containsExactly(vector);
    }
  }

  /** The JavaScript device has the same ones, and its test compares their lengths with the best. */
  @Test
  void takesTheTopsThatTheJobKnows() throws Exception {
    List<String> lines = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    PrivUnitLaws laws = new PrivUnitLaws();
    for (int[] most : new int[][] {{64, 9}, {256, 11}, {1024, 14}, {4096, 16}}) {
      for (int d : new int[] {1, 2, 20, 1_000_000}) {
        for (double epsilon = 0.5; epsilon <= most[1]; epsilon += 0.5) {
          lines.add("%d %s %d".formatted(d, epsilon, most[0]));
          expected.add(laws.near(d, epsilon, most[0]).top() + "");
        }
      }
    }
    assertThat(compare("tops", lines)).isEqualTo(expected);
  }

  /** Group, and the seed if there is one, from the same random words. */
  @Test
  void drawsTheGroupsThatTheJavaClientDraws() throws Exception {
    List<String> lines = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    double[][] kinds = {{1, 4}, {1, 32}, {4, 32}, {2, 1000}, {0.25, 2}, {0.001, 3}};
    for (int n = 0; n < 60; n++) {
      double[] kind = kinds[n % kinds.length];
      int categories = (int) kind[1];
      int category = 7 * n % categories;
      HashedResponseRandomiser randomiser =
          new HashedResponseRandomiser(
              kind[0], categories, Statistics.seeded(n), Statistics.seeded(1000 + n));
      HashedResponseRandomiser.ReleasedGroup release = randomiser.release(category);
      String words = words(n, 400);
      boolean isHashed = randomiser.isHashed();
      lines.add(
          "%s %d %d %s"
              .formatted(
                  kind[0],
                  categories,
                  category,
                  isHashed ? words : words.substring(words.indexOf(',') + 1)));
      expected.add(
          "%d %s %d"
              .formatted(
                  randomiser.mechanism().groups(),
                  isHashed ? Long.toUnsignedString(release.seed()) : "-",
                  release.group()));
    }
    assertThat(compare("groups", lines)).isEqualTo(expected);
  }

  /** One word for the seed, then those for the index. */
  private static String words(int n, int count) {
    List<String> words = new ArrayList<>();
    words.add(Long.toUnsignedString(Statistics.seeded(n).getAsLong()));
    SecureBits bits = Statistics.seeded(1000 + n);
    for (int word = 0; word < count; word++) {
      words.add(Long.toUnsignedString(bits.getAsLong()));
    }
    return String.join(",", words);
  }

  private static String list(double[] values) {
    return Arrays.stream(values).mapToObj(Double::toString).collect(Collectors.joining(","));
  }

  /** Gradients, sizes, answers and votes. */
  @Test
  void theJobAcceptsItsReports() throws Exception {
    List<ModelUpdate> updates = new ArrayList<>();
    for (int round = 0; round < 15; round++) {
      ModelUpdate.Builder update =
          ModelUpdate.newBuilder()
              .setModelId("demo")
              .setRound(round)
              .addAllWeights(Collections.nCopies(3, 0.25))
              .addAllAverage(Collections.nCopies(3, 0.5))
              .setGradientBound(BOUND)
              .setGridExponent(ModelSpecs.gridExponent(BOUND))
              .setAnswerProbability(1);
      if (round >= 12) {
        update.setQuestionProbability(1);
        Statistic.Builder statistic = update.addStatisticsBuilder().getStatisticBuilder();
        statistic.setName("screen").getChoiceBuilder().addCategories("cart").addCategories("home");
        for (int c = 0; c < 30 && round == 13; c++) {
          statistic.getChoiceBuilder().addCategories("c" + c);
        }
      } else if (round % 4 == 1 || round % 4 == 2) {
        update.setSize(AdaptiveClip.Size.GRADIENT).setQuestionProbability(round % 4 == 1 ? 0 : 1);
      } else if (round % 4 == 3) {
        update.setQuestionProbability(1);
        update.addEstimatesBuilder().getQuestionBuilder().setName("hard").getLossAboveBuilder();
      }
      updates.add(update.build());
    }
    List<String> lines =
        updates.stream()
            .map(u -> u.getRound() % 3 + 0.5 + " " + HexFormat.of().formatHex(u.toByteArray()))
            .map(line -> line + " 0.3,-0.2,nan")
            .toList();
    List<String> sent = compare("reports", lines);
    assertThat(sent).hasSize(lines.size());
    for (int n = 0; n < sent.size(); n++) {
      byte[] bytes = HexFormat.of().parseHex(sent.get(n));
      GradientReport report = GradientReport.parseFrom(bytes);
      assertThat(GradientReports.violations(report)).isEmpty();
      assertThat(new ReportDecoder().decode("ada".getBytes(UTF_8), bytes, false, Source.unknown(0)))
          .isInstanceOf(Report.class);
      // Nothing that croupier.proto doesn't have, and the same bytes as Protobuf's own.
      assertThat(report.toByteArray()).isEqualTo(bytes);
      assertThat(report.getUserId()).isEqualTo("ada");
      assertThat(report.getRound()).isEqualTo(n);
      assertThat(report.getSequence()).isEqualTo(n);
      assertThat(report.getDeviceId()).hasSize(22);
      double epsilon = n % 3 + 0.5;
      if (n >= 12) {
        assertThat(report.getVote().getStatistic()).isEqualTo("screen");
        assertThat(report.getVote().hasSeed()).isEqualTo(n == 13);
        assertThat(report.getHashedResponse().getEpsilon()).isEqualTo(epsilon);
      } else if (n % 4 < 2) {
        assertThat(report.getPrivUnit().getEpsilon()).isEqualTo(epsilon);
        assertThat(GradientReports.isIndex(report.getCandidate(), report.getPrivUnit())).isTrue();
        assertThat(report.hasGradientBound()).isEqualTo(n % 4 == 1);
      } else {
        assertThat(report.getRandomisedResponse().getEpsilon()).isEqualTo(epsilon);
        assertThat(report.getAnswer().getQuestion()).isEqualTo(n % 4 == 2 ? "clip" : "hard");
      }
    }
  }

  private static List<String> compare(String what, List<String> lines) throws Exception {
    String script = SOURCES.resolve("tests/compare.py").toString();
    return run(String.join("\n", lines), python, script, what).lines().toList();
  }

  private static boolean isDone(String... command) throws Exception {
    try {
      return await(start("", command)) == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the output of a command that succeeds. */
  private static String run(String input, String... command) throws Exception {
    int status = await(start(input, command));
    String output = Files.readString(directory.resolve("output"));
    assertThat(status).as(output).isZero();
    return output;
  }

  private static Process start(String input, String... command) throws IOException {
    Path file = Files.writeString(directory.resolve("input"), input);
    return new ProcessBuilder(command)
        .redirectInput(file.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start();
  }

  private static int await(Process process) throws InterruptedException {
    try {
      assertThat(process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
