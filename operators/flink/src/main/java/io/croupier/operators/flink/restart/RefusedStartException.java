package io.croupier.operators.flink.restart;

import org.apache.flink.runtime.throwable.ThrowableAnnotation;
import org.apache.flink.runtime.throwable.ThrowableType;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Thrown when the job must not run with its restored state, or without state; the message contains
 * what to do. Flink doesn't restart a job that fails with it.
 */
@ThrowableAnnotation(ThrowableType.NonRecoverableError)
public final class RefusedStartException extends FlinkRuntimeException {
  private static final long serialVersionUID = 1;

  public RefusedStartException(String message) {
    super(message);
  }
}
