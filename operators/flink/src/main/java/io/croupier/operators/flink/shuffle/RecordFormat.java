package io.croupier.operators.flink.shuffle;

import java.io.IOException;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The fields of records that are part of other records.
 *
 * @param initial creates a record whose fields have their initial values
 * @param array creates an array of records
 * @param pass over all fields in their order
 */
public record RecordFormat<R>(Supplier<R> initial, IntFunction<R[]> array, Pass<R> pass) {

  /** A pass over the fields of one class. */
  @FunctionalInterface
  public interface Pass<R> {
    /** As {@link RecordSerializer#pass}. */
    void over(FieldPass fields, R from, R to) throws IOException;
  }
}
