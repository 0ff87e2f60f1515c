package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.ledger.RebuildResult.AccountedPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.kafka.common.TopicPartition;

/**
 * The file in the savepoint of a rebuild that contains the positions behind the last accounted
 * reports: the job reads the reports from there.
 */
public final class RebuiltOffsets {
  private static final String FILE = "report-offsets";

  /** The last line of the file; a file without it was not written to its end. */
  private static final String LAST_LINE = "end";

  private RebuiltOffsets() {}

  /** Adds the last accounted reports to a savepoint of a rebuild. */
  public static void write(String savepoint, List<AccountedPosition> highest) throws IOException {
    Map<TopicPartition, Long> behind = new HashMap<>();
    highest.forEach(
        report ->
            behind.merge(
                new TopicPartition(report.topic(), report.partition()),
                report.offset() + 1,
                Math::max));
    List<String> lines = new ArrayList<>();
    behind.forEach(
        (partition, offset) ->
            lines.add("%s %d %d".formatted(partition.topic(), partition.partition(), offset)));
    lines.add(LAST_LINE);
    Path file = new Path(savepoint, FILE);
    try (FSDataOutputStream out = file.getFileSystem().create(file, WriteMode.OVERWRITE)) {
      out.write(String.join("\n", lines).getBytes(UTF_8));
    }
  }

  /**
   * Returns the offset behind the last accounted report of each partition, if a state is the
   * savepoint of a rebuild. Without it, ledger and Flink refuse such a savepoint.
   *
   * @throws IOException if the state's directory can't be read
   */
  public static Optional<Map<TopicPartition, Long>> read(String state) throws IOException {
    Path file = new Path(state, FILE);
    FileSystem files = file.getFileSystem();
    if (!files.exists(file)) {
      return Optional.empty();
    }
    List<String> lines;
    try (FSDataInputStream in = files.open(file)) {
      lines = new ArrayList<>(new String(in.readAllBytes(), UTF_8).lines().toList());
    }
    if (!lines.remove(LAST_LINE)) {
      return Optional.empty();
    }
    Map<TopicPartition, Long> behind = new HashMap<>();
    for (String line : lines) {
      String[] parts = line.split(" ", -1);
      behind.put(
          new TopicPartition(parts[0], Integer.parseInt(parts[1])), Long.parseLong(parts[2]));
    }
    return Optional.of(behind);
  }
}
