package io.croupier.gateway.problem;

/** Ends a request with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient ProblemDocument problem;

  /** Wraps a problem. */
  public ProblemException(ProblemDocument problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  /** Wraps a problem that no field causes. */
  public ProblemException(ProblemType type, String detail) {
    this(ProblemDocument.of(type, detail));
  }

  /** What the sender receives. */
  public ProblemDocument problem() {
    return problem;
  }
}
