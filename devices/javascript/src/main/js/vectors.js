// From a seed to its vectors, bit for bit as docs/reference/priv-unit.md specifies

import { CroupierError } from './errors.js';
import { checkValue, isPositive } from './checks.js';

const GOLDEN_LOW = 0x7f4a7c15;
const GOLDEN_HIGH = 0x9e3779b9;
const SEGMENTS = 256;
const OCTAVES = 22;
const LAST_KNOT = (OCTAVES + 2) * SEGMENTS;
const KNOT_SCALE = 2 ** 24;
const PLACES = 2 ** 23;
const PLACE_MASK = PLACES - 1;
const COORDINATE_UNIT = 2 ** -47;
const ROOT_TWO_PI = 2.5066282746310002;
const FAR = 2.5;

/** FNV-1a of the knots' 32-bit words: the table is the same everywhere, or nothing is drawn. */
const KNOTS_HASH = 0xd07c5b5c;

/** A 64-bit word in two halves, so that the kernels allocate nothing. */
export class Word {
  low = 0;
  high = 0;

  set(low, high) {
    this.low = low >>> 0;
    this.high = high >>> 0;
    return this;
  }

  plus(low, high) {
    const sum = this.low + low;
    this.high = (this.high + high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    this.low = sum >>> 0;
    return this;
  }

  times(low, high) {
    const a0 = this.low & 0xffff;
    const a1 = this.low >>> 16;
    const b0 = low & 0xffff;
    const b1 = low >>> 16;
    // The sum of the middle products is below 2^34, exact in a double.
    const middle = a1 * b0 + a0 * b1 + ((a0 * b0) >>> 16);
    const carry = a1 * b1 + Math.floor(middle / 65536);
    this.high = (carry + Math.imul(this.low, high) + Math.imul(this.high, low)) >>> 0;
    this.low = Math.imul(this.low, low) >>> 0;
    return this;
  }

  /** z xor (z >> shift), for shifts from 1 to 31. */
  fold(shift) {
    this.low = (this.low ^ ((this.low >>> shift) | (this.high << (32 - shift)))) >>> 0;
    this.high = (this.high ^ (this.high >>> shift)) >>> 0;
    return this;
  }

  mix() {
    return this.fold(30).times(0x1ce4e5b9, 0xbf58476d).fold(27).times(0x133111eb, 0x94d049bb).fold(31);
  }
}

function normalDensity(x) {
  return Math.exp((-x * x) / 2) / ROOT_TWO_PI;
}

/** Q(x), the upper tail of the normal law; relative error below 1e-13. */
function normalTail(x) {
  if (x < FAR) {
    let term = x;
    let sum = x;
    for (let n = 3; term > sum * 2 ** -54; n += 2) {
      term *= (x * x) / n;
      sum += term;
    }
    return 0.5 - normalDensity(x) * sum;
  }
  let fraction = x;
  for (let n = 150; n >= 1; n--) {
    fraction = x + n / fraction;
  }
  return normalDensity(x) / fraction;
}

/** Where segment k begins on the scale of r. */
function segmentBegin(k) {
  const shift = Math.max(0, (k >>> 8) - 1);
  return (k - (shift << 8)) * 2 ** shift;
}

/** T of docs/reference/priv-unit.md, by Newton's method from the knot before. */
export function computeKnots() {
  const table = new Int32Array(LAST_KNOT + 1);
  let x = 0;
  for (let k = LAST_KNOT - 1; k >= 1; k--) {
    const tail = segmentBegin(k) * 2 ** -32;
    let step;
    do {
      step = (normalTail(x) - tail) / normalDensity(x);
      x += step;
    } while (step > 1e-14 * x);
    table[k] = Math.floor(x * KNOT_SCALE + 0.5);
  }
  table[0] = Math.floor((2 * normalDensity(x) * 2 ** 32 - x) * KNOT_SCALE + 0.5);
  return table;
}

export function hashOf(table) {
  let hash = 0x811c9dc5;
  for (const entry of table) {
    hash = Math.imul(hash ^ entry, 0x01000193);
  }
  return hash >>> 0;
}

let sharedKnots = null;

/** Some browsers' Math.exp may be less accurate: a wrong table would bias every report. */
export function knots() {
  if (sharedKnots === null) {
    const table = computeKnots();
    if (hashOf(table) !== KNOTS_HASH) {
      throw new CroupierError("this engine's Math.exp is too inaccurate for priv_unit");
    }
    sharedKnots = table;
  }
  return sharedKnots;
}

/** A normal variate from 32 bits, of which the highest is the sign. */
export function coordinate(table, bits) {
  const r = bits & 0x7fffffff;
  const zeros = Math.clz32(r | SEGMENTS);
  const shift = 23 - zeros;
  const segment = (shift << 8) + (r >>> shift);
  const from = table[segment];
  const place = ((2 * r + 1) << (zeros - 1)) & PLACE_MASK;
  const magnitude = (from * PLACES + (table[segment + 1] - from) * place) * COORDINATE_UNIT;
  return bits < 0 ? -magnitude : magnitude;
}

/** The state before the first word of vector `pair` of a seed. */
export function startOf(seed, pair, state) {
  state.set(GOLDEN_LOW, GOLDEN_HIGH).times(2 * pair + 1, 0);
  return state.plus(seed.low, seed.high).mix();
}

export function halves(seed) {
  const bits = BigInt.asUintN(64, BigInt(seed));
  return { low: Number(bits & 0xffffffffn), high: Number(bits >> 32n) };
}

/** The inner product of vector `pair`, which is candidate 2 pair, with a direction of D coordinates. */
export function height(table, seed, pair, direction, state, word) {
  startOf(seed, pair, state);
  const count = direction.length;
  let evens = 0;
  let odds = 0;
  let products = 0;
  let others = 0;
  let j = 0;
  for (; j + 1 < count; j += 2) {
    state.plus(GOLDEN_LOW, GOLDEN_HIGH);
    word.set(state.low, state.high).mix();
    const even = coordinate(table, word.low | 0);
    const odd = coordinate(table, word.high | 0);
    evens += even * even;
    odds += odd * odd;
    products += even * direction[j];
    others += odd * direction[j + 1];
  }
  if (j < count) {
    state.plus(GOLDEN_LOW, GOLDEN_HIGH);
    const even = coordinate(table, word.set(state.low, state.high).mix().low | 0);
    evens += even * even;
    products += even * direction[j];
  }
  return (products + others) / Math.sqrt(evens + odds);
}

export function checkDimension(dimension) {
  checkValue(
    Number.isInteger(dimension) && dimension >= 1 && dimension < 2 ** 31 - 1,
    'dimension', dimension, 'an integer from 1 to 2^31 - 2');
}

/**
 * The first d of the d + 1 coordinates of a candidate of a seed, scaled to a length with its last coordinate: what the
 * job makes of a report, bit for bit, for the length M G.
 *
 * @param seed an integer of 64 bits, as a BigInt
 * @param index of the candidate
 * @param length M G, or 1
 * @param dimension d
 */
export function expandCandidate(seed, index, length, dimension) {
  checkValue(typeof seed === 'bigint', 'seed', seed, 'a BigInt of 64 bits');
  checkValue(Number.isSafeInteger(index) && index >= 0, 'index', index, 'a whole number of at least 0');
  checkValue(isPositive(length), 'length', length, 'positive and finite');
  checkDimension(dimension);
  const table = knots();
  const state = startOf(halves(seed), index >>> 1, new Word());
  const word = new Word();
  const values = new Float64Array(dimension + 1);
  let evens = 0;
  let odds = 0;
  for (let j = 0; j <= dimension; j += 2) {
    state.plus(GOLDEN_LOW, GOLDEN_HIGH);
    word.set(state.low, state.high).mix();
    const even = coordinate(table, word.low | 0);
    values[j] = even;
    evens += even * even;
    if (j < dimension) {
      const odd = coordinate(table, word.high | 0);
      values[j + 1] = odd;
      odds += odd * odd;
    }
  }
  let factor = length / Math.sqrt(evens + odds);
  if (index % 2 === 1) {
    factor = -factor;
  }
  return values.subarray(0, dimension).map((value) => value * factor);
}
