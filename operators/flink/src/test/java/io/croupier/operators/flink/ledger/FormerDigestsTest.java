package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.StateNames;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.former.FormerDigests;
import io.croupier.operators.ledger.BlockWindow;
import io.croupier.operators.ledger.DeviceWindow.Verdict;
import io.croupier.operators.ledger.StoredAccount;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

/** Digests leave the state of release 0.2.0 when the account is first accessed. */
class FormerDigestsTest {
  private static final int REPORTS = 100;

  /** Accounts of two devices, as release 0.2.0 kept them: one record of a user is a report. */
  private static final class Accounts extends AbstractStreamOperator<Boolean>
      implements OneInputStreamOperator<String, Boolean> {
    private static final long serialVersionUID = 1;

    private transient ValueState<StoredAccount> accounts;
    private transient MapState<Integer, long[]> blocks;
    private transient KeyedAccounts keyed;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      accounts =
          context
              .getKeyedStateStore()
              .getState(
                  new ValueStateDescriptor<>(StateNames.ACCOUNTS, new StoredAccountSerializer()));
      blocks =
          context
              .getKeyedStateStore()
              .getMapState(
                  new MapStateDescriptor<>(
                      StateNames.EARLIER_DIGESTS,
                      IntSerializer.INSTANCE,
                      LongPrimitiveArraySerializer.INSTANCE));
      keyed =
          new KeyedAccounts(
              context.getKeyedStateStore(), new FormerDigests(context.getKeyedStateStore()));
    }

    @Override
    public void processElement(StreamRecord<String> element) throws Exception {
      StoredAccount stored = new StoredAccount();
      for (int device = 0; device < 2; device++) {
        BlockWindow window = new BlockWindow();
        window.window.deviceId = "device " + device;
        for (int i = 0; i < REPORTS; i++) {
          window.judge(i, digest(device, i));
        }
        stored.store(window.window);
        for (Map.Entry<Integer, long[]> block : window.blocks.entrySet()) {
          blocks.put(8 * device + block.getKey(), block.getValue());
        }
      }
      accounts.update(stored);
    }
  }

  private static long digest(int device, long sequence) {
    return (device + 1) * (sequence + 1) * 0x9E3779B97F4A7C15L;
  }

  @Test
  @SuppressWarnings("try") // close() may be interrupted
  void everyDigestMoves() throws Exception {
    Accounts operator = new Accounts();
    try (KeyedOneInputStreamOperatorTestHarness<String, String, Boolean> harness =
        new KeyedOneInputStreamOperatorTestHarness<>(operator, user -> user, Types.STRING)) {
      // On the heap, an account that is changed in place and not stored would seem to be.
      harness.setStateBackend(Backend.ROCKS_DB.create());
      harness.open();
      for (String user : List.of("ada", "bob")) {
        harness.processElement(user, 0);
      }
      operator.setCurrentKey("ada");
      KeyedAccount account = operator.keyed.load();
      for (int device = 0; device < 2; device++) {
        for (long sequence = REPORTS - 64; sequence < REPORTS; sequence++) {
          long digest = digest(device, sequence);
          assertThat(account.window("device " + device).judge(sequence, digest))
              .isEqualTo(Verdict.DUPLICATE);
          assertThat(account.window("device " + device).judge(sequence, digest + 1))
              .isEqualTo(Verdict.CONFLICT);
        }
      }
      account.store();
      assertThat(operator.blocks.isEmpty()).isTrue();
      assertThat(operator.accounts.value().windows)
          .allMatch(window -> !window.isFormer() && window.endings.length == 128);

      operator.setCurrentKey("bob");
      assertThat(operator.blocks.isEmpty()).isFalse();
      assertThat(operator.accounts.value().windows).allMatch(window -> window.isFormer());
    }
  }
}
