package io.croupier.job.restart;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.OptionalInt;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/** The metadata of a savepoint or checkpoint, as Flink writes it beside the state. */
public final class StateMetadata {
  private StateMetadata() {}

  /**
   * Returns the max parallelism of the job that wrote a state, which all its operators have; empty
   * if it contains no operator.
   *
   * @param state a URI of its directory, or of the file in it
   * @throws IOException if there is no such state, or it can't be read
   */
  public static OptionalInt maxParallelism(String state) throws IOException {
    CompletedCheckpointStorageLocation location =
        AbstractFsCheckpointStorageAccess.resolveCheckpointPointer(state);
    try (DataInputStream in = new DataInputStream(location.getMetadataHandle().openInputStream())) {
      CheckpointMetadata metadata =
          Checkpoints.loadCheckpointMetadata(
              in, StateMetadata.class.getClassLoader(), location.getExternalPointer());
      return metadata.getOperatorStates().stream().mapToInt(OperatorState::getMaxParallelism).max();
    }
  }
}
