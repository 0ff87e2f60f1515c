package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.ledger.RebuildResult.AccountedPosition;
import io.croupier.operators.flink.restart.TopicEnd;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.kafka.common.TopicPartition;

/**
 * The files of a rebuild, below the job's checkpoints: the recorded end of the accounting topic,
 * the checkpoints from which the rebuild continues, and, when it has ended, its savepoint, which
 * also contains the file {@value #OFFSETS}.
 */
public final class RebuildDirectory {
  private static final String OFFSETS = "report-offsets";

  /** The last line of each file; a file without it was not written to its end. */
  private static final String LAST_LINE = "end";

  private final Path root;
  private final Path checkpoints;
  private final Path recordedEnd;

  /**
   * Creates the names. Jobs with other topics may have the same directory.
   *
   * @param checkpointDirectory a URI
   */
  public RebuildDirectory(String checkpointDirectory, String accountingTopic) {
    root = new Path(new Path(checkpointDirectory, "ledger-rebuild"), accountingTopic);
    checkpoints = new Path(root, "checkpoints");
    recordedEnd = new Path(root, "accounting-end");
  }

  /** Returns where the savepoint belongs, as a URI. */
  public String savepoints() {
    return root.toString();
  }

  /** Returns where the rebuild's checkpoints belong, as a URI. */
  public String checkpoints() {
    return checkpoints.toString();
  }

  /** Begins a new rebuild: deletes the checkpoints of an earlier one, and records the end. */
  public void begin(TopicEnd end) throws IOException {
    finish();
    List<String> lines = new ArrayList<>();
    lines.add("%d %d".formatted(end.idHigh(), end.idLow()));
    end.offsets().forEach(offset -> lines.add(String.valueOf(offset)));
    write(recordedEnd, lines);
  }

  /** Returns the end that a rebuild has recorded which has not finished. */
  public Optional<TopicEnd> recordedEnd() throws IOException {
    return read(recordedEnd)
        .map(
            lines -> {
              String[] id = lines.get(0).split(" ", -1);
              return new TopicEnd(
                  Long.parseLong(id[0]),
                  Long.parseLong(id[1]),
                  lines.stream().skip(1).map(Long::valueOf).toList());
            });
  }

  /** Returns the newest complete checkpoint of the rebuild. */
  public Optional<String> newestCheckpoint() throws IOException {
    FileSystem files = checkpoints.getFileSystem();
    FileStatus newest = null;
    for (FileStatus job : list(files, checkpoints)) {
      for (FileStatus checkpoint : list(files, job.getPath())) {
        for (FileStatus file : list(files, checkpoint.getPath())) {
          if (file.getPath().getName().equals("_metadata")
              && (newest == null || file.getModificationTime() > newest.getModificationTime())) {
            newest = file;
          }
        }
      }
    }
    return Optional.ofNullable(newest).map(file -> file.getPath().getParent().toString());
  }

  private static List<FileStatus> list(FileSystem files, Path path) throws IOException {
    try {
      FileStatus[] found = files.listStatus(path);
      return found == null ? List.of() : Arrays.asList(found);
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }

  /** Deletes what only an unfinished rebuild needs. */
  public void finish() throws IOException {
    FileSystem files = root.getFileSystem();
    files.delete(recordedEnd, false);
    files.delete(checkpoints, true);
  }

  /** Adds the last accounted reports to a savepoint of the rebuild. */
  public static void writeOffsets(String savepoint, List<AccountedPosition> highest)
      throws IOException {
    Map<TopicPartition, Long> behind = new HashMap<>();
    highest.forEach(
        report ->
            behind.merge(
                new TopicPartition(report.topic(), report.partition()),
                report.offset() + 1,
                Math::max));
    write(
        new Path(savepoint, OFFSETS),
        behind.entrySet().stream()
            .map(
                entry ->
                    "%s %d %d"
                        .formatted(
                            entry.getKey().topic(), entry.getKey().partition(), entry.getValue()))
            .sorted()
            .toList());
  }

  /**
   * Returns the offset behind the last accounted report of each partition, if a state is the
   * savepoint of a rebuild. Without it, ledger and Flink refuse such a savepoint.
   *
   * @throws IOException if the state's directory can't be read
   */
  public static Optional<Map<TopicPartition, Long>> offsets(String state) throws IOException {
    return read(new Path(state, OFFSETS))
        .map(
            lines -> {
              Map<TopicPartition, Long> behind = new HashMap<>();
              for (String line : lines) {
                String[] parts = line.split(" ", -1);
                behind.put(
                    new TopicPartition(parts[0], Integer.parseInt(parts[1])),
                    Long.parseLong(parts[2]));
              }
              return behind;
            });
  }

  private static void write(Path path, List<String> lines) throws IOException {
    try (FSDataOutputStream out = path.getFileSystem().create(path, WriteMode.OVERWRITE)) {
      List<String> all = new ArrayList<>(lines);
      all.add(LAST_LINE);
      out.write(String.join("\n", all).getBytes(UTF_8));
    }
  }

  /** Reads all lines but the last; empty if there is no such file, or it was not written fully. */
  private static Optional<List<String>> read(Path path) throws IOException {
    FileSystem files = path.getFileSystem();
    if (!files.exists(path)) {
      return Optional.empty();
    }
    try (FSDataInputStream in = files.open(path)) {
      List<String> lines = new String(in.readAllBytes(), UTF_8).lines().toList();
      return lines.isEmpty() || !lines.get(lines.size() - 1).equals(LAST_LINE)
          ? Optional.empty()
          : Optional.of(lines.subList(0, lines.size() - 1));
    }
  }
}
