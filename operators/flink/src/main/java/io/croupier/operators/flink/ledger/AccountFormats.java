package io.croupier.operators.flink.ledger;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.operators.flink.shuffle.FieldPass;
import io.croupier.operators.flink.shuffle.RecordFormat;
import io.croupier.operators.ledger.DailyTotals;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.Refusal;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.ledger.WholeCharge;
import java.io.IOException;

/** The fields of accounts in state. A value contains several of these, all of one version. */
final class AccountFormats {
  /**
   * The version that this release writes. A new field is one line at the end of its format; if a
   * release has written the current version, with {@code since} the next version, and that version.
   */
  static final int VERSION = 2;

  static final RecordFormat<Totals> TOTALS =
      new RecordFormat<>(Totals::new, Totals[]::new, AccountFormats::pass);

  static final RecordFormat<DailyTotals> DAYS =
      new RecordFormat<>(DailyTotals::new, DailyTotals[]::new, AccountFormats::pass);

  static final RecordFormat<RunningZeta> RUNNING_ZETA =
      new RecordFormat<>(RunningZeta::new, RunningZeta[]::new, AccountFormats::pass);

  static final RecordFormat<WholeCharge> WHOLE_CHARGE =
      new RecordFormat<>(WholeCharge::new, WholeCharge[]::new, AccountFormats::pass);

  static final RecordFormat<ModelAccount> MODEL =
      new RecordFormat<>(ModelAccount::new, ModelAccount[]::new, AccountFormats::pass);

  static final RecordFormat<DeviceWindow> WINDOW =
      new RecordFormat<>(DeviceWindow::new, DeviceWindow[]::new, AccountFormats::pass);

  static final RecordFormat<Refusal> REFUSAL =
      new RecordFormat<>(Refusal::new, Refusal[]::new, AccountFormats::pass);

  private AccountFormats() {}

  static void pass(FieldPass fields, StoredAccount from, StoredAccount to) throws IOException {
    to.totals = fields.record(from.totals, TOTALS);
    to.models = fields.records(from.models, MODEL);
    to.windows = fields.records(from.windows, WINDOW);
    to.days = fields.since(2).record(from.days, DAYS);
    to.erased = fields.since(2).record(from.erased, TOTALS);
    to.refusals = fields.since(2).records(from.refusals, REFUSAL);
  }

  static void pass(FieldPass fields, ModelAccount from, ModelAccount to) throws IOException {
    to.modelId = fields.name(from.modelId);
    to.totals = fields.record(from.totals, TOTALS);
    to.runningZeta = fields.record(from.runningZeta, RUNNING_ZETA);
    to.wholeCharge = fields.record(from.wholeCharge, WHOLE_CHARGE);
    to.days = fields.since(2).record(from.days, DAYS);
  }

  private static void pass(FieldPass fields, Totals from, Totals to) throws IOException {
    to.reports = fields.number(from.reports);
    to.epsilonNanos = fields.number(from.epsilonNanos);
    to.muSquaredPicos = fields.number(from.muSquaredPicos);
    to.rhoPicos = fields.number(from.rhoPicos);
    to.undisclosed = fields.number(from.undisclosed);
    to.unbounded = fields.number(from.unbounded);
    to.pureMuSquaredPicos = fields.number(from.pureMuSquaredPicos);
    to.gaussianFirst = fields.flag(from.gaussianFirst);
    to.renyiOrder = fields.real(from.renyiOrder);
    to.renyiPicos = fields.number(from.renyiPicos);
    to.participations = fields.number(from.participations);
    to.lastRound = fields.number(from.lastRound);
    to.variationAttos = fields.number(from.variationAttos);
    to.variationRate = fields.real(from.variationRate);
  }

  private static void pass(FieldPass fields, DailyTotals from, DailyTotals to) throws IOException {
    to.period = fields.integer(from.period);
    to.days = fields.numbers(from.days);
    to.totals = fields.records(from.totals, TOTALS);
  }

  private static void pass(FieldPass fields, RunningZeta from, RunningZeta to) throws IOException {
    to.nextLeaf = fields.number(from.nextLeaf);
    to.counts = fields.integers(from.counts);
    to.zeta = fields.number(from.zeta);
  }

  private static void pass(FieldPass fields, WholeCharge from, WholeCharge to) throws IOException {
    to.buffers = fields.integer(from.buffers);
    to.horizon = fields.number(from.horizon);
    to.sums = fields.integer(from.sums);
    to.noiseMultiplier = fields.real(from.noiseMultiplier);
    to.maxParticipations = fields.integer(from.maxParticipations);
    to.minSeparation = fields.number(from.minSeparation);
    to.zeta = fields.real(from.zeta);
  }

  private static void pass(FieldPass fields, DeviceWindow from, DeviceWindow to)
      throws IOException {
    to.deviceId = fields.text(from.deviceId);
    to.highest = fields.number(from.highest);
    to.judged = fields.number(from.judged); // all ones are -1, a single byte
    to.lowest = fields.number(from.lowest);
    to.digests = fields.fixedNumbers(from.digests);
    to.endings = fields.since(2).bytes(from.endings);
  }

  private static void pass(FieldPass fields, Refusal from, Refusal to) throws IOException {
    to.modelId = fields.name(from.modelId);
    to.deviceId = fields.text(from.deviceId);
    to.sequence = fields.number(from.sequence);
    to.outcome = fields.integer(from.outcome);
    to.reason = fields.text(from.reason);
    to.appendedAtMs = fields.fixed(from.appendedAtMs);
  }
}
