package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import io.croupier.operators.model.Trim;
import io.croupier.studies.SuiteProblem.NoiseKind;
import io.croupier.studies.SuiteProblem.NoiseStrength;
import io.croupier.studies.TrimStudy.Level;
import io.croupier.studies.TrimStudy.LevelSetting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The tables and pictures of {@link TrimStudy}. */
final class TrimReport {
  /** Excess risk of the oracle below which ratios to it are meaningless. */
  private static final double SOLVED = 1e-9;

  /** Where pictures draw reports that aren't trimmed. */
  private static final double DRAWN_UNTRIMMED = 8;

  private static final int JOBS = TrimStudy.REACHES.indexOf(Trim.REACH);

  /** Problems whose people add noise of like strength. */
  private record Group(String label, Predicate<SuiteProblem> contains) {

    static Group of(String label, NoiseStrength... strengths) {
      return new Group(label, problem -> List.of(strengths).contains(problem.privacy()));
    }

    static Group of(NoiseKind kind) {
      return new Group(
          kind.name().toLowerCase(Locale.ROOT),
          problem -> problem.kind() == kind && problem.privacy() != NoiseStrength.NONE);
    }
  }

  private static final List<Group> STRENGTHS =
      List.of(
          Group.of("eps 0.5, 1", NoiseStrength.HALF_EPSILON, NoiseStrength.EPSILON_1),
          Group.of("eps 4", NoiseStrength.EPSILON_4),
          Group.of("eps 16", NoiseStrength.EPSILON_16),
          Group.of("no noise", NoiseStrength.NONE),
          Group.of("mix", NoiseStrength.MIX),
          Group.of("half", NoiseStrength.HALF),
          Group.of("burst", NoiseStrength.BURST));

  private static final List<Group> KINDS =
      List.of(NoiseKind.values()).stream().map(Group::of).toList();

  private final MarkdownPage page;
  private final int men;

  TrimReport(MarkdownPage page, int men) {
    this.page = page;
    this.men = men;
  }

  /** The risks of one problem, of every trim. */
  private record Risks(SuiteProblem problem, List<Double> byTrim, double oracle, double zero) {
    boolean isLearnable() {
      return zero >= 2 * oracle;
    }

    boolean isMarginal() {
      return !isLearnable() && zero >= 1.2 * oracle;
    }

    /** Over that of the job's trim. */
    double change(int trim) {
      return byTrim.get(trim) / byTrim.get(JOBS);
    }
  }

  /** Writes what the study is about. */
  void begin() {
    page.title("How far to trim reports");
    page.paragraph(
        "This study changes one constant of the adaptive radius: the norm to which each report is"
            + " trimmed before it enters its round, in units of the gradient bound. The job trims to"
            + " 2. *none*: reports enter as they are. All else stays, also the constants of the"
            + " bets; with trims above 2.4 the proof about the evidence doesn't hold."
            + " All trims see the same people. The problems are the half of [the suite](adaptive-radius.md)"
            + " that the page on learners with nothing to tune leaves out, and then three on which people report by"
            + " one mechanism.");
  }

  /** Writes the tables of the suite after some people. */
  void suite(String heading, List<SuiteProblem> problems, List<CellResult> results, int at) {
    List<Risks> risks = risks(problems, results, at);
    Cell cell = results.get(0).cell();
    int people = cell.checkpoints().get(at) * cell.reportsPerRound();
    page.heading(heading.formatted(people));
    page.paragraph(
        ("%d problems, %d replications: %d learnable, %d marginal, %d noise-dominated; %d that the best"
                + " tuned LDP-ASGD solves exactly are left out. Excess risk over that of the best"
                + " LDP-ASGD of 11 step sizes:")
            .formatted(
                results.size(),
                cell.replications(),
                risks.stream().filter(Risks::isLearnable).count(),
                risks.stream().filter(Risks::isMarginal).count(),
                risks.stream().filter(r -> !r.isLearnable() && !r.isMarginal()).count(),
                results.size() - risks.size()));
    page.table(
        List.of(
            "trim",
            "learnable: geo. mean",
            "median",
            "90 %",
            "worst",
            "<= 2",
            "marginal: geo. mean",
            "noise-dominated: worst / zero",
            "better than the job's by 10 %",
            "worse by 10 %"),
        IntStream.range(0, TrimStudy.REACHES.size()).mapToObj(i -> row(risks, i)).toList());
    page.paragraph("Geometric means of the learnable problems, by noise (number of problems):");
    groups(risks, STRENGTHS);
    page.paragraph("The same by the law of the noise, without the problems that have none:");
    groups(risks, KINDS);
  }

