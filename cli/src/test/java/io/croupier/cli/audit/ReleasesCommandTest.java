package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.CommandRun;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reports of another program, with true and false declarations. True ones are refuted with a
 * probability of 1e-6 each.
 */
class ReleasesCommandTest {
  private static final String VOTE =
      "vote { statistic: 's' index: 4 } hashed_response { epsilon: 2 groups: 5 }";

  @TempDir Path directory;
  private int reports = 12_000;

  /** Makes both files; {@code report} receives 1 for g and -1 for h. */
  private CommandRun audit(IntFunction<GradientReport.Builder> report, String... options)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    for (int sign : new int[] {1, -1}) {
      Path file = directory.resolve(sign > 0 ? "of-g.jsonl" : "of-h.jsonl");
      try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(file))) {
        for (int i = 0; i < reports; i++) {
          lines.println(json(report.apply(sign)));
        }
      }
      arguments.add(file.toString());
    }
    arguments.addAll(Arrays.asList(options));
    return CommandRun.of(new ReleasesCommand(), arguments.toArray(String[]::new));
  }

  private static String json(GradientReport.Builder report) throws InvalidProtocolBufferException {
    return JsonFormat.printer().omittingInsignificantWhitespace().print(report);
  }

  private static GradientReport.Builder report(String text) throws IOException {
    return TextFormat.parse(text, GradientReport.class).toBuilder();
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

  /** A refutation fails the command, and says so. */
  private static void assertShows(boolean isTrue, CommandRun run) {
    assertThat(run.failure()).isNull();
    assertThat(run.code()).as(run.out()).isEqualTo(isTrue ? 0 : 1);
    assertThat(run.out()).contains(isTrue ? "Not refuted: " : "REFUTED: ");
  }

  @Tag("ci")
  @Test
  void candidatesAreComparedWithTheirDeclaration() throws IOException {
    assertThat(audit(candidates(2, 2)).succeeded().out())
        .contains("Not refuted: priv-unit, epsilon 2.000, d 2");
    assertThat(audit(candidates(2, 1)).out()).contains("REFUTED: priv-unit, epsilon 1.000, d 2");
  }

  @Tag("thorough")
  @Test
  void answersAreComparedWithTheirDeclaration() throws IOException {
    BitRandomiser randomiser = BitRandomiser.ofEpsilon(2);
    for (double declared : new double[] {2, 1.5}) {
      CommandRun run =
          audit(
              sign -> {
                GradientReport.Builder report = GradientReport.newBuilder();
                report.getAnswerBuilder().setQuestion("q").setBit(randomiser.release(sign > 0));
                report.getRandomisedResponseBuilder().setEpsilon(declared);
                return report;
              });
      assertShows(declared == 2, run);
    }
  }

  @Tag("thorough")
  @Test
  void votesAreComparedWithTheirDeclaration() throws IOException {
    HashedResponseRandomiser randomiser = new HashedResponseRandomiser(2, 5);
    for (double declared : new double[] {2, 1.5}) {
      IntFunction<GradientReport.Builder> votes =
          sign -> {
            ReleasedGroup group = randomiser.release(sign > 0 ? 0 : 4);
            GradientReport.Builder report = GradientReport.newBuilder();
            report.getVoteBuilder().setStatistic("s").setIndex(group.group());
            report
                .getHashedResponseBuilder()
                .setEpsilon(declared)
                .setGroups(randomiser.mechanism().groups());
            return report;
          };
      assertShows(declared == 2, audit(votes, "--categories", "5"));
    }
  }

  @Tag("thorough")
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
      assertShows(declared == 2, audit(releases));
    }
  }

  @Test
  void reportsOfOtherNoiseAreNamedByTheirLine() throws IOException {
    int[] count = {0};
    IntFunction<GradientReport.Builder> two = candidates(2, 2);
    IntFunction<GradientReport.Builder> one = candidates(1, 1);
    audit(sign -> (++count[0] == 7 ? one : two).apply(sign))
        .assertRefused("of-g.jsonl, line 7: the report declares other noise");
  }

  /** An index that no device can draw would otherwise be taken for a group or a candidate. */
  @Test
  void whatNoDeviceReleasesIsNamedByItsLine() throws IOException {
    reports = 10;
    IntFunction<GradientReport.Builder> candidate = candidates(2, 2);
    GradientReport.Builder vote = report(VOTE);
    GradientReport.Builder grid = report("grid { values: 1 } l2_laplace { epsilon: 2 }");
    GradientReport.Builder answer =
        report("answer { question: 'q' bit: true } randomised_response { epsilon: 2 }");

    String indexOfCandidate = "candidate.index must be from 0 to priv_unit.candidates - 1";
    for (int index : new int[] {-1, candidate.apply(1).getPrivUnit().getCandidates()}) {
      assertRefused(
          candidate.apply(1), r -> r.getCandidateBuilder().setIndex(index), indexOfCandidate);
    }
    for (int index : new int[] {-1, 5}) {
      assertRefused(
          vote,
          r -> r.getVoteBuilder().setIndex(index),
          "vote.index must be from 0 to hashed_response.groups - 1",
          "--categories",
          "5");
    }
    assertRefused(
        candidate.apply(1),
        r -> r.getCandidateBuilder().clearIndex(),
        "candidate.index is missing");
    assertRefused(candidate.apply(1), r -> r.getTokenBuilder(), "gradient is token");
    assertRefused(answer, r -> r.getAnswerBuilder().clearBit(), "answer.bit is missing");
    assertRefused(grid, r -> r.getGridBuilder().clear(), "grid.values must not be empty");
    assertRefused(grid, GradientReport.Builder::clearGradient, "gradient is missing");
  }

  @Test
  void votesMustBeThoseOfTheCategories() throws IOException {
    reports = 10;
    GradientReport.Builder vote = report(VOTE);

    audit(sign -> vote, "--categories", "6").assertRefused("it must have 6 groups and no seed");
    audit(sign -> vote, "--categories", "1")
        .assertRefused("--categories is 1; it must be from 2 to 4096");
  }

  private void assertRefused(
      GradientReport.Builder right,
      Consumer<GradientReport.Builder> change,
      String reason,
      String... options)
      throws IOException {
    GradientReport.Builder wrong = right.clone();
    change.accept(wrong);
    int[] count = {0};
    audit(sign -> ++count[0] == 7 ? wrong : right, options)
        .assertRefused("of-g.jsonl, line 7: " + reason);
  }
}
