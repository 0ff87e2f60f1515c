// Exponential and logarithm for losses, the same in all languages, bit for bit

const LEAST = -690;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const INVERSE_LN2 = 1.4426950408889634;
const SERIES_TERMS = 18;

/** 1 / n! for n from 14 down to 2. */
const INVERSE_FACTORIALS = [];
for (let n = 2, factorial = 1; n <= 14; n++) {
  factorial *= n;
  INVERSE_FACTORIALS.unshift(1 / factorial);
}

/** e^x for x up to 0, by the steps of the Java class PortableMath, whose comments state the errors. */
export function portableExp(x) {
  if (x < LEAST) {
    return 0;
  }
  const k = Math.floor(x * INVERSE_LN2 + 0.5);
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  let sum = 0;
  for (const coefficient of INVERSE_FACTORIALS) {
    sum = sum * r + coefficient;
  }
  let power = 1 + (high - (low - r * r * sum));
  // Times 2^k, by exact factors.
  for (let left = -k, half = 0.5; left > 0; left = Math.floor(left / 2), half *= half) {
    power *= left % 2 === 1 ? half : 1;
  }
  return power;
}

/** ln(1 + x) for finite x of at least 0. */
export function portableLog1p(x) {
  let k = 0;
  let f = x;
  if (x > 1) {
    let mantissa = 1 + x;
    while (mantissa > 2) {
      mantissa /= 2;
      k++;
    }
    f = mantissa - 1;
  }
  const s = f / (2 + f);
  const square = s * s;
  let sum = 0;
  for (let n = SERIES_TERMS; n >= 1; n--) {
    sum = (sum + 2 / (2 * n + 1)) * square;
  }
  return k * LN2_HIGH + ((f - s * (f - sum)) + k * LN2_LOW);
}

/** The probability 1 / (1 + e^-p) of log odds p. */
export function probabilityOf(logOdds) {
  const less = portableExp(-Math.abs(logOdds));
  return (logOdds < 0 ? less : 1) / (1 + less);
}
