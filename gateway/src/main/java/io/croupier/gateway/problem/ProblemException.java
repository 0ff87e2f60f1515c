package io.croupier.gateway.problem;

/** Ends a request with a problem. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Problem problem;

  /** Wraps a problem. */
  public ProblemException(Problem problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  /** Wraps a problem that no field causes. */
  public ProblemException(ProblemType type, String detail) {
    this(Problem.of(type, detail));
  }

  /** What the sender receives. */
  public Problem problem() {
    return problem;
  }
}
