package io.croupier.bench.speed;

import io.croupier.bench.speed.StreamsLedger.Program;
import io.croupier.bench.speed.Workload.MeasuredLearner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Reports per second of the job, compared with records per second of the pass-through job, which
 * runs before and after every run of the job, so that other load slows both; and with two
 * applications of Kafka Streams, which run after every run of the job.
 *
 * @param environment the broker and directories
 * @param scale size of the measurement
 */
record RateTable(BenchmarkEnvironment environment, BenchmarkScale scale) {
  static final List<String> COLUMNS =
      List.of(
          "",
          "form",
          "d",
          "r",
          "bytes a report",
          "reports/s",
          "pass-through/s",
          "ratio",
          "lowest to highest",
          "CPU us a report",
          "of pass-through, CPU us",
          "ratio of CPU",
          "bundles",
          "counting/s",
          "of counting, CPU us",
          "ratio of CPU to it",
          "judging/s",
          "of judging, CPU us",
          "ratio of CPU to it");

  /**
   * The rate excludes the first 1 / {@value} of a run's records: each run starts a cluster, some of
   * whose classes are loaded and compiled anew.
   */
  private static final int EXCLUDED_PART = 8;

  /** One model, for every dimension, form of reports, learner and size of a round. */
  List<List<String>> ofDimensions(List<Integer> dimensions, List<ReportForm> forms)
      throws Exception {
    List<List<String>> rows = new ArrayList<>();
    for (int dimension : dimensions) {
      List<Workload> workloads = new ArrayList<>();
      for (ReportForm form : forms) {
        List<Workload> ofForm = new ArrayList<>();
        for (MeasuredLearner learner : MeasuredLearner.values()) {
          for (int reportsPerRound : new int[] {1, 100}) {
            ofForm.add(new Workload(learner, form, dimension, reportsPerRound, 1));
          }
        }
        workloads.addAll(ofForm.subList(0, scale.workloads()));
      }
      rows.addAll(race(workloads, dimension, 1));
    }
    return rows;
  }

  /** BANCO with r = 1, by parallelism. */
  List<List<String>> ofSubtasks(int models, int dimension) throws Exception {
    List<List<String>> rows = new ArrayList<>();
    for (int parallelism : new int[] {1, 2}) {
      for (List<String> row :
          race(
              List.of(new Workload(MeasuredLearner.BANCO, ReportForm.GRID, dimension, 1, models)),
              dimension,
              parallelism)) {
        List<String> named = new ArrayList<>(row);
        named.set(0, "%d models, parallelism %d".formatted(models, parallelism));
        rows.add(named);
      }
    }
    return rows;
  }

  /** Runs of all workloads alternate, so that other load slows grid and candidates alike. */
  private List<List<String>> race(List<Workload> workloads, int dimension, int parallelism)
      throws Exception {
    BacklogRun run = new BacklogRun(environment, parallelism, scale.interval(), "hashmap");
    // The same number of reports of each form.
    long records = scale.records(dimension);
    long from = records / EXCLUDED_PART;
    Map<ReportForm, String> backlogs = new EnumMap<>(ReportForm.class);
    List<AlternatingRuns> runs = new ArrayList<>();
    for (Workload workload : workloads) {
      if (!backlogs.containsKey(workload.form())) {
        Reports reports = new Reports(workload.form(), dimension, scale.users(), workload.models());
        backlogs.put(workload.form(), environment.backlog(reports, records, parallelism));
      }
      double bytes = (double) environment.bytes(backlogs.get(workload.form())) / records;
      runs.add(new AlternatingRuns(workload, bytes));
    }
    // The first runs are for the JIT compiler.
    for (ReportForm form : backlogs.keySet()) {
      List<Workload> ofForm = workloads.stream().filter(w -> w.form() == form).toList();
      for (int i = 0; i < scale.warmUps(); i++) {
        run.passThrough(backlogs.get(form), records, from);
        run.croupier(ofForm.get(i % ofForm.size()), backlogs.get(form), records, from);
        for (Program program : Program.values()) {
          run.streams(program, backlogs.get(form), records, from);
        }
      }
    }
    for (int i = 0; i < scale.repetitions(); i++) {
      String last = "";
      Commits.Pace before = null;
      for (AlternatingRuns turn : runs) {
        String backlog = backlogs.get(turn.workload.form());
        if (!backlog.equals(last)) {
          before = run.passThrough(backlog, records, from);
          last = backlog;
        }
        BacklogRun.RunResult own = run.croupier(turn.workload, backlog, records, from);
        Map<Program, Commits.Pace> streams = new EnumMap<>(Program.class);
        for (Program program : Program.values()) {
          streams.put(program, run.streams(program, backlog, records, from));
        }
        Commits.Pace after = run.passThrough(backlog, records, from);
        turn.add(own, streams, before, after);
        before = after;
      }
    }
    environment.delete(backlogs.values());
    return runs.stream().map(AlternatingRuns::row).toList();
  }

