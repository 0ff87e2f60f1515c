package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.client.randomiser.BitRandomiser;
import io.croupier.client.randomiser.Calibration;
import io.croupier.client.randomiser.GridRandomiser;
import io.croupier.client.randomiser.HashedResponseRandomiser;
import io.croupier.client.randomiser.HashedResponseRandomiser.ReleasedGroup;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.schemas.GradientReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Reports of another program, with true and false declarations. True ones are refuted with a
 * probability of 1e-6 each.
 */
class ReleasesCommandTest {
  private static final int COUNT = 12_000;

  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Makes both files; {@code report} receives 1 for g and -1 for h. */
  private int audit(IntFunction<GradientReport.Builder> report, String... options)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    for (int sign : new int[] {1, -1}) {
      Path file = directory.resolve(sign > 0 ? "of-g.jsonl" : "of-h.jsonl");
      try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(file))) {
        for (int i = 0; i < COUNT; i++) {
          lines.println(json(report.apply(sign)));
        }
      }
      arguments.add(file.toString());
    }
    arguments.addAll(Arrays.asList(options));
    return new CommandLine(new ReleasesCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (exception, line, parsed) -> {
              err.append(exception.getMessage());
              return 2;
            })
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  private static String json(GradientReport.Builder report) throws InvalidProtocolBufferException {
    return JsonFormat.printer().omittingInsignificantWhitespace().print(report);
  }

  private static IntFunction<GradientReport.Builder> candidates(double drawn, double declared) {
    PrivUnitRandomiser randomiser = new PrivUnitRandomiser(1, 2, drawn);
    PrivUnitRandomiser claimed = new PrivUnitRandomiser(1, 2, declared);
    return sign -> {
      Choice choice = randomiser.choose(new double[] {sign, 0});
      GradientReport.Builder report = GradientReport.newBuilder();
      report.getCandidateBuilder().setDimension(2).setSeed(choice.seed()).setIndex(choice.index());
      report
          .getPrivUnitBuilder()
          .setEpsilon(declared)
          .setCandidates(claimed.law().candidates())
          .setTop(claimed.law().top());
      return report;
    };
  }

  @Test
  void candidatesAreComparedWithTheirDeclaration() throws IOException {
    assertThat(audit(candidates(2, 2))).as(err.toString()).isZero();
    assertThat(out.toString()).contains("Not refuted: priv-unit, epsilon 2.000, d 2");
    assertThat(audit(candidates(2, 1))).isOne();
    assertThat(out.toString()).contains("REFUTED: priv-unit, epsilon 1.000, d 2");
  }

  @Test
  void answersAreComparedWithTheirDeclaration() throws IOException {
    BitRandomiser randomiser = BitRandomiser.ofEpsilon(2);
    for (double declared : new double[] {2, 1.5}) {
      int code =
          audit(
              sign -> {
                GradientReport.Builder report = GradientReport.newBuilder();
                report.getAnswerBuilder().setQuestion("q").setBit(randomiser.release(sign > 0));
                report.getRandomisedResponseBuilder().setEpsilon(declared);
                return report;
              });
      assertThat(code).as(err.toString()).isEqualTo(declared == 2 ? 0 : 1);
    }
  }

  @Test
  void votesAreComparedWithTheirDeclaration() throws IOException {
    HashedResponseRandomiser randomiser = new HashedResponseRandomiser(2, 5);
    for (double declared : new double[] {2, 1.5}) {
      IntFunction<GradientReport.Builder> votes =
          sign -> {
            ReleasedGroup group = randomiser.release(sign > 0 ? 0 : 4);
            GradientReport.Builder report = GradientReport.newBuilder();
            report.getVoteBuilder().setStatistic("s").setSeed(group.seed()).setIndex(group.group());
            report
                .getHashedResponseBuilder()
                .setEpsilon(declared)
                .setGroups(randomiser.mechanism().groups());
            return report;
          };
      assertThat(audit(votes, "--categories", "5"))
          .as(err.toString())
          .isEqualTo(declared == 2 ? 0 : 1);
    }
  }

  @Test
  void noiseOnAGridIsComparedWithItsDeclaration() throws IOException {
    GridRandomiser randomiser = new Calibration(1, 2, -16, 1).l2Laplace(2);
    for (double declared : new double[] {2, 1}) {
      IntFunction<GradientReport.Builder> releases =
          sign -> {
            GradientReport.Builder report = GradientReport.newBuilder();
            for (int value : randomiser.randomise(new double[] {sign, 0})) {
              report.getGridBuilder().addValues(value);
            }
            report.getL2LaplaceBuilder().setEpsilon(declared);
            return report;
          };
      assertThat(audit(releases)).as(err.toString()).isEqualTo(declared == 2 ? 0 : 1);
    }
  }

  @Test
  void reportsOfOtherNoiseAreNamedByTheirLine() throws IOException {
    int[] count = {0};
    IntFunction<GradientReport.Builder> two = candidates(2, 2);
    IntFunction<GradientReport.Builder> one = candidates(1, 1);
    int code = audit(sign -> (++count[0] == 7 ? one : two).apply(sign));

    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains("of-g.jsonl, line 7: the report declares other noise");
  }
}
