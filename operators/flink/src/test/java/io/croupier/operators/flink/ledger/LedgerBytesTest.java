package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.flink.TestRecords;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.ledger.WholeCharge;
import io.croupier.operators.report.Declaration;
import io.croupier.operators.report.Report;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The size of a user's state, as documented for the accounts. */
class LedgerBytesTest {
  private static <T> int bytes(T value, TypeSerializer<T> serializer) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    serializer.serialize(value, out);
    return out.length();
  }

  private static int bytes(StoredAccount account) throws IOException {
    return bytes(account, new StoredAccountSerializer());
  }

  /** The account of a user whose only device reported to one model, with the numbers from 1. */
  private static StoredAccount account(int reports, Declaration declaration) {
    Report report = TestRecords.report("u", 1, "model", 0, 0);
    report.declaration = declaration;
    Totals cost = Totals.of(Declaration.of(report).cost());
    StoredAccount account = new StoredAccount();
    ModelAccount model = new ModelAccount("model");
    account.add(model);
    DeviceWindow window = new DeviceWindow("0123456789abcdef");
    account.store(window);
    for (int i = 1; i <= reports; i++) {
      account.totals.add(cost);
      model.totals.add(cost);
      window.judge(i, i);
    }
    return account;
  }

  @ParameterizedTest
  @CsvSource({
    "L2_LAPLACE, 1, 117",
    "L2_LAPLACE, 8, 182",
    "L2_LAPLACE, 1007, 301",
    "L2_LAPLACE, 1000000, 314",
    "GAUSSIAN, 1, 109",
    "GAUSSIAN, 8, 176",
    "GAUSSIAN, 1007, 293",
    "GAUSSIAN, 1000000, 300"
  })
  void anAccountGrowsLittleWithItsReports(Declaration declaration, int reports, int bytes)
      throws IOException {
    assertThat(bytes(account(reports, declaration))).isEqualTo(bytes);
  }

  @Test
  void aCentralModelAddsItsCharge() throws IOException {
    StoredAccount account = account(1, Declaration.L2_LAPLACE);
    int before = bytes(account);
    account.models[0].runningZeta = RunningZeta.ofTree(Schedule.MAX_STEPS);
    account.models[0].runningZeta.charge(7);
    assertThat(bytes(account) - before).isEqualTo(34);
    account.models[0].runningZeta = null;
    account.models[0].wholeCharge = new WholeCharge();
    account.models[0].wholeCharge.noiseMultiplier = 1;
    account.models[0].wholeCharge.zeta = 1;
    assertThat(bytes(account) - before).isEqualTo(23);
  }
}
