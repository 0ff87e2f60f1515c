package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.GaussianMechanism;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.ModelAccount;
import io.croupier.operators.ledger.StoredAccount;
import io.croupier.operators.ledger.Totals;
import io.croupier.operators.ledger.WholeCharge;
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
  private static StoredAccount account(int reports, Mechanism mechanism) {
    Totals cost = Totals.of(mechanism.cost());
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
    "l2_laplace, 1, 117",
    "l2_laplace, 8, 182",
    "l2_laplace, 1007, 301",
    "l2_laplace, 1000000, 314",
    "gaussian, 1, 109",
    "gaussian, 8, 176",
    "gaussian, 1007, 293",
    "gaussian, 1000000, 300"
  })
  void anAccountGrowsLittleWithItsReports(String noise, int reports, int bytes) throws IOException {
    Mechanism mechanism =
        noise.equals("gaussian") ? new GaussianMechanism(1) : new L2LaplaceMechanism(1, 2);
    assertThat(bytes(account(reports, mechanism))).isEqualTo(bytes);
  }

  @Test
  void aCentralModelAddsItsCharge() throws IOException {
    StoredAccount account = account(1, new L2LaplaceMechanism(1, 2));
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
