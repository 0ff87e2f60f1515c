package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.operators.accounting.ReplayWindow;
import io.croupier.operators.accounting.Totals;
import io.croupier.operators.accounting.WholeCharge;
import java.io.IOException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** The size of a user's state, as documented for the accounts. */
class LedgerBytesTest {

  private static <T> int bytes(T value, Class<T> type) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    TypeInformation.of(type).createSerializer(new SerializerConfigImpl()).serialize(value, out);
    return out.length();
  }

  @Test
  void totalsHaveAFixedSize() throws IOException {
    Totals large = new Totals();
    large.reports = Long.MAX_VALUE;
    large.renyiOrder = 24;
    large.lastRound = Long.MAX_VALUE;
    assertThat(bytes(new Totals(), Totals.class)).isEqualTo(120);
    assertThat(bytes(large, Totals.class)).isEqualTo(120);
  }

  @Test
  void aCentralModelTakesFourBytesMoreForEachLevel() throws IOException {
    RunningZeta million = RunningZeta.ofTree(1 << 20);
    million.charge(7);
    assertThat(bytes(RunningZeta.ofTree(1 << 10), RunningZeta.class)).isEqualTo(68);
    assertThat(bytes(million, RunningZeta.class)).isEqualTo(108);
    assertThat(bytes(RunningZeta.ofTree(Schedule.MAX_STEPS), RunningZeta.class)).isEqualTo(148);
  }

  @Test
  void aWholeChargeHasAFixedSize() throws IOException {
    assertThat(bytes(new WholeCharge(), WholeCharge.class)).isEqualTo(52);
  }

  @Test
  void aDeviceTakesAKibibyteAtMost() throws IOException {
    ReplayWindow window = new ReplayWindow();
    assertThat(window.judge(1, 2, 3)).isEqualTo(ReplayWindow.Verdict.FRESH);
    assertThat(bytes(window, ReplayWindow.class)).isEqualTo(49);
    for (long sequence = 2; sequence < 300; sequence++) {
      window.judge(sequence, 2, 3);
    }
    assertThat(bytes(window, ReplayWindow.class)).isEqualTo(1057);
  }
}
