package io.croupier.operators.flink.former;

import io.croupier.operators.flink.StateNames;
import io.croupier.operators.model.PublishedSpec;
import io.croupier.operators.model.PublishedSpecs;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** The specs by model, as release 0.2.0 stored them in every subtask of the ledger. */
public final class FormerSpecs {
  private static final MapStateDescriptor<String, PublishedSpec> STATE =
      new MapStateDescriptor<>(
          StateNames.SPECS, Types.STRING, TypeInformation.of(PublishedSpec.class));

  private FormerSpecs() {}

  /** Moves the specs. */
  public static void moveTo(PublishedSpecs specs, OperatorStateStore store) throws Exception {
    BroadcastState<String, PublishedSpec> former = store.getBroadcastState(STATE);
    for (Map.Entry<String, PublishedSpec> entry : former.entries()) {
      specs.restore(entry.getKey(), entry.getValue());
    }
    former.clear();
  }
}
