package io.croupier.bench.speed;

import io.croupier.bench.speed.Workload.MeasuredLearner;
import java.util.ArrayList;
import java.util.List;

/**
 * The cost of users in the ledger: each reports once, and then the timed reports follow.
 *
 * @param environment the broker and directories
 * @param scale size of the measurement
 */
record LedgerTable(BenchmarkEnvironment environment, BenchmarkScale scale) {
  static final List<String> COLUMNS =
      List.of(
          "users",
          "state",
          "reports/s",
          "CPU us a report",
          "of the pass-through's",
          "checkpoint, ms",
          "written for it, MB");

  private static final int DIMENSION = 10;

  List<List<String>> of(int users, List<String> backends) throws Exception {
    long records = users + scale.records(DIMENSION);
    String backlog =
        environment.backlog(new Reports(ReportForm.GRID, DIMENSION, users, 1), records, 1);
    List<List<String>> rows = new ArrayList<>();
    for (String backend : backends) {
      BacklogRun run = new BacklogRun(environment, 1, scale.interval(), backend);
      Workload workload = new Workload(MeasuredLearner.BANCO, ReportForm.GRID, DIMENSION, 1, 1);
      double before = run.passThrough(backlog, records, users).cpuMicros();
      BacklogRun.RunResult result = run.croupier(workload, backlog, records, users);
      double after = run.passThrough(backlog, records, users).cpuMicros();
      rows.add(
          List.of(
              "%,d".formatted(users),
              backend,
              "%,.0f".formatted(result.pace().perSecond()),
              "%.1f".formatted(result.pace().cpuMicros()),
              "%.2f".formatted(2 * result.pace().cpuMicros() / (before + after)),
              "%,.0f".formatted(result.checkpoints().ms()),
              "%,.1f".formatted(result.checkpoints().megabytes())));
    }
    environment.delete(List.of(backlog));
    return rows;
  }
}
