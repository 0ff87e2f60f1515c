package io.croupier.noise;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Runs a sampler, the real code, on every sequence of outcomes of its draws, and adds up the exact
 * probability of each result. A sampler may draw forever, so sequences end at a limit; those that
 * have no result by then make up the unresolved probability.
 *
 * <p>Each run repeats the outcomes of the run before it up to the last draw that has a further
 * outcome, takes that one, and from there on the first outcome of each draw. The sampler must be a
 * function of its draws alone.
 */
public final class EnumeratedDraws extends UniformIntegers {
  /** An outcome of a draw, and the last one that it can have. */
  private record Draw(long outcome, long last) {}

  private static final class Unresolved extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unresolved() {
      super(null, null, false, false);
    }
  }

  private final int mostDraws;

  private final List<Draw> path = new ArrayList<>();
  private int position;

  /** The probability of the outcomes so far. */
  private Rational mass;

  private EnumeratedDraws(int mostDraws) {
    this.mostDraws = mostDraws;
  }

  /**
   * The law of a sampler.
   *
   * @param results the probability of each result within the limit
   * @param unresolved the probability of all sequences that reach the limit
   * @param runs how many sequences there were
   */
  public record Law<T>(Map<T, Rational> results, Rational unresolved, int runs) {
    /** At least this is the probability of a result, and more by at most the unresolved one. */
    public Rational of(T result) {
      return results.getOrDefault(result, Rational.ZERO);
    }
  }

  /** The law over sequences of at most so many draws. */
  public static <T> Law<T> upTo(int draws, Function<EnumeratedDraws, T> sampler) {
    return new EnumeratedDraws(draws).enumerate(sampler);
  }

  private <T> Law<T> enumerate(Function<EnumeratedDraws, T> sampler) {
    Map<T, Rational> results = new HashMap<>();
    Rational unresolved = Rational.ZERO;
    int runs = 0;
    do {
      position = 0;
      mass = Rational.ONE;
      runs++;
      try {
        results.merge(sampler.apply(this), mass, Rational::plus);
      } catch (Unresolved e) {
        unresolved = unresolved.plus(mass);
      }
    } while (advance());
    return new Law<>(results, unresolved, runs);
  }

  /** Drops the draws whose outcomes are all done; false if that is every draw. */
  private boolean advance() {
    while (!path.isEmpty()) {
      Draw draw = path.remove(path.size() - 1);
      if (draw.outcome < draw.last) {
        path.add(new Draw(draw.outcome + 1, draw.last));
        return true;
      }
    }
    return false;
  }

  /** The outcome of the next draw, from the first to the last. */
  private long next(long first, long last) {
    if (position == path.size()) {
      if (position >= mostDraws) {
        throw new Unresolved();
      }
      path.add(new Draw(first, last));
    }
    return path.get(position++).outcome;
  }

  @Override
  public long below(long bound) {
    long outcome = next(0, bound - 1);
    mass = mass.times(Rational.of(1, bound));
    return outcome;
  }

  @Override
  public boolean isUpTo(long last) {
    return isTrue(Rational.ofWords(last).plus(Rational.ofWords(1)));
  }

  @Override
  boolean occurs(long numerator, long denominator) {
    return isTrue(Rational.of(numerator, denominator));
  }

  /** A coin of any probability. Outcome 1 is true; one of probability 0 is left out. */
  boolean isTrue(Rational probability) {
    long first = probability.equals(Rational.ONE) ? 1 : 0;
    long last = probability.equals(Rational.ZERO) ? 0 : 1;
    boolean isTrue = next(first, last) == 1;
    mass = mass.times(isTrue ? probability : Rational.ONE.minus(probability));
    return isTrue;
  }
}
