package io.croupier.bench;

import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEventWriter;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Accounting of an admitted report of 2 coordinates, including its event: for users on the heap,
 * each with one model and one device, who alternate between pure and Gaussian noise unless the
 * limit is pure. With a delta, epsilon at that delta is computed for the model and for the user.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class LedgerBenchmark {
  private static final int USERS = 1000;

  /** The kind of limit, for both the model and the user. */
  @Param({"nothing", "epsilon", "mu", "epsilonAtDelta"})
  public String limit;

  private final HeapAccount[] accounts = new HeapAccount[USERS];
  private final Report[] reports = new Report[2];
  private final AccountingEventWriter writer = new AccountingEventWriter();
  private Ledger ledger;
  private ReportIntake intake;
  private long next;

  /** Creates users without reports, and limits that they don't reach. */
  @Setup
  public void prepare() {
    Limits limits =
        switch (limit) {
          case "nothing" -> Limits.getDefaultInstance();
          case "epsilon" -> Limits.newBuilder().setEpsilon(1e9).build();
          case "mu" -> Limits.newBuilder().setMu(1e3).build();
          case "epsilonAtDelta" -> Limits.newBuilder().setEpsilon(8).setDelta(1e-6).build();
          default -> throw new IllegalArgumentException("limit is " + limit);
        };
    ledger = new Ledger(limits);
    ModelSpec.Builder spec =
        ModelSpec.newBuilder()
            .setModelId("m")
            .setDimension(2)
            .setGradientBound(1)
            .setBlackBox(BlackBox.getDefaultInstance())
            .setLimits(limits);
    intake = new ReportIntake(spec.build(), 0);
    for (int i = 0; i < USERS; i++) {
      accounts[i] = new HeapAccount();
    }
    reports[0] = report(Declaration.L2_LAPLACE);
    reports[1] = report(limit.equals("epsilon") ? Declaration.L2_LAPLACE : Declaration.GAUSSIAN);
  }

  private static Report report(Declaration declaration) {
    Report report = new Report();
    report.modelId = "m";
    report.userId = "user";
    report.deviceId = "device";
    report.dimension = 2;
    report.values = PackedVectors.encode(new double[] {0.5, 0.25});
    report.declaration = declaration;
    report.level = 0.0001;
    report.topic = "gradients";
    return report;
  }

  /** One report of the next user. */
  @Benchmark
  public AccountingEvent judge() {
    long turn = next / USERS;
    Report report = reports[(int) (turn % 2)];
    report.sequence = turn;
    report.digest = turn;
    AccountingEvent event = ledger.judge(report, intake.terms(), accounts[(int) (next % USERS)]);
    next++;
    if (event.getOutcome() != AccountingEvent.Outcome.ADMITTED) {
      throw new IllegalStateException(event.getReason());
    }
    return event;
  }

  /** The same up to the bytes of the event's record. */
  @Benchmark
  public byte[] judgeAndWrite() {
    return writer.write(judge());
  }
}
