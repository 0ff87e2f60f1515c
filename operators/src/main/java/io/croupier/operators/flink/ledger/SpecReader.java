package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.SpecRecord;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;

/**
 * Reads the models topic to its present end, so that no report is judged by fewer specs than were
 * published before the job (re)started.
 */
@FunctionalInterface
public interface SpecReader extends Serializable {

  /** Returns all committed records from the beginning to the present end, in order. */
  List<SpecRecord> readToEnd() throws IOException;
}
