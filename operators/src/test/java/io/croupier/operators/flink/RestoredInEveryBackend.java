package io.croupier.operators.flink;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A test whose parameters are a {@link Subtasks.Backend} and a {@link Subtasks.Plan}: each backend,
 * restored at the same and at another parallelism.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@CsvSource({"HASH_MAP, RESTORED", "HASH_MAP, RESCALED", "ROCKS_DB, RESTORED", "ROCKS_DB, RESCALED"})
public @interface RestoredInEveryBackend {}
