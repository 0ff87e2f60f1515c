package io.croupier.bench;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.operators.ledger.HeapAccount;
import io.croupier.operators.ledger.Ledger;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
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
  private static final double LEVEL = 0.0001;
  private static final Source SOURCE = new Source("gradients", 0, 0, 0);
  private static final VectorContent VECTOR =
      VectorContent.whole(VectorForm.DENSE, PackedVectors.encode(new double[] {0.5, 0.25}));

  /** The kind of limit, for both the model and the user. */
  @Param({"nothing", "epsilon", "mu", "epsilonAtDelta"})
  public String limit;

  private final HeapAccount[] accounts = new HeapAccount[USERS];
  private final Mechanism[] mechanisms = new Mechanism[2];
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
    Mechanism laplace = new L2LaplaceMechanism(LEVEL, 2);
    mechanisms[0] = laplace;
    mechanisms[1] = limit.equals("epsilon") ? laplace : new GaussianMechanism(LEVEL);
  }

  private static Report report(Mechanism mechanism, long number) {
    return new Report(
        new Header("m", 0, "user", "device", number, 0, 0), mechanism, VECTOR, number, SOURCE);
  }

  /** One report of the next user. */
  @Benchmark
  public AccountingEvent judge() {
    long turn = next / USERS;
    Report report = report(mechanisms[(int) (turn % 2)], turn);
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
