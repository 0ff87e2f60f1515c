package io.croupier.accounting.mechanism;

/** Noise that only the sender knows: nothing is guaranteed, and learners know no bound. */
public record UndisclosedNoise() implements Mechanism {
  /** The only such noise. */
  public static final UndisclosedNoise UNDISCLOSED = new UndisclosedNoise();

  @Override
  public String name() {
    return "undisclosed";
  }

  @Override
  public Cost cost() {
    return Cost.UNDISCLOSED;
  }

  /** The sender alone is responsible for what a sparse vector reveals. */
  @Override
  public boolean hidesSparsity() {
    return true;
  }
}
