package io.croupier.operators.flink;

import io.croupier.operators.flink.Subtasks.Backend;
import io.croupier.operators.flink.Subtasks.Plan;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * A test whose parameters are a {@link Backend} and a {@link Plan}: state on the heap, restored at
 * another parallelism. A class with the tag {@code ci} that inherits the test runs it with RocksDB,
 * and with the other plan.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@ArgumentsSource(RestoredInEveryBackend.Runs.class)
public @interface RestoredInEveryBackend {

  /** The backends and plans of a test class. */
  final class Runs implements ArgumentsProvider {
    @Override
    public Stream<Arguments> provideArguments(
        ParameterDeclarations parameters, ExtensionContext context) {
      return context.getTags().contains("ci")
          ? Stream.of(
              Arguments.of(Backend.HASH_MAP, Plan.RESTORED),
              Arguments.of(Backend.ROCKS_DB, Plan.RESTORED),
              Arguments.of(Backend.ROCKS_DB, Plan.RESCALED))
          : Stream.of(Arguments.of(Backend.HASH_MAP, Plan.RESCALED));
    }
  }
}
