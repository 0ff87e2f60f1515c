package io.croupier.studies;

import io.croupier.bench.MarkdownPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that runs the studies. */
@Command(
    name = "studies",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures the learners' excess risk, mostly on simulated people: tables in Markdown and CSV,"
          + " pictures in PNG.",
      "",
      "Studies: excess-risk, rounds, plan, demo, drift, statistics, experiment. The same seed gives the"
          + " same files, bit for bit, on any number of threads. The noise comes from a seeded generator and"
          + " protects no person."
    })
public final class Studies implements Callable<Integer> {

  /** Steps of a learner, in the unit of the progress bar. */
  private static final long MILLION = 1_000_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "Output directory; created if missing.")
  private Path out;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "Studies to run (default: all).")
  private List<String> only;

  @Option(
      names = "--replications",
      paramLabel = "N",
      description = "Independent runs of everything (default: each study's own, 4 to 40).")
  private Integer replications;

  @Option(
      names = "--seed",
      paramLabel = "SEED",
      defaultValue = "1",
      description = "Seed of all random values (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Concurrent trials (default: the number of processors).")
  private Integer threads;

  @Option(
      names = "--quick",
      description = "Use far too few people, only to check that the command works.")
  private boolean quick;

  /** Runs the command. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command line, for execution in any process. */
  public static CommandLine commandLine() {
    return new CommandLine(new Studies());
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    requirePositive("--replications", replications);
    requirePositive("--threads", threads);
    List<Study> studies = chosen();
    Files.createDirectories(out);
    PrintWriter terminal = spec.commandLine().getErr();
    try (ProgressBar bar = bar(studies);
        Runner runner =
            new Runner(
                threads == null ? Runtime.getRuntime().availableProcessors() : threads,
                bar::stepBy)) {
      for (Study study : studies) {
        bar.setExtraMessage(" " + study.name());
        MarkdownPage page = new MarkdownPage(out, study.name());
        study.run(runner, seed + study.name().hashCode(), page);
        page.save();
      }
    }
    terminal.println("Written to " + out);
    return 0;
  }

  private static ProgressBar bar(List<Study> studies) {
    long work = studies.stream().mapToLong(Study::work).sum();
    return new ProgressBarBuilder()
        .setTaskName("Steps")
        .setInitialMax(work)
        .setUnit("M", MILLION)
        .setStyle(ProgressBarStyle.UNICODE_BLOCK)
        .build();
  }

  private List<Study> chosen() {
    int runs = replications == null ? 0 : replications;
    StudyScale scale = quick ? StudyScale.quick(runs) : StudyScale.full(runs);
    List<Study> all =
        List.of(
            new ExcessRiskStudy(scale),
            new RoundsStudy(scale),
            new PlanStudy(scale),
            new DemoStudy(scale),
            new DriftStudy(scale),
            new StatisticsStudy(scale),
            new ExperimentStudy(scale));
    if (only == null) {
      return all;
    }
    List<Study> chosen = new ArrayList<>();
    for (String name : only) {
      chosen.add(
          all.stream()
              .filter(study -> study.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new ParameterException(
                          spec.commandLine(),
                          "--only: there is no study %s; there are %s"
                              .formatted(name, all.stream().map(Study::name).toList()))));
    }
    return chosen;
  }

  private void requirePositive(String option, Integer value) {
    if (value != null && value < 1) {
      throw new ParameterException(
          spec.commandLine(), "%s is %d; it must be at least 1".formatted(option, value));
    }
  }
}
