package io.croupier.accounting.mechanism;

/**
 * No noise from the device: the report is raw, and the job adds the noise. A report costs what its
 * participation does ({@link Cost#central}), which doesn't follow from the declaration.
 */
public record CentralNoise() implements Mechanism {
  /** The only such declaration. */
  public static final CentralNoise CENTRAL = new CentralNoise();

  @Override
  public String name() {
    return "central";
  }

  @Override
  public Cost cost() {
    return Cost.FREE;
  }

  /** Devices trust the job with the report itself. */
  @Override
  public boolean hidesSparsity() {
    return true;
  }
}
