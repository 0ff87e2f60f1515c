package io.croupier.operators.flink.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.operators.flink.RestoredInEveryBackend;
import io.croupier.operators.flink.Subtasks;
import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import io.croupier.operators.ledger.DailyTotals;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/** An account keeps its tokens, even if the job restarts twice without reading them. */
class TokenStateTest {
  private static final byte[] TOKEN = {1, 2, 3};

  /** Does what the second word of an element says with the account of the first one. */
  private static final class Tokens extends AbstractStreamOperator<String>
      implements OneInputStreamOperator<String, String> {
    private static final long serialVersionUID = 1;

    private transient KeyedAccounts accounts;

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
      super.initializeState(context);
      accounts = new KeyedAccounts(context.getKeyedStateStore(), null);
    }

    @Override
    public void processElement(StreamRecord<String> element) {
      String user = user(element.getValue());
      KeyedAccount account = accounts.load();
      switch (element.getValue().substring(user.length() + 1)) {
        case "store" -> account.storeToken("m", TOKEN);
        case "erase" -> account.erase(new DailyTotals());
        default ->
            output.collect(new StreamRecord<>(user + " " + Arrays.toString(account.token("m"))));
      }
      account.store();
    }
  }

  private static String user(String element) {
    return element.substring(0, element.indexOf(' '));
  }

  @RestoredInEveryBackend
  void tokens(Backend backend, Plan plan) throws Exception {
    try (var tasks =
        new Subtasks<String, KeyedOneInputStreamOperatorTestHarness<String, String, String>>(
            (keyGroups, parallelism, index) ->
                new KeyedOneInputStreamOperatorTestHarness<>(
                    new Tokens(),
                    TokenStateTest::user,
                    Types.STRING,
                    keyGroups,
                    parallelism,
                    index),
            backend,
            plan,
            null)) {
      for (String before : new String[] {"ada store", "bob store", "eve erase"}) {
        tasks.on(user(before), harness -> harness.processElement(before, 0));
      }
      tasks.barrier();
      tasks.barrier();
      String erased = "bob erase";
      tasks.on("bob", harness -> harness.processElement(erased, 0));
      tasks.barrier();
      for (String user : new String[] {"ada", "bob", "eve"}) {
        tasks.on(user, harness -> harness.processElement(user + " read", 0));
      }
      assertThat(tasks.outputs())
          .containsExactlyInAnyOrder("ada [1, 2, 3]", "bob null", "eve null");
    }
  }
}
