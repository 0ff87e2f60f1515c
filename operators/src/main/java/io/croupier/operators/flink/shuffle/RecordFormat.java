package io.croupier.operators.flink.shuffle;

import java.io.IOException;

/** The fields of records that are part of other records. */
public interface RecordFormat<R> {

  /** Creates a record whose fields have their initial values. */
  R create();

  /** Creates an array of records. */
  R[] array(int length);

  /**
   * Passes over all fields in their order, as {@link RecordSerializer#pass}.
   *
   * @param from the record whose values the pass receives
   * @param to the record whose fields are set; may be {@code from}
   */
  void pass(FieldPass fields, R from, R to) throws IOException;
}