  /**
   * The results of a workload's runs, each compared with the pass-through runs before and after it,
   * and with the runs of Kafka Streams.
   */
  private static final class AlternatingRuns {
    private final Workload workload;
    private final double bytes;
    private final List<Commits.Pace> own = new ArrayList<>();
    private final List<Commits.Pace> copies = new ArrayList<>();
    private final Map<Program, List<Commits.Pace>> streams = new EnumMap<>(Program.class);
    private final List<Long> bundles = new ArrayList<>();

    AlternatingRuns(Workload workload, double bytes) {
      this.workload = workload;
      this.bytes = bytes;
    }

    void add(
        BacklogRun.RunResult result,
        Map<Program, Commits.Pace> streamsRuns,
        Commits.Pace before,
        Commits.Pace after) {
      own.add(result.pace());
      bundles.add(result.bundles());
      streamsRuns.forEach(
          (program, pace) -> streams.computeIfAbsent(program, p -> new ArrayList<>()).add(pace));
      copies.add(
          new Commits.Pace(
              (before.perSecond() + after.perSecond()) / 2,
              (before.cpuMicros() + after.cpuMicros()) / 2));
    }

    List<String> row() {
      double[] ratios = ratios(copies, Commits.Pace::perSecond);
      List<String> row = new ArrayList<>();
      Collections.addAll(
          row,
          workload.learner().name().toLowerCase(Locale.ROOT),
          workload.form().name().toLowerCase(Locale.ROOT),
          "%,d".formatted(workload.dimension()),
          Integer.toString(workload.reportsPerRound()),
          "%,.0f".formatted(bytes),
          "%,.0f".formatted(median(own, Commits.Pace::perSecond)),
          "%,.0f".formatted(median(copies, Commits.Pace::perSecond)),
          "%.2f".formatted(median(ratios)),
          "%.2f to %.2f".formatted(ratios[0], ratios[ratios.length - 1]),
          "%.1f".formatted(median(own, Commits.Pace::cpuMicros)),
          "%.1f".formatted(median(copies, Commits.Pace::cpuMicros)),
          "%.2f".formatted(median(ratios(copies, Commits.Pace::cpuMicros))),
          "%,.0f".formatted(median(bundles.stream().mapToDouble(Long::doubleValue).toArray())));
      for (List<Commits.Pace> paces : streams.values()) {
        row.add("%,.0f".formatted(median(paces, Commits.Pace::perSecond)));
        row.add("%.1f".formatted(median(paces, Commits.Pace::cpuMicros)));
        row.add("%.2f".formatted(median(ratios(paces, Commits.Pace::cpuMicros))));
      }
      return row;
    }

    /** The figures of the job's runs over those of the runs beside them, in ascending order. */
    private double[] ratios(List<Commits.Pace> others, ToDoubleFunction<Commits.Pace> figure) {
      return IntStream.range(0, own.size())
          .mapToDouble(i -> figure.applyAsDouble(own.get(i)) / figure.applyAsDouble(others.get(i)))
          .sorted()
          .toArray();
    }

    private static double median(List<Commits.Pace> paces, ToDoubleFunction<Commits.Pace> figure) {
      return median(paces.stream().mapToDouble(figure).toArray());
    }

    private static double median(double[] values) {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      int half = sorted.length / 2;
      return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
  }
}
