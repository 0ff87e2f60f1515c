// Exact probabilities: whole multiples of 2^-63

import { checkValue } from './checks.js';

export const EPSILON_DECIMALS = 9;
export const MOST_EPSILON = 16;
const SERIES_BITS = 256n;

/** A finite number of at least 0, as written in decimals, in units of 1e-9, rounded down. */
export function nanos(number) {
  const [digits, exponent = '0'] = String(number).split('e');
  const [whole, fraction = ''] = digits.split('.');
  const shift = Number(exponent) - fraction.length + EPSILON_DECIMALS;
  const mantissa = BigInt(whole + fraction);
  return shift >= 0 ? mantissa * 10n ** BigInt(shift) : mantissa / 10n ** BigInt(-shift);
}

/**
 * A lower bound of e^x in units of 2^-256, for x a little below units 1e-9. The difference, a relative 2^-52, covers the
 * rounding of the double that a report declares. Every term of the series is positive and rounded down.
 */
function expFloor(units) {
  const numerator = units * ((1n << 52n) - 1n);
  const denominator = 10n ** BigInt(EPSILON_DECIMALS) << 52n;
  let term = 1n << SERIES_BITS;
  let sum = 0n;
  for (let k = 1n; term > 0n; k++) {
    sum += term;
    term = (term * numerator) / (denominator * k);
  }
  return sum;
}

function ceilDivide(numerator, denominator) {
  return (numerator + denominator - 1n) / denominator;
}

/** exp(-epsilon) in units of 2^-63, rounded up; epsilon in units of 1e-9. */
export function acceptance(units) {
  return ceilDivide(1n << (63n + SERIES_BITS), expFloor(units));
}

/** 1 / (1 + exp(epsilon)) in units of 2^-63, rounded up, at most 2^62. */
export function flips(units) {
  const rounded = ceilDivide(1n << (63n + SERIES_BITS), (1n << SERIES_BITS) + expFloor(units));
  return rounded < 1n << 62n ? rounded : 1n << 62n;
}

export function epsilonUnits(epsilon) {
  checkValue(
    typeof epsilon === 'number' && epsilon >= 1e-9 && epsilon <= MOST_EPSILON,
    'epsilon', epsilon, `a number from 1e-9 to ${MOST_EPSILON}`);
  return nanos(epsilon);
}
