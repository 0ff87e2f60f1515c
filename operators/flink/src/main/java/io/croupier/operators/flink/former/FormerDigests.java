package io.croupier.operators.flink.former;

import io.croupier.operators.flink.StateNames;
import io.croupier.operators.ledger.DeviceWindow;
import io.croupier.operators.ledger.StoredAccount;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.array.LongPrimitiveArraySerializer;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * The state in which release 0.2.0 kept the digests of a device's earlier reports, in blocks of
 * eight numbers, of which each device had eight. They move into the account when it is first
 * accessed.
 */
public final class FormerDigests {
  private static final int BLOCKS = 8;

  private final MapState<Integer, long[]> blocks;

  /** Opens the state. */
  public FormerDigests(KeyedStateStore state) {
    blocks =
        state.getMapState(
            new MapStateDescriptor<>(
                StateNames.EARLIER_DIGESTS,
                IntSerializer.INSTANCE,
                LongPrimitiveArraySerializer.INSTANCE));
  }

  /** Moves the digests of the current key's user; returns whether there were any. */
  public boolean moveTo(StoredAccount account) {
    boolean moved = false;
    for (int device = 0; device < account.windows.length; device++) {
      DeviceWindow window = account.windows[device];
      if (window.isFormer()) {
        int first = device * BLOCKS;
        window.move(place -> read(first + place));
        moved = true;
      }
    }
    if (moved) {
      blocks.clear();
    }
    return moved;
  }

  private long[] read(int block) {
    try {
      return blocks.get(block);
    } catch (Exception e) {
      throw new FlinkRuntimeException("The ledger's state can't be read", e);
    }
  }
}
