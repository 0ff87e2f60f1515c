package io.croupier.bench.speed;

import io.croupier.bench.speed.Workload.MeasuredLearner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Reports per second of the job, compared with records per second of the pass-through job, which
 * runs before and after every run of the job, so that other load slows both.
 *
 * @param environment the broker and directories
 * @param scale size of the measurement
 */
record RateTable(BenchmarkEnvironment environment, BenchmarkScale scale) {
  static final List<String> COLUMNS =
      List.of(
          "",
          "d",
          "r",
          "reports/s",
          "pass-through/s",
          "ratio",
          "lowest to highest",
          "CPU us a report",
          "of pass-through, CPU us",
          "ratio of CPU",
          "bundles");

  /** One model, for every dimension, learner and size of a round. */
  List<List<String>> ofDimensions(List<Integer> dimensions) throws Exception {
    List<List<String>> rows = new ArrayList<>();
    for (int dimension : dimensions) {
      List<Workload> workloads = new ArrayList<>();
      for (MeasuredLearner learner : MeasuredLearner.values()) {
        for (int reportsPerRound : new int[] {1, 100}) {
          workloads.add(new Workload(learner, dimension, reportsPerRound, 1));
        }
      }
      rows.addAll(race(workloads.subList(0, scale.workloads()), dimension, 1));
    }
    return rows;
  }

  /** BANCO with r = 1, by parallelism. */
  List<List<String>> ofSubtasks(int models, int dimension) throws Exception {
    List<List<String>> rows = new ArrayList<>();
    for (int parallelism : new int[] {1, 2}) {
      for (List<String> row :
          race(
              List.of(new Workload(MeasuredLearner.BANCO, dimension, 1, models)),
              dimension,
              parallelism)) {
        List<String> told = new ArrayList<>(row);
        told.set(0, "%d models, parallelism %d".formatted(models, parallelism));
        rows.add(told);
      }
    }
    return rows;
  }

  private List<List<String>> race(List<Workload> workloads, int dimension, int parallelism)
      throws Exception {
    BacklogRun run = new BacklogRun(environment, parallelism, scale.interval(), "hashmap");
    long records = scale.records(dimension);
    int models = workloads.get(0).models();
    String backlog =
        environment.backlog(new Reports(dimension, scale.users(), models), records, parallelism);
    List<AlternatingRuns> runs = workloads.stream().map(AlternatingRuns::new).toList();
    // The first runs are for the JIT compiler.
    for (int i = 0; i < scale.warmUps(); i++) {
      run.passThrough(backlog, records);
      run.croupier(workloads.get(i % workloads.size()), backlog, records, 0);
    }
    Commits.Pace before = run.passThrough(backlog, records).pace();
    for (int i = 0; i < scale.repetitions(); i++) {
      for (AlternatingRuns turn : runs) {
        BacklogRun.RunResult own = run.croupier(turn.workload, backlog, records, 0);
        Commits.Pace after = run.passThrough(backlog, records).pace();
        turn.add(own, before, after);
        before = after;
      }
    }
    environment.delete(List.of(backlog));
    return runs.stream().map(AlternatingRuns::row).toList();
  }

  /**
   * The results of a workload's runs, each compared with the pass-through runs before and after it.
   */
  private static final class AlternatingRuns {
    private final Workload workload;
    private final List<Commits.Pace> own = new ArrayList<>();
    private final List<Commits.Pace> others = new ArrayList<>();
    private final List<Long> bundles = new ArrayList<>();

    AlternatingRuns(Workload workload) {
      this.workload = workload;
    }

    void add(BacklogRun.RunResult result, Commits.Pace before, Commits.Pace after) {
      own.add(result.pace());
      bundles.add(result.bundles());
      others.add(
          new Commits.Pace(
              (before.perSecond() + after.perSecond()) / 2,
              (before.cpuMicros() + after.cpuMicros()) / 2));
    }

    List<String> row() {
      double[] ratios = new double[own.size()];
      double[] cpu = new double[own.size()];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = own.get(i).perSecond() / others.get(i).perSecond();
        cpu[i] = own.get(i).cpuMicros() / others.get(i).cpuMicros();
      }
      Arrays.sort(ratios);
      return List.of(
          workload.learner().name().toLowerCase(Locale.ROOT),
          "%,d".formatted(workload.dimension()),
          Integer.toString(workload.reportsPerRound()),
          "%,.0f".formatted(median(own.stream().mapToDouble(Commits.Pace::perSecond).toArray())),
          "%,.0f".formatted(median(others.stream().mapToDouble(Commits.Pace::perSecond).toArray())),
          "%.2f".formatted(median(ratios)),
          "%.2f to %.2f".formatted(ratios[0], ratios[ratios.length - 1]),
          "%.1f".formatted(median(own.stream().mapToDouble(Commits.Pace::cpuMicros).toArray())),
          "%.1f".formatted(median(others.stream().mapToDouble(Commits.Pace::cpuMicros).toArray())),
          "%.2f".formatted(median(cpu)),
          "%,.0f".formatted(median(bundles.stream().mapToDouble(Long::doubleValue).toArray())));
    }

    private static double median(double[] values) {
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      int half = sorted.length / 2;
      return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
  }
}