  private static List<Risks> risks(List<SuiteProblem> problems, List<CellResult> results, int at) {
    List<Risks> risks = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      CellResult result = results.get(i);
      double oracle = result.oracle(at, Trial.Risk::average).risk().mean();
      List<Double> byTrim =
          TrimStudy.REACHES.stream()
              .map(reach -> result.average(TrimStudy.label(reach), at).mean())
              .toList();
      if (oracle >= SOLVED) {
        risks.add(new Risks(problems.get(i), byTrim, oracle, result.zero()));
      }
    }
    return risks;
  }

  private static List<String> row(List<Risks> risks, int trim) {
    Ratios learnable = new Ratios();
    Ratios marginal = new Ratios();
    Ratios hopeless = new Ratios();
    for (Risks problem : risks) {
      double risk = problem.byTrim.get(trim);
      if (problem.isLearnable()) {
        learnable.add(risk / problem.oracle);
      } else if (problem.isMarginal()) {
        marginal.add(risk / problem.oracle);
      } else {
        hopeless.add(risk / problem.zero());
      }
    }
    return List.of(
        TrimStudy.label(TrimStudy.REACHES.get(trim)),
        NumberLabels.fixed(learnable.geometricMean(), 2),
        NumberLabels.fixed(learnable.quantile(0.5), 2),
        NumberLabels.short3(learnable.quantile(0.9)),
        NumberLabels.short3(learnable.quantile(1)),
        NumberLabels.percent(learnable.shareUpTo(2)),
        NumberLabels.fixed(marginal.geometricMean(), 2),
        NumberLabels.short3(hopeless.quantile(1)),
        String.valueOf(risks.stream().filter(r -> r.change(trim) < 1 / 1.1).count()),
        String.valueOf(risks.stream().filter(r -> r.change(trim) > 1.1).count()));
  }

  private void groups(List<Risks> risks, List<Group> groups) {
    List<String> columns = new ArrayList<>(List.of("trim"));
    for (Group group : groups) {
      columns.add("%s (%d)".formatted(group.label, ratios(risks, group, JOBS).count()));
    }
    List<List<String>> rows = new ArrayList<>();
    for (int trim = 0; trim < TrimStudy.REACHES.size(); trim++) {
      List<String> row = new ArrayList<>(List.of(TrimStudy.label(TrimStudy.REACHES.get(trim))));
      for (Group group : groups) {
        row.add(NumberLabels.short3(ratios(risks, group, trim).geometricMean()));
      }
      rows.add(row);
    }
    page.table(columns, rows);
  }

  /** Of the learnable problems of a group. */
  private static Ratios ratios(List<Risks> risks, Group group, int trim) {
    Ratios ratios = new Ratios();
    risks.stream()
        .filter(Risks::isLearnable)
        .filter(risk -> group.contains.test(risk.problem))
        .forEach(risk -> ratios.add(risk.byTrim.get(trim) / risk.oracle));
    return ratios;
  }

  /** Draws one curve for each strength of noise. */
  void pictures(List<SuiteProblem> problems, List<CellResult> results, int at) throws IOException {
    List<Risks> risks = risks(problems, results, at);
    Plot plot =
        new Plot(
            "Learnable problems by noise",
            "trim in units of the gradient bound; at 8: none",
            "excess risk / that of the best tuned LDP-ASGD");
    for (int g = 0; g < STRENGTHS.size(); g++) {
      Group group = STRENGTHS.get(g);
      if (ratios(risks, group, JOBS).count() > 0) {
        double[] ratios =
            IntStream.range(0, TrimStudy.REACHES.size())
                .mapToDouble(trim -> ratios(risks, group, trim).geometricMean())
                .toArray();
        plot.curve(group.label, drawn(), ratios, ChartStyle.colour(g), g % 4);
      }
    }
    page.picture("noise", plot);
  }

  private static double[] drawn() {
    return TrimStudy.REACHES.stream()
        .mapToDouble(reach -> Math.min(reach, DRAWN_UNTRIMMED))
        .toArray();
  }

  /** Writes the table and the picture of one mechanism. */
  void mechanism(
      StudiedMechanism mechanism,
      List<LearningProblem> problems,
      List<Level> levels,
      Map<LevelSetting, List<double[]>> measured)
      throws IOException {
    page.heading(mechanism.label);
    page.paragraph(
        ("%s people report once each, by `%s`, each report a round of its own, at the newest"
                + " weights; %d replications. Entries: mean excess loss of the published average"
                + " (standard error). *0.5, 2, 8*: each person one of these epsilons, at random."
                + " `abs`: features on the unit sphere, ||w*|| = sqrt(d), G = 1. Doing nothing costs"
                + " %s.")
            .formatted(
                String.format(Locale.ROOT, "%,d", men),
                mechanism.label,
                measured.get(new LevelSetting(problems.get(0), levels.get(0))).size(),
                String.join(
                    ", ",
                    problems.stream()
                        .map(p -> NumberLabels.short3(p.zero()) + " (" + p.label() + ")")
                        .toList())));
    List<String> columns = new ArrayList<>(List.of("problem", "trim"));
    levels.forEach(level -> columns.add(level.label()));
    List<List<String>> rows = new ArrayList<>();
    for (LearningProblem problem : problems) {
      for (int trim = 0; trim < TrimStudy.REACHES.size(); trim++) {
        List<String> row = new ArrayList<>();
        row.add(problem.label());
        row.add(TrimStudy.label(TrimStudy.REACHES.get(trim)));
        for (Level level : levels) {
          row.add(estimate(measured.get(new LevelSetting(problem, level)), trim).toString());
        }
        rows.add(row);
      }
    }
    page.table(columns, rows);
    page.picture(
        mechanism.label.replace('_', '-'), picture(mechanism, problems.get(0), levels, measured));
  }

  private static Estimate estimate(List<double[]> excesses, int learner) {
    return Estimate.of(excesses.stream().mapToDouble(excess -> excess[learner]).toArray());
  }

  private static Plot picture(
      StudiedMechanism mechanism,
      LearningProblem problem,
      List<Level> levels,
      Map<LevelSetting, List<double[]>> measured) {
    Plot plot =
        new Plot(
            "%s, %s".formatted(problem.label(), mechanism.label),
            "trim in units of the gradient bound; at 8: none",
            "excess loss of the average");
    for (int l = 0; l < levels.size(); l++) {
      List<double[]> excesses = measured.get(new LevelSetting(problem, levels.get(l)));
      double[] means =
          IntStream.range(0, TrimStudy.REACHES.size())
              .mapToDouble(trim -> estimate(excesses, trim).mean())
              .toArray();
      plot.curve(levels.get(l).label(), drawn(), means, ChartStyle.colour(l), l % 4);
    }
    return plot;
  }
}
