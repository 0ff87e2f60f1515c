package io.croupier.operators.flink;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Map;

/**
 * Reads the models topic to its present end, so that no report is judged by fewer specs than were
 * published before the job (re)started.
 */
@FunctionalInterface
public interface SpecReader extends Serializable {

  /** Returns all committed records from the beginning to the present end, in order. */
  List<SpecRecord> readToEnd() throws IOException;

  /**
   * Returns the records of {@link #readToEnd()} and, before them, a retirement of each known model
   * that was retired by a record that the topic no longer has. Compaction keeps a model's newest
   * record, unless that is an old retirement: then it removes them all. Such a retirement has the
   * least offset that it can have, the one after the model's last known record.
   *
   * @param known the offset of the last known record of each model
   */
  default List<SpecRecord> readToEnd(Map<String, Long> known) throws IOException {
    return readToEnd();
  }
}
