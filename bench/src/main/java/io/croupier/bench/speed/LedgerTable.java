package io.croupier.bench.speed;

import io.croupier.bench.speed.Workload.LearnerKind;
import java.util.ArrayList;
import java.util.List;

/**
 * What users cost who are in the ledger: each reports once, then come the reports that are timed.
 *
 * @param hall where to run
 * @param effort how long
 */
record LedgerTable(Hall hall, Effort effort) {
  static final List<String> COLUMNS =
      List.of(
          "users", "state", "reports/s", "CPU us a report", "checkpoint, ms", "written for it, MB");

  private static final int DIMENSION = 10;

  List<List<String>> of(int users, List<String> backends) throws Exception {
    long records = users + effort.records(DIMENSION);
    String backlog = hall.backlog(new Reports(DIMENSION, users, 1), records, 1);
    List<List<String>> rows = new ArrayList<>();
    for (String backend : backends) {
      Race.Result result =
          new Race(hall, 1, effort.interval(), backend)
              .croupier(new Workload(LearnerKind.BANCO, DIMENSION, 1, 1), backlog, records, users);
      rows.add(
          List.of(
              "%,d".formatted(users),
              backend,
              "%,.0f".formatted(result.pace().perSecond()),
              "%.1f".formatted(result.pace().cpuMicros()),
              "%,.0f".formatted(result.checkpoints().ms()),
              "%,.1f".formatted(result.checkpoints().megabytes())));
    }
    hall.delete(List.of(backlog));
    return rows;
  }
}
