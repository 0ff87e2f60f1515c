package io.croupier.job.restart;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.OptionalInt;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/** The metadata of a savepoint or checkpoint, as Flink writes it beside the state. */
public final class StateMetadata {
  private StateMetadata() {}

  /**
   * Requires that a state exists: Flink can't initialise a job without it, and with high
   * availability no JobManager starts beside the result of such a job.
   *
   * @param state a URI of its directory, or of the file in it
   * @return the same, with the whole path: a cluster may have another working directory
   * @throws IllegalStateException if there is no such state
   * @throws IOException if this process has no access to the file system
   */
  public static String requireAny(String state) throws IOException {
    try {
      Path path = new Path(state);
      String whole = path.makeQualified(path.getFileSystem()).toString();
      maxParallelism(whole);
      return whole;
    } catch (FileNotFoundException | IllegalArgumentException | NotMetadataException e) {
      throw new IllegalStateException(
          ("There is no savepoint or checkpoint at '%s': %s. The path is that of a savepoint, or of"
                  + " a directory chk-N below the checkpoint directory. If only the machines of the"
                  + " cluster have it, run the command on one of them")
              .formatted(state, reason(e)),
          e);
    }
  }

  /** Without its full stop. Some file systems give none. */
  static String reason(Exception e) {
    return e.getMessage() == null
        ? "the file system doesn't have it"
        : e.getMessage().replaceFirst("\\.$", "");
  }

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
    try (DataInputStream in =
        new DataInputStream(
            new BufferedInputStream(location.getMetadataHandle().openInputStream()))) {
      return metadata(in, location.getExternalPointer()).getOperatorStates().stream()
          .mapToInt(OperatorState::getMaxParallelism)
          .max();
    }
  }

  private static CheckpointMetadata metadata(DataInputStream in, String state) throws IOException {
    try {
      return Checkpoints.loadCheckpointMetadata(in, StateMetadata.class.getClassLoader(), state);
    } catch (IOException | IllegalArgumentException e) {
      throw new NotMetadataException(e);
    }
  }

  /** The file contains something else, or not all of the metadata. */
  private static final class NotMetadataException extends IOException {
    private static final long serialVersionUID = 1;

    NotMetadataException(Exception cause) {
      super("the file is not the metadata of a state, or not all of it", cause);
    }
  }
}
