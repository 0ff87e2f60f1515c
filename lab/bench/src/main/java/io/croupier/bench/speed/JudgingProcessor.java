package io.croupier.bench.speed;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.client.randomiser.PrivUnitRandomiser;
import io.croupier.noise.CandidateVectors;
import io.croupier.schemas.Account;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Position;
import io.croupier.schemas.Spend;
import java.nio.ByteBuffer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * What a user would write instead of this job, with the generated classes of the records: it
 * decodes each report, refuses numbers that a device has used, keeps what each user has spent under
 * a limit, writes an event, and adds the gradient to the sum of its model.
 *
 * <p>It does less than the job. It keeps no digests and one device's highest number; its sums are
 * those of one partition; nothing is rounded exactly, published or trained; and nothing but the
 * number and the limit is checked.
 */
final class JudgingProcessor implements Processor<byte[], byte[], byte[], byte[]> {
  static final String ACCOUNTS = "accounts";
  static final String SUMS = "sums";

  /** The limit, in mu or epsilon; no user of the benchmark reaches it. */
  private static final double LIMIT = 1e9;

  /** The step of the grid of {@link ReportForm#GRID}. */
  private static final double STEP = 0x1p-16;

  private ProcessorContext<byte[], byte[]> context;
  private KeyValueStore<Bytes, byte[]> accounts;
  private KeyValueStore<Bytes, byte[]> sums;
  private PrivUnitLaw law;

  @Override
  public void init(ProcessorContext<byte[], byte[]> initial) {
    context = initial;
    accounts = initial.getStateStore(ACCOUNTS);
    sums = initial.getStateStore(SUMS);
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    try {
      GradientReport report = GradientReport.parseFrom(record.value());
      Bytes user = Bytes.wrap(record.key());
      byte[] stored = accounts.get(user);
      Account before = stored == null ? Account.getDefaultInstance() : Account.parseFrom(stored);
      Spend spent = charged(before.getSpent(), report);
      Outcome outcome = outcome(before, spent, report);
      if (outcome == Outcome.ADMITTED) {
        accounts.put(user, account(spent, report).toByteArray());
        add(report);
      }
      context.forward(
          record.withValue(
              event(report, outcome, outcome == Outcome.ADMITTED ? spent : before.getSpent())
                  .toByteArray()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a report of the benchmark", e);
    }
  }

  private static Spend charged(Spend spent, GradientReport report) {
    Spend.Builder charged = spent.toBuilder().setReports(spent.getReports() + 1);
    if (report.hasGaussian()) {
      charged.setMu(Math.hypot(spent.getMu(), report.getGaussian().getMu()));
    } else {
      charged.setEpsilon(spent.getEpsilon() + report.getPrivUnit().getEpsilon());
    }
    return charged.build();
  }

  private static Outcome outcome(Account account, Spend spent, GradientReport report) {
    for (Account.Device device : account.getDevicesList()) {
      if (device.getDeviceId().equals(report.getDeviceId())
          && report.getSequence() <= device.getHighestSequence()) {
        return Outcome.DUPLICATE;
      }
    }
    return spent.getMu() > LIMIT || spent.getEpsilon() > LIMIT
        ? Outcome.REFUSED_BUDGET
        : Outcome.ADMITTED;
  }

  private static Account account(Spend spent, GradientReport report) {
    return Account.newBuilder()
        .setSpent(spent)
        .addDevices(
            Account.Device.newBuilder()
                .setDeviceId(report.getDeviceId())
                .setHighestSequence(report.getSequence()))
        .build();
  }

  private AccountingEvent event(GradientReport report, Outcome outcome, Spend totals) {
    RecordMetadata position = context.recordMetadata().orElseThrow();
    return AccountingEvent.newBuilder()
        .setUserId(report.getUserId())
        .setDeviceId(report.getDeviceId())
        .setModelId(report.getModelId())
        .setSequence(report.getSequence())
        .setOutcome(outcome)
        .setUserTotals(totals)
        .setSource(
            Position.newBuilder()
                .setTopic(position.topic())
                .setPartition(position.partition())
                .setOffset(position.offset()))
        .build();
  }

  /** Adds the gradient to its model's sum, which is an array of doubles. */
  private void add(GradientReport report) {
    Bytes model = Bytes.wrap(report.getModelId().getBytes(UTF_8));
    double[] gradient = gradient(report);
    byte[] stored = sums.get(model);
    ByteBuffer before = stored == null ? null : ByteBuffer.wrap(stored);
    ByteBuffer sum = ByteBuffer.allocate(Double.BYTES * gradient.length);
    for (int j = 0; j < gradient.length; j++) {
      sum.putDouble(gradient[j] + (before == null ? 0 : before.getDouble()));
    }
    sums.put(model, sum.array());
  }

  private double[] gradient(GradientReport report) {
    if (report.hasCandidate()) {
      Candidate candidate = report.getCandidate();
      double[] values = new double[candidate.getDimension()];
      CandidateVectors.expand(
          candidate.getSeed(), candidate.getIndex(), scale(values.length, report), values);
      return values;
    }
    double[] values = new double[report.getGrid().getValuesCount()];
    for (int j = 0; j < values.length; j++) {
      values[j] = STEP * report.getGrid().getValues(j);
    }
    return values;
  }

  /** Of all reports of a run, which are of one model and one level. */
  private double scale(int dimension, GradientReport report) {
    if (law == null) {
      law = new PrivUnitRandomiser(1, dimension, report.getPrivUnit().getEpsilon()).law();
    }
    return law.scale();
  }
}
