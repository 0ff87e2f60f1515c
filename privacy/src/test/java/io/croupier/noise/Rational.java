package io.croupier.noise;

import java.math.BigInteger;

/**
 * An exact probability, in lowest terms.
 *
 * @param numerator any integer
 * @param denominator positive
 */
public record Rational(BigInteger numerator, BigInteger denominator)
    implements Comparable<Rational> {
  public static final Rational ZERO = of(0, 1);
  public static final Rational ONE = of(1, 1);

  /** In lowest terms. */
  public Rational {
    BigInteger common = numerator.gcd(denominator);
    numerator = numerator.divide(common);
    denominator = denominator.divide(common);
  }

  public static Rational of(long numerator, long denominator) {
    return new Rational(BigInteger.valueOf(numerator), BigInteger.valueOf(denominator));
  }

  /** A multiple of 2^-63. */
  public static Rational ofWords(long count) {
    return new Rational(BigInteger.valueOf(count), BigInteger.TWO.pow(63));
  }

  public Rational plus(Rational other) {
    return new Rational(
        numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
        denominator.multiply(other.denominator));
  }

  public Rational minus(Rational other) {
    return plus(new Rational(other.numerator.negate(), other.denominator));
  }

  public Rational times(Rational other) {
    return new Rational(
        numerator.multiply(other.numerator), denominator.multiply(other.denominator));
  }

  public Rational dividedBy(Rational positive) {
    return new Rational(
        numerator.multiply(positive.denominator), denominator.multiply(positive.numerator));
  }

  public Rational power(int exponent) {
    return new Rational(numerator.pow(exponent), denominator.pow(exponent));
  }

  /** A lower bound of exp(this), for this from 0 on: the first terms of its series. */
  public Rational expFromBelow(int terms) {
    // By Horner's rule; lowest terms after each step would take most of the time.
    BigInteger above = BigInteger.ONE;
    BigInteger below = BigInteger.ONE;
    for (int k = terms - 1; k >= 1; k--) {
      below = below.multiply(denominator).multiply(BigInteger.valueOf(k));
      above = above.multiply(numerator).add(below);
    }
    return new Rational(above, below);
  }

  @Override
  public int compareTo(Rational other) {
    return numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator));
  }
}
