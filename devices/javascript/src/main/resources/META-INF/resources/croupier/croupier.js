/**
 * A person's device in the browser: follows a model over the gateway's HTTP API, and reports the person's gradients and
 * answers under local differential privacy.
 *
 * The module has no dependencies. Storage, network, randomness, locks and clocks are parameters, whose defaults are the
 * browser's. docs/javascript.md is the guide, docs/priv-unit.md specifies the randomiser, and croupier.proto the records.
 *
 * Licence: Apache-2.0.
 */

/** The version of this module. */
export const VERSION = '0.2.0';

// ---------------------------------------------------------------------------------------------------------
// Errors
// ---------------------------------------------------------------------------------------------------------

/** Base of all errors of this module. Messages contain no gradient, no noise, no token and no person. */
export class CroupierError extends Error {
  constructor(message, options) {
    super(visible(message), options);
    this.name = new.target.name;
  }
}

/** A message in one line: it may quote foreign text, whose characters a terminal would obey. */
function visible(text) {
  return String(text).replace(/(?! )[\p{C}\p{Z}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** The report would exceed the person's limit. No noise was drawn. */
export class LimitReachedError extends CroupierError {}

/** These data were reported to the model as often as the caller allows. Nothing was drawn or spent. */
export class AlreadyReportedError extends CroupierError {}

/**
 * The job refuses this person's reports: a limit of the job leaves too little, which other devices of the person may have
 * spent, or it refused this device's last report. Nothing was spent. account: what the job answered.
 */
export class JobRefusedError extends CroupierError {
  constructor(message, account) {
    super(message);
    this.account = account;
  }
}

/** This device doesn't answer the round in that way. Nothing was drawn or spent. */
export class NotChosenError extends CroupierError {}

/** Another tab has this ledger open, or has taken it over. */
export class LedgerBusyError extends CroupierError {}

/** The ledger can't be read or written. Nothing is drawn with it until it is opened again. */
export class LedgerError extends CroupierError {}

/**
 * The gateway refused a request, or didn't answer it.
 *
 * status is the HTTP status, 0 without an answer. detail is the sentence of the problem document. isFinal: the same
 * request will never be accepted. retryAfterMs: how long to wait before the next try; null if repeating is useless.
 */
export class GatewayError extends CroupierError {
  constructor(message, { status, problem = null, isFinal = false, retryAfterMs = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.problem = problem;
    this.detail = problem?.detail ?? null;
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
  }
}

function check(condition, name, value, right) {
  if (!condition) {
    throw new CroupierError(`${name} is ${String(value)}; it must be ${right}`);
  }
}

/** What a value is, without its content. */
function kindOf(value) {
  if (value === null || value === undefined) {
    return String(value);
  }
  const kinds = { string: 'a text', boolean: 'true or false', bigint: 'a BigInt', object: 'an object' };
  return Array.isArray(value) ? 'an array' : kinds[typeof value] ?? `a ${typeof value}`;
}

function shown(value) {
  switch (typeof value) {
    case 'string': return `the text '${value}'`;
    case 'bigint': return `the BigInt ${value}`;
    case 'number':
    case 'boolean': return String(value);
    default: return kindOf(value);
  }
}

/** Checks a value that is no secret of a person. */
function checkValue(condition, name, value, right) {
  if (!condition) {
    check(false, name, shown(value), right);
  }
}

function checkInstance(value, type, name) {
  check(value instanceof type, name, kindOf(value), `a ${type.name} of this module`);
}

function checkFunction(value, name, right = 'a function') {
  check(typeof value === 'function', name, kindOf(value), right);
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The options of a call, whose names are all known: a misspelt one would be ignored. */
function optionsOf(where, options, names) {
  check(isObject(options), `the argument of ${where}`, kindOf(options), `an object with ${names.join(', ')}`);
  const other = Object.keys(options).find((name) => !names.includes(name));
  check(other === undefined, `option '${other}' of ${where}`, 'unknown', `one of ${names.join(', ')}`);
  return options;
}

/** An array of numbers, or a typed one. Its values may be a person's, and are checked elsewhere. */
function checkVector(values, name, length = values?.length) {
  const isVector = (Array.isArray(values) || ArrayBuffer.isView(values)) && Number.isInteger(values.length)
    && typeof values[0] !== 'bigint';
  check(isVector, name, kindOf(values), 'an array of numbers');
  check(values.length === length, `length of ${name}`, values.length, length);
}

/** Lets JSON.stringify write the BigInts of an object as texts. */
function withTexts(object) {
  return Object.defineProperty(object, 'toJSON', {
    value: () => Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])),
  });
}

function isPositive(value) {
  return typeof value === 'number' && value > 0 && value <= Number.MAX_VALUE;
}

// ---------------------------------------------------------------------------------------------------------
// Random words
// ---------------------------------------------------------------------------------------------------------

const WORDS_IN_BLOCK = 64;
const MASK_63 = (1n << 63n) - 1n;

function checkCrypto(crypto) {
  check(typeof crypto?.getRandomValues === 'function', 'crypto', kindOf(crypto), 'a Web Crypto object with getRandomValues');
}

/**
 * Words of 64 fair bits from the browser's cryptographic generator, in blocks. A word is erased when it is used. A
 * release begins with renew(), so that words that a copy of the page may have, too, are not used.
 */
class Words {
  #crypto;
  #block = new Uint32Array(2 * WORDS_IN_BLOCK);
  #position = 2 * WORDS_IN_BLOCK;

  /** The word's lower and upper half, set by next(). */
  low = 0;
  high = 0;

  constructor(crypto) {
    checkCrypto(crypto);
    this.#crypto = crypto;
  }

  renew() {
    this.#block.fill(0);
    this.#position = this.#block.length;
  }

  next() {
    if (this.#position === this.#block.length) {
      this.#crypto.getRandomValues(this.#block);
      this.#position = 0;
    }
    this.low = this.#block[this.#position];
    this.high = this.#block[this.#position + 1];
    this.#block[this.#position++] = 0;
    this.#block[this.#position++] = 0;
  }

  /** 63 fair bits as an integer. */
  next63() {
    this.next();
    return ((BigInt(this.high) << 32n) | BigInt(this.low)) >> 1n;
  }

  /**
   * Uniform on 0 .. bound - 1, exactly (Lemire 2019): the integer part of bound times a fraction of 63 bits.
   * Fractional parts below 2^63 modulo bound are drawn again, so that the same number of words remains for every
   * integer part.
   */
  below(bound) {
    const big = BigInt(bound);
    for (;;) {
      const product = this.next63() * big;
      const fraction = product & MASK_63;
      if (fraction >= big || fraction >= (MASK_63 + 1n) % big) {
        return Number(product >> 63n);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------
// Exact probabilities
// ---------------------------------------------------------------------------------------------------------

const EPSILON_DECIMALS = 9;
const MOST_EPSILON = 16;
const SERIES_BITS = 256n;

/** A finite number of at least 0, as written in decimals, in units of 1e-9, rounded down. */
function nanos(number) {
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
function acceptance(units) {
  return ceilDivide(1n << (63n + SERIES_BITS), expFloor(units));
}

/** 1 / (1 + exp(epsilon)) in units of 2^-63, rounded up, at most 2^62. */
function flips(units) {
  const rounded = ceilDivide(1n << (63n + SERIES_BITS), (1n << SERIES_BITS) + expFloor(units));
  return rounded < 1n << 62n ? rounded : 1n << 62n;
}

function epsilonUnits(epsilon) {
  checkValue(
    typeof epsilon === 'number' && epsilon >= 1e-9 && epsilon <= MOST_EPSILON,
    'epsilon', epsilon, `a number from 1e-9 to ${MOST_EPSILON}`);
  return nanos(epsilon);
}

// ---------------------------------------------------------------------------------------------------------
// From a seed to its vectors
// ---------------------------------------------------------------------------------------------------------

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
class Word {
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

/** T of docs/priv-unit.md, by Newton's method from the knot before. */
function computeKnots() {
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

function hashOf(table) {
  let hash = 0x811c9dc5;
  for (const entry of table) {
    hash = Math.imul(hash ^ entry, 0x01000193);
  }
  return hash >>> 0;
}

let sharedKnots = null;

/** Some browsers' Math.exp may be less accurate: a wrong table would bias every report. */
function knots() {
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
function coordinate(table, bits) {
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
function startOf(seed, pair, state) {
  state.set(GOLDEN_LOW, GOLDEN_HIGH).times(2 * pair + 1, 0);
  return state.plus(seed.low, seed.high).mix();
}

function halves(seed) {
  const bits = BigInt.asUintN(64, BigInt(seed));
  return { low: Number(bits & 0xffffffffn), high: Number(bits >> 32n) };
}

/** The inner product of vector `pair`, which is candidate 2 pair, with a direction of D coordinates. */
function height(table, seed, pair, direction, state, word) {
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

function checkChoice(choice) {
  check(isObject(choice), 'the release', kindOf(choice), 'an object with seed and index, as choose() returns it');
  const { seed, index } = choice;
  checkValue(typeof seed === 'bigint', 'seed', seed, 'a BigInt of 64 bits');
  checkValue(Number.isSafeInteger(index) && index >= 0, 'index', index, 'a whole number of at least 0');
}

function checkDimension(dimension) {
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
  checkChoice({ seed, index });
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

// ---------------------------------------------------------------------------------------------------------
// What a release of priv_unit is worth: which top makes it shortest
// ---------------------------------------------------------------------------------------------------------

const ORDER = 48;
const PANELS = 48;
const NODES_TOTAL = ORDER * PANELS;
const DEPTH = 60;
const TAIL_DEPTH = 48;
const NEGLIGIBLE = 40;
const MOST_STEPS = 100;
const MOST_ABOVE_OPTIMUM = 1.3;
const SMALLEST_NORMAL = 2 ** -1022;

/** The 48-point Gauss-Legendre rule on (0, 1), correct to the last digit; symmetric, so half of the weights suffice. */
const GAUSS_NODES = [
  0.0006144963737869407, 0.003234913866824621, 0.007937708138586571, 0.014704203726876374,
  0.02350614841978457, 0.034306654646722834, 0.04706043164221516, 0.06171398986287606,
  0.07820586918780323, 0.09646689798527869, 0.11642048374212983, 0.13798293453809268,
  0.16106381018366805, 0.1855663016117432, 0.21138763695801366, 0.23841951263888347,
  0.2665485476245208, 0.2956567590046416, 0.32562205685391965, 0.3563187563222722,
  0.38761810480265546, 0.41938882196555416, 0.4514976503952686, 0.4838099145185653,
  0.5161900854814346, 0.5485023496047313, 0.5806111780344458, 0.6123818951973445,
  0.6436812436777278, 0.6743779431460803, 0.7043432409953584, 0.7334514523754792,
  0.7615804873611165, 0.7886123630419863, 0.8144336983882569, 0.838936189816332,
  0.8620170654619074, 0.8835795162578701, 0.9035331020147214, 0.9217941308121967,
  0.938286010137124, 0.9529395683577848, 0.9656933453532772, 0.9764938515802154,
  0.9852957962731236, 0.9920622918614135, 0.9967650861331754, 0.999385503626213,
];
const HALF_WEIGHTS = [
  0.0015766730261529192, 0.0036637769506381312, 0.00573861728961727, 0.007789657861471924,
  0.009808080228677764, 0.01178538041966219, 0.013713254854178474, 0.015583613916399045,
  0.01738861128238522, 0.019120675532915354, 0.020772541471732374, 0.02233728042834714,
  0.02380832924624524, 0.025179517776927236, 0.026445094742596834, 0.027599751849992082,
  0.028638646050201607, 0.029557419849197818, 0.03035221958294694, 0.031019711579946332,
  0.03155709614312701, 0.03196211929232409, 0.032233082217975044, 0.03236884840634196,
];
const GAUSS_WEIGHTS = [...HALF_WEIGHTS, ...[...HALF_WEIGHTS].reverse()];

let sharedToEnd = null;

/** Entry (i, j): the integral from node i to 1 of the j-th Lagrange polynomial on (0, 1). */
function integralsToEnd() {
  if (sharedToEnd !== null) {
    return sharedToEnd;
  }
  const legendre = new Float64Array((ORDER + 1) * ORDER);
  for (let i = 0; i < ORDER; i++) {
    const y = 2 * GAUSS_NODES[i] - 1;
    legendre[i] = 1;
    legendre[ORDER + i] = y;
    for (let k = 2; k <= ORDER; k++) {
      legendre[k * ORDER + i] =
        ((2 * k - 1) * y * legendre[(k - 1) * ORDER + i] - (k - 1) * legendre[(k - 2) * ORDER + i]) / k;
    }
  }
  const integrals = new Float64Array(ORDER * ORDER);
  for (let i = 0; i < ORDER; i++) {
    for (let j = 0; j < ORDER; j++) {
      let sum = 1 - legendre[ORDER + i];
      for (let k = 1; k < ORDER; k++) {
        sum += legendre[k * ORDER + j] * (legendre[(k - 1) * ORDER + i] - legendre[(k + 1) * ORDER + i]);
      }
      integrals[i * ORDER + j] = (GAUSS_WEIGHTS[j] * sum) / 2;
    }
  }
  sharedToEnd = integrals;
  return integrals;
}

/** (1 + x)^(exponent / 2) for -1 <= x: a small x keeps its digits, which the power needs. */
function halfPower(x, exponent) {
  if (exponent === 0) {
    return 1;
  }
  return x <= -1 ? 0 : Math.exp((exponent / 2) * Math.log1p(x));
}

/**
 * T = <V, u> for V uniform on the unit sphere of D dimensions: density c (1 - t^2)^((D - 3) / 2) on (-1, 1). With
 * t = sin(theta) the density has no singularity; the range of theta is cut into 48 panels of 48 nodes.
 */
class Sphere {
  #dimension;
  #density;
  #mass = new Float64Array(NODES_TOTAL);
  #logTail = new Float64Array(NODES_TOTAL);
  #logRest = new Float64Array(NODES_TOTAL);
  #first = new Float64Array(NODES_TOTAL);
  #moments = new Map();

  constructor(dimension) {
    this.#dimension = dimension;
    const width = Math.min(Math.PI / 2, this.#arcLength(0, DEPTH)) / PANELS;
    let half = 0;
    for (let i = 0; i < NODES_TOTAL; i++) {
      const theta = width * (Math.floor(i / ORDER) + GAUSS_NODES[i % ORDER]);
      const sin = Math.sin(theta);
      const power = halfPower(-sin * sin, dimension - 2);
      this.#mass[i] = width * GAUSS_WEIGHTS[i % ORDER] * power;
      this.#first[i] = power * Math.cos(theta);
      half += this.#mass[i];
    }
    this.#density = 1 / (2 * half);
    for (let i = 0; i < NODES_TOTAL; i++) {
      this.#mass[i] /= half;
      this.#first[i] *= this.#density / (dimension - 1);
    }
    this.#fillTails();
  }

  #fillTails() {
    const toEnd = integralsToEnd();
    let beyond = 0;
    for (let panel = PANELS - 1; panel >= 0; panel--) {
      const from = panel * ORDER;
      let all = 0;
      for (let i = 0; i < ORDER; i++) {
        let sum = 0;
        for (let j = 0; j < ORDER; j++) {
          sum += (toEnd[i * ORDER + j] * this.#mass[from + j]) / GAUSS_WEIGHTS[j];
        }
        const tail = Math.max(beyond + sum, SMALLEST_NORMAL);
        this.#logTail[from + i] = Math.log(tail);
        this.#logRest[from + i] = Math.log1p(-tail);
        all += this.#mass[from + i];
      }
      beyond += all;
    }
  }

  /** How far beyond an angle -(D - 2) ln cos(theta) has certainly grown by so many nats. */
  #arcLength(angle, nats) {
    const curvature = this.#dimension - 2;
    if (curvature === 0) {
      return Math.PI;
    }
    const slope = curvature * Math.tan(angle);
    return (2 * nats) / (slope + Math.sqrt(slope * slope + 2 * curvature * nats));
  }

  /** P(T >= t), for 0 <= t < 1. */
  tail(t) {
    const angle = Math.asin(t);
    const square = (1 - t) * (1 + t);
    const width = Math.min(Math.PI / 2 - angle, this.#arcLength(angle, TAIL_DEPTH));
    let sum = 0;
    for (let i = 0; i < ORDER; i++) {
      const at = width * GAUSS_NODES[i];
      const less = (Math.sin(at) * Math.sin(2 * angle + at)) / square;
      sum += GAUSS_WEIGHTS[i] * halfPower(-less, this.#dimension - 2);
    }
    return this.#density * width * halfPower(-t * t, this.#dimension - 2) * sum;
  }

  /** E[T; T >= t], for 0 <= t < 1. */
  firstMoment(t) {
    return (this.#density * halfPower(-t * t, this.#dimension - 1)) / (this.#dimension - 1);
  }

  /** Of the top K of n pairs: the mean of firstMoment at the random height from which on a pair is in the top. */
  topMoment(pairs, top) {
    if (top === pairs) {
      return this.#density / (this.#dimension - 1);
    }
    const key = pairs * 8192 + top;
    const known = this.#moments.get(key);
    if (known !== undefined) {
      return known;
    }
    const weights = new Float64Array(NODES_TOTAL);
    let largest = -Infinity;
    for (let i = 0; i < NODES_TOTAL; i++) {
      weights[i] = (top - 1) * this.#logTail[i] + (pairs - top - 1) * this.#logRest[i];
      largest = Math.max(largest, weights[i]);
    }
    let sum = 0;
    let moment = 0;
    for (let i = 0; i < NODES_TOTAL; i++) {
      const below = weights[i] - largest;
      if (below >= -NEGLIGIBLE) {
        const weight = this.#mass[i] * Math.exp(below);
        sum += weight;
        moment += weight * this.#first[i];
      }
    }
    this.#moments.set(key, moment / sum);
    return moment / sum;
  }

  /** M of a choice by rank. */
  scale(odds, candidates, top) {
    return (1 + (odds * top) / candidates) / (odds * this.topMoment(candidates / 2, top));
  }

  /** The least M of all choices of a point on the sphere. */
  leastScale(odds) {
    let gamma = 0;
    for (let i = 0; i < MOST_STEPS; i++) {
      const next = (odds * this.firstMoment(gamma)) / (1 + odds * this.tail(gamma));
      if (!(next > gamma * (1 + 2 ** -50))) {
        break;
      }
      gamma = next;
    }
    return 1 / gamma;
  }
}

/** The K of least M, and that M, as docs/priv-unit.md defines them. */
function bestTop(sphere, epsilon, candidates) {
  const odds = Math.expm1(epsilon);
  const least = sphere.leastScale(odds);
  const most = candidates / 2;
  let top = Math.max(1, Math.min(most, Math.floor(sphere.tail(1 / least) * candidates)));
  let scale = sphere.scale(odds, candidates, top);
  const step = top < most && sphere.scale(odds, candidates, top + 1) < scale ? 1 : -1;
  while (top + step >= 1 && top + step <= most) {
    const next = sphere.scale(odds, candidates, top + step);
    if (!(next < scale)) {
      break;
    }
    scale = next;
    top += step;
  }
  check(scale <= MOST_ABOVE_OPTIMUM * least, 'candidates', candidates, `more, at epsilon ${epsilon}`);
  return { top, scale };
}

const MOST_TOPS = 64;
const sharedTops = new Map();

/** The best top of lifted gradients of d coordinates. The last ones that were computed are kept. */
function knownTop(dimension, epsilon, candidates) {
  const key = `${dimension} ${epsilon} ${candidates}`;
  let known = sharedTops.get(key);
  if (known === undefined) {
    known = bestTop(new Sphere(dimension + 1), epsilon, candidates);
    if (sharedTops.size === MOST_TOPS) {
      sharedTops.delete(sharedTops.keys().next().value);
    }
    sharedTops.set(key, known);
  }
  return known;
}

// ---------------------------------------------------------------------------------------------------------
// Randomisers
// ---------------------------------------------------------------------------------------------------------

/**
 * (g / G, sqrt(1 - ||g / G||^2)), g clipped to L2 norm G. A gradient with a value that is not finite becomes zero.
 */
function lift(gradient, gradientBound) {
  const count = gradient.length;
  const lifted = new Float64Array(count + 1);
  let largest = 0;
  for (const value of gradient) {
    // Math.max keeps NaN.
    largest = Math.max(largest, Math.abs(value));
  }
  if (!(largest <= Number.MAX_VALUE)) {
    largest = 0;
  }
  let squares = 0;
  if (largest > 0) {
    // In units of the largest coordinate, so that no square overflows or vanishes.
    let norm = 0;
    for (const value of gradient) {
      const ratio = value / largest;
      norm += ratio * ratio;
    }
    norm = Math.sqrt(norm);
    const length = Math.min(1, (largest / gradientBound) * norm);
    for (let j = 0; j < count; j++) {
      lifted[j] = (gradient[j] / largest / norm) * length;
    }
    squares = length * length;
  }
  lifted[count] = Math.sqrt(Math.max(0, 1 - squares));
  return lifted;
}

/** Whether a is larger than b, where NaN is larger than all numbers. */
function isAbove(a, b) {
  return a > b || (a !== a && b === b);
}

/** Which candidates are the top: exactly K, of the largest sizes; ties go to the lower index. */
function topOf(heights, count) {
  const sizes = Float64Array.from(heights, Math.abs);
  // A sort of numbers puts NaN last.
  const threshold = sizes.slice().sort()[sizes.length - count];
  let ties = count;
  for (const size of sizes) {
    if (isAbove(size, threshold)) {
      ties--;
    }
  }
  const chosen = new Uint8Array(2 * sizes.length);
  for (let i = 0; i < sizes.length; i++) {
    let isIn = isAbove(sizes[i], threshold);
    if (!isIn && !isAbove(threshold, sizes[i]) && ties > 0) {
      isIn = true;
      ties--;
    }
    if (isIn) {
      chosen[heights[i] < 0 ? 2 * i + 1 : 2 * i] = 1;
    }
  }
  return chosen;
}

/**
 * Draws an index: those of the top are always accepted, each other one with the probability of the coin. The coin is
 * tossed for all indices, so that its time reveals nothing.
 */
function drawIndex(top, words, coin) {
  for (;;) {
    const index = words.below(top.length);
    const last = top[index] === 1 ? MASK_63 : coin - 1n;
    if (words.next63() <= last) {
      return index;
    }
  }
}

function defaultCandidates(epsilon) {
  return epsilon <= 4 ? 256 : epsilon <= 8 ? 1024 : 4096;
}

/**
 * PrivUnit on the lifted sphere, chosen by rank: epsilon-LDP exactly, whatever the gradient is, in a seed and an index.
 * docs/priv-unit.md specifies it. Every call of choose() spends epsilon.
 */
export class PrivUnit {
  #seeds;
  #words;
  #coin;

  /**
   * @param dimension d of the model
   * @param epsilon in nats, from 1e-9 to 16; rounded down to a multiple of 1e-9
   * @param candidates N: 64, 256, 1024 or 4096; by default 256 up to epsilon 4, 1024 up to 8, else 4096
   * @param crypto where the random bits come from
   */
  constructor(options) {
    const { dimension, epsilon, candidates, crypto = globalThis.crypto } =
      optionsOf('PrivUnit', options, ['dimension', 'epsilon', 'candidates', 'crypto']);
    checkDimension(dimension);
    this.epsilonNanos = epsilonUnits(epsilon);
    this.epsilon = Number(this.epsilonNanos) / 1e9;
    this.dimension = dimension;
    this.candidates = candidates ?? defaultCandidates(this.epsilon);
    checkValue([64, 256, 1024, 4096].includes(this.candidates), 'candidates', candidates, '64, 256, 1024 or 4096');
    const { top, scale } = knownTop(dimension, this.epsilon, this.candidates);
    /** K: how many candidates are exp(epsilon) times as likely as the others. */
    this.top = top;
    /** M: the length of a release in units of the gradient bound, its last coordinate included. */
    this.scale = scale;
    this.#coin = acceptance(this.epsilonNanos);
    // Of its own calls to the generator: the seed is public, and the words of the index aren't.
    this.#seeds = new Words(crypto);
    this.#words = new Words(crypto);
    Object.freeze(withTexts(this));
  }

  /**
   * Draws a seed, then the index of one of its candidates.
   *
   * @param gradient d numbers, left as they are
   * @param gradientBound G
   * @returns an object with the seed, a BigInt, and the index
   */
  choose(gradient, gradientBound) {
    checkVector(gradient, 'the gradient', this.dimension);
    checkValue(isPositive(gradientBound), 'gradientBound', gradientBound, 'positive and finite');
    const table = knots();
    // Independently of the gradient.
    const seeds = this.#seeds;
    seeds.renew();
    seeds.next();
    const seed = { low: seeds.low, high: seeds.high };
    seeds.renew();
    const direction = lift(gradient, gradientBound);
    const heights = new Float64Array(this.candidates / 2);
    const state = new Word();
    const word = new Word();
    for (let pair = 0; pair < heights.length; pair++) {
      heights[pair] = height(table, seed, pair, direction, state, word);
    }
    direction.fill(0);
    const words = this.#words;
    words.renew();
    const index = drawIndex(topOf(heights, this.top), words, this.#coin);
    words.renew();
    return withTexts({ seed: (BigInt(seed.high) << 32n) | BigInt(seed.low), index });
  }

  /** The vector that the job makes of a release: its mean is the clipped gradient. */
  expand(choice, gradientBound) {
    checkChoice(choice);
    checkValue(isPositive(gradientBound), 'gradientBound', gradientBound, 'positive and finite');
    const { seed, index } = choice;
    return expandCandidate(seed, index, this.scale * gradientBound, this.dimension);
  }
}

/** One bit, inverted with probability 1 / (1 + exp(epsilon)), rounded up: epsilon-LDP. Every release spends epsilon. */
export class RandomisedResponse {
  #words;
  #flips;

  constructor(options) {
    const { epsilon, crypto = globalThis.crypto } = optionsOf('RandomisedResponse', options, ['epsilon', 'crypto']);
    this.epsilonNanos = epsilonUnits(epsilon);
    this.epsilon = Number(this.epsilonNanos) / 1e9;
    this.#flips = flips(this.epsilonNanos);
    this.#words = new Words(crypto);
    Object.freeze(withTexts(this));
  }

  /** The answer, or its opposite. The draw doesn't depend on the answer. */
  release(answer) {
    check(typeof answer === 'boolean', 'the answer', kindOf(answer), 'true or false');
    this.#words.renew();
    const flipped = this.#words.next63() < this.#flips;
    this.#words.renew();
    return answer !== flipped;
  }
}

const MOST_CATEGORIES = 4096;
const MOST_GROUPS = 1024;

/** The group of a category among `groups` of them, by a seed in two halves: docs/statistics.md. */
function groupOf(seed, category, groups) {
  // Below 2^42, exact in a double.
  return Math.floor((startOf(seed, category, new Word()).high * groups) / 2 ** 32);
}

/**
 * Hashed response: the group of one of k categories, exp(epsilon) times as probable as each other one. Where k is at most
 * 3 exp(epsilon) + 2 and 1024, each category is a group; otherwise a public seed assigns them to groups. docs/statistics.md
 * specifies it. Every release spends epsilon.
 */
export class HashedResponse {
  #seeds;
  #words;
  #coin;

  /**
   * @param epsilon in nats, from 1e-9 to 16; rounded down to a multiple of 1e-9
   * @param categories k, from 2 to 4096
   * @param crypto where the random bits come from
   */
  constructor(options) {
    const { epsilon, categories, crypto = globalThis.crypto } =
      optionsOf('HashedResponse', options, ['epsilon', 'categories', 'crypto']);
    this.epsilonNanos = epsilonUnits(epsilon);
    this.epsilon = Number(this.epsilonNanos) / 1e9;
    checkValue(
      Number.isInteger(categories) && categories >= 2 && categories <= MOST_CATEGORIES,
      'categories', categories, `an integer from 2 to ${MOST_CATEGORIES}`);
    this.categories = categories;
    /** Whether a seed assigns the categories to groups. */
    this.isHashed = categories > Math.min(MOST_GROUPS, 3 * Math.exp(this.epsilon) + 2);
    this.groups = this.isHashed ? Math.min(MOST_GROUPS, Math.round(Math.exp(this.epsilon) + 1)) : categories;
    this.#coin = acceptance(this.epsilonNanos);
    // Of its own calls to the generator: the seed is public, and the words of the group aren't.
    this.#seeds = new Words(crypto);
    this.#words = new Words(crypto);
    Object.freeze(withTexts(this));
  }

  /**
   * Draws a seed, if one is needed, then a group.
   *
   * @param category from 0 to k - 1
   * @returns an object with the seed, a BigInt, or null, and the group
   */
  release(category) {
    check(
      Number.isInteger(category) && category >= 0 && category < this.categories,
      'category', typeof category === 'number' ? 'out of range' : kindOf(category),
      `an integer from 0 to ${this.categories - 1}`);
    let seed = null;
    let own = category;
    if (this.isHashed) {
      const seeds = this.#seeds;
      seeds.renew();
      seeds.next();
      seed = (BigInt(seeds.high) << 32n) | BigInt(seeds.low);
      own = groupOf({ low: seeds.low, high: seeds.high }, category, this.groups);
      seeds.renew();
    }
    const favoured = new Uint8Array(this.groups);
    favoured[own] = 1;
    const words = this.#words;
    words.renew();
    const group = drawIndex(favoured, words, this.#coin);
    words.renew();
    return withTexts({ seed, group });
  }
}

/** The most letters of an alphabet. */
const MOST_LETTERS = 128;

/** The letters of an alphabet, in its order: abc of a-c. */
function lettersOf(alphabet) {
  let letters = '';
  for (let i = 0; i < alphabet.length; i++) {
    const isRange = i + 2 < alphabet.length && alphabet[i + 1] === '-';
    const last = alphabet.charCodeAt(isRange ? i + 2 : i);
    for (let c = alphabet.charCodeAt(i); c <= last; c++) {
      requireUpdate(letters.length < MOST_LETTERS, `an alphabet has more than ${MOST_LETTERS} letters`);
      letters += String.fromCharCode(c);
    }
    i += isRange ? 2 : 0;
  }
  return letters;
}

/** What the devices of a round vote for in a statistic of prefixes: docs/statistics.md. */
function textsOf({ alphabet = '', length = 0, top = 0 }, { prefixes = [], texts = [] }) {
  const letters = lettersOf(alphabet);
  const places = Math.floor((MOST_CATEGORIES - top) / (letters.length + 1));
  return Object.freeze({
    letters, length, top, prefixes: Object.freeze([...prefixes]), texts: Object.freeze([...texts]),
    count: top + places * (letters.length + 1),
  });
}

/** The number of a text's candidate; what is no text of the alphabet counts as the empty text. */
function candidateOf({ letters, length, top, prefixes, texts }, value) {
  const isValid =
    typeof value === 'string' && value.length <= length && value.split('').every((letter) => letters.includes(letter));
  const text = isValid ? value : '';
  const place = text === '' ? -1 : texts.indexOf(text);
  if (place >= 0) {
    return place;
  }
  let longest = 0;
  for (let i = 1; i < prefixes.length; i++) {
    if (prefixes[i].length > prefixes[longest].length && text.startsWith(prefixes[i])) {
      longest = i;
    }
  }
  const next = prefixes[longest].length;
  const letter = next === text.length ? letters.length : letters.indexOf(text[next]);
  return top + longest * (letters.length + 1) + letter;
}

/** The number of a category; a value that is none of them counts as the last one. */
function categoryOf(statistic, value) {
  if (statistic.kind === 'prefixes') {
    return candidateOf(statistic.texts, value);
  }
  const index = statistic.categories.indexOf(value);
  return index >= 0 ? index : statistic.categories.length - 1;
}

// ---------------------------------------------------------------------------------------------------------
// A person's features, as a model's spec describes them
// ---------------------------------------------------------------------------------------------------------

/** Where standardised numbers are clipped. */
const MOST_DEVIATIONS = 3;

function scaledByRange({ from, to }, x) {
  const within = Math.max(from, Math.min(to, x));
  return (2 * (within - from)) / (to - from) - 1;
}

function scaledByMoments({ mean, deviation }, x) {
  return Math.max(-MOST_DEVIATIONS, Math.min(MOST_DEVIATIONS, (x - mean) / deviation)) / MOST_DEVIATIONS;
}

/** Divides by the norm where that is above 1, without overflow of the squares. */
function shortened(name, encoded) {
  check(encoded.every(Number.isFinite), `the output of the encoder of feature '${name}'`, 'malformed', 'finite');
  const largest = encoded.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) {
    return encoded;
  }
  const root = Math.sqrt(encoded.reduce((sum, value) => sum + (value / largest) * (value / largest), 0));
  return largest * root > 1 ? encoded.map((value) => value / largest / root) : encoded;
}

function checkBytes(bytes, name) {
  check(bytes instanceof Uint8Array, name, kindOf(bytes), 'a Uint8Array');
}

/** The number of values of a feature. */
function valuesOf({ name, intercept, range, moments, yesNo, oneHot, encoder }) {
  if (oneHot !== undefined) {
    return oneHot.categories.length + (oneHot.other ? 1 : 0);
  }
  if (encoder !== undefined) {
    return encoder.length;
  }
  const isKnown = [intercept, range, moments, yesNo].some((kind) => kind !== undefined);
  check(isKnown, `the kind of feature '${name}'`, `unknown to croupier.js ${VERSION}`, 'one that this version knows');
  return 1;
}

/**
 * How a model's features are computed from one person's values, as its updates describe it. Every device makes the same
 * vector of the same row, bit for bit. All values are from -1 to 1. No error contains a value of a person.
 */
export class Features {
  #list;
  #encoders;

  /**
   * @param list the features of a valid spec, in the JSON mapping of Protobuf
   */
  constructor(list, encoders = new Map()) {
    check(
      Array.isArray(list) && list.every((feature) => typeof feature?.name === 'string'),
      'the list of features', Array.isArray(list) ? 'malformed' : kindOf(list), 'an array of objects with a name and a kind');
    this.#list = list;
    this.#encoders = encoders;
    this.names = Object.freeze(list.map(({ name }) => name));
    this.size = list.reduce((sum, feature) => sum + valuesOf(feature), 0);
    /** Bounds the L2 norm of every vector, up to rounding. */
    this.largestNorm = Math.sqrt(list.length);
    Object.freeze(this);
  }

  /**
   * The same features with an encoder that the page contains.
   *
   * @param name of the feature
   * @param bytes of the encoder, a Uint8Array; an error if they don't have the digest of the spec
   * @param encode returns as many finite numbers as the feature has values
   */
  withEncoder(name, bytes, encode) {
    const feature = this.#list.find((candidate) => candidate.name === name && candidate.encoder !== undefined);
    checkValue(feature !== undefined, 'feature', name, 'one with an encoder');
    checkBytes(bytes, 'the encoder');
    checkFunction(encode, 'encode');
    const digest = Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
    check(
      digest === feature.encoder.digest, `the digest of the encoder of feature '${name}'`, digest,
      `that of the model, ${feature.encoder.digest}`);
    return new Features(this.#list, new Map([...this.#encoders, [name, encode]]));
  }

  /**
   * The vector of one row.
   *
   * @param row an object by name of the feature: a number for a range and for moments, true or false for yes or no, a
   *     text for a category, and for an encoder what it takes. Other members are ignored, but counted in the error if a
   *     feature is missing
   * @throws CroupierError if a value is missing, of another type or not finite, or an encoder is missing
   */
  vector(row) {
    check(isObject(row), 'the row', kindOf(row), "an object with the person's values by the features' names");
    return Float64Array.from(this.#list.flatMap((feature) => this.#values(feature, row)));
  }

  #values({ name, intercept, range, moments, yesNo, oneHot, encoder }, row) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    const is = (type, right) => {
      check(value !== undefined && value !== null, `feature '${name}'`, 'missing', right + this.#others(row));
      check(type === null || typeof value === type, `feature '${name}'`, kindOf(value), right);
      check(type !== 'number' || Number.isFinite(value), `feature '${name}'`, 'not finite', right);
    };
    if (intercept !== undefined) {
      return 1;
    }
    if (yesNo !== undefined) {
      is('boolean', 'true or false');
      return value ? 1 : 0;
    }
    if (oneHot !== undefined) {
      is('string', 'a text');
      const values = oneHot.categories.map((category) => (category === value ? 1 : 0));
      return oneHot.other ? [...values, oneHot.categories.includes(value) ? 0 : 1] : values;
    }
    if (encoder !== undefined) {
      is(null, 'what its encoder takes');
      return this.#encoded(name, encoder, value);
    }
    is('number', 'a number');
    return range !== undefined ? scaledByRange(range, value) : scaledByMoments(moments, value);
  }

  /** How many names of a row are no feature's: a misspelt one may be data, so none is quoted. */
  #others(row) {
    const others = Object.keys(row).filter((name) => !this.names.includes(name)).length;
    return others === 0 ? '' : `; names in the row that are no feature's: ${others}`;
  }

  #encoded(name, { digest, length }, value) {
    const encode = this.#encoders.get(name);
    check(encode !== undefined, `the encoder of feature '${name}'`, 'missing', `given, with the digest ${digest}`);
    const encoded = encode(value);
    checkVector(encoded, `the output of the encoder of feature '${name}'`, length);
    return shortened(name, Array.from(encoded));
  }
}

/** The features of an update; without any where its spec doesn't describe them. */
function featuresOf(update, dimension) {
  const list = update.features ?? [];
  requireUpdate(Array.isArray(list) && list.every(isObject), 'its features are no list of objects');
  // Numbers of the JSON mapping of Protobuf may be texts.
  const features = new Features(list.map(({ range, moments, ...feature }) => ({
    ...feature,
    ...(range && { range: { from: numberOf(range.from), to: numberOf(range.to) } }),
    ...(moments && { moments: { mean: numberOf(moments.mean), deviation: numberOf(moments.deviation) } }),
  })));
  requireUpdate(
    features.names.length === 0 || dimension % features.size === 0,
    `the features make ${features.size} values; there are ${dimension} weights`);
  return features;
}

// ---------------------------------------------------------------------------------------------------------
// Losses of a linear prediction, and a person's rows
// ---------------------------------------------------------------------------------------------------------

/** Huber's constant, with 95 % of the efficiency of least squares for normal residuals. */
export const HUBER_C = 1.345;

function probability(logOdds) {
  return 1 / (1 + Math.exp(-logOdds));
}

/** The cross-entropy log(1 + e^p) - y p of a prediction p (log odds) and a target of 0 or 1. */
export const logistic = Object.freeze({
  name: 'logistic',
  hasClasses: true,
  steepest: 1,
  value(prediction, target) {
    const wrong = target > 0.5 ? -prediction : prediction;
    return Math.max(wrong, 0) + Math.log1p(Math.exp(-Math.abs(wrong)));
  },
  slope(prediction, target) {
    return target > 0.5 ? -probability(-prediction) : probability(prediction);
  },
});

/** The place of the highest score, the first one of several. */
function highest(scores) {
  let place = 0;
  for (let c = 1; c < scores.length; c++) {
    place = scores[c] > scores[place] ? c : place;
  }
  return place;
}

/**
 * The cross-entropy of the softmax of k scores <x, w_c> and a target from 0 to k - 1. The weights w of the model
 * are the w_c, one after the other.
 *
 * @param classes the number k, at least 2
 */
export function softmax(classes) {
  checkValue(Number.isInteger(classes) && classes >= 2, 'number of classes', classes, 'a whole number of at least 2');
  return Object.freeze({
    name: 'softmax',
    hasClasses: true,
    classes,
    steepest: Math.SQRT2,
    value(scores, target) {
      checkVector(scores, 'the scores', classes);
      const place = highest(scores);
      const others = scores.reduce((sum, score, c) => (c === place ? sum : sum + Math.exp(score - scores[place])), 0);
      return scores[place] - scores[target] + Math.log1p(others);
    },
    /** The scores of the classes at weights of the model. */
    scores(weights, x) {
      checkVector(weights, 'the weights');
      checkVector(x, 'the features');
      check(
        weights.length === classes * x.length, 'number of weights', weights.length,
        `${classes} times that of the features, ${x.length}`);
      return Float64Array.from({ length: classes }, (_, c) => {
        let score = 0;
        for (let j = 0; j < x.length; j++) {
          score += weights[c * x.length + j] * x[j];
        }
        return score;
      });
    },
    probabilities(scores) {
      checkVector(scores, 'the scores', classes);
      const place = highest(scores);
      const powers = scores.map((score) => Math.exp(score - scores[place]));
      const sum = powers.reduce((total, power) => total + power, 0);
      return powers.map((power) => power / sum);
    },
    /** The class of the highest score, the first one of several. */
    predicted(scores) {
      checkVector(scores, 'the scores', classes);
      return highest(scores);
    },
    slopes(scores, target) {
      const slopes = this.probabilities(scores);
      // The sum of the others, since 1 - p would cancel.
      slopes[target] = -slopes.reduce((total, slope, c) => (c === target ? total : total + slope), 0);
      return slopes;
    },
  });
}

/** Half the square of the residual. Its slope has no bound. */
export const squared = Object.freeze({
  name: 'squared',
  hasClasses: false,
  steepest: Infinity,
  value(prediction, target) {
    const residual = prediction - target;
    return (residual * residual) / 2;
  },
  slope(prediction, target) {
    return prediction - target;
  },
});

/** The absolute value of the residual; where it is 0, the slope is 0. */
export const absolute = Object.freeze({
  name: 'absolute',
  hasClasses: false,
  steepest: 1,
  value(prediction, target) {
    return Math.abs(prediction - target);
  },
  slope(prediction, target) {
    return Math.sign(prediction - target);
  },
});

/**
 * Huber's loss: quadratic up to residuals of c times the scale, and linear from there.
 *
 * @param c in units of the scale
 * @param scale of the residuals
 */
export function huber(options = {}) {
  const { c = HUBER_C, scale = 1 } = optionsOf('huber', options, ['c', 'scale']);
  checkValue(isPositive(c), 'c', c, 'positive and finite');
  checkValue(isPositive(scale), 'scale', scale, 'positive and finite');
  return Object.freeze({
    name: 'huber',
    hasClasses: false,
    steepest: c,
    value(prediction, target) {
      const residual = Math.abs(prediction - target) / scale;
      return scale * (residual <= c ? (residual * residual) / 2 : c * (residual - c / 2));
    },
    slope(prediction, target) {
      return Math.max(-c, Math.min(c, (prediction - target) / scale));
    },
  });
}

/** The L2 norm, without overflow or underflow of the squares; NaN or infinite if a coordinate is. */
export function norm(vector) {
  checkVector(vector, 'the vector');
  let largest = 0;
  for (const value of vector) {
    largest = Math.max(largest, Math.abs(value));
  }
  if (!(largest > 0 && largest <= Number.MAX_VALUE)) {
    return largest;
  }
  let sum = 0;
  for (const value of vector) {
    const ratio = value / largest;
    sum += ratio * ratio;
  }
  return largest * Math.sqrt(sum);
}

/**
 * Mallows weights min(1, k / ||x||) of rows. With Huber's loss and k = G / c, no gradient is longer than G.
 *
 * @param features the rows
 * @param k the norm above which a row is weighted down; positive
 */
export function mallowsWeights(features, k) {
  check(Array.isArray(features), 'features', kindOf(features), 'an array of rows');
  checkValue(isPositive(k), 'k', k, 'positive and finite');
  return features.map((row) => {
    const length = norm(row);
    return length > k ? k / length : 1;
  });
}

/** Whether a size is above the clip. A size that is no number of at least 0 counts as infinite. */
function isSizeAbove(size, clip) {
  return !(size >= 0 && size <= clip);
}

/** The gradient times min(1, clip / size). */
function scaledBy(gradient, size, clip) {
  if (!isSizeAbove(size, clip)) {
    return gradient;
  }
  const factor = size > clip ? clip / size : 0;
  return Float64Array.from(gradient, (value) => factor * value);
}

/** A loss of this module, or one of the page with the same members. */
function checkLoss(loss) {
  const right = 'logistic, softmax(k), squared, absolute or huber(), as this module exports them, without quotes';
  check(loss !== softmax, 'loss', 'softmax without its number of classes', 'softmax(k), such as softmax(3)');
  check(loss !== huber, 'loss', 'huber without its call', 'huber()');
  checkValue(
    isObject(loss) && typeof loss.value === 'function' && typeof loss.steepest === 'number'
      && typeof (loss.classes === undefined ? loss.slope : loss.slopes) === 'function',
    'loss', loss, right);
}

/**
 * One person's rows, with predictions <x, w>, or k scores <x, w_c>. Checks them when they are created: an error later would disclose
 * something of the data.
 */
export class Rows {
  #features;
  #targets;
  #importance;
  #loss;
  #scores;

  /**
   * @param features rows of finite numbers, as many in each; the model has as many weights, for each class of softmax
   * @param targets one for each row, finite; 0 or 1 for the logistic loss, 0 to k - 1 for softmax(k)
   * @param loss logistic, softmax(k), squared, absolute, or huber(...)
   * @param importance factor of each row's loss, not negative; by default 1
   */
  constructor(options) {
    const { features, targets, loss, importance } =
      optionsOf('Rows', options, ['features', 'targets', 'loss', 'importance']);
    checkLoss(loss);
    check(Array.isArray(features) && features.length > 0, 'features', kindOf(features), 'an array of rows, at least one');
    const count = features.length;
    checkVector(targets, 'targets');
    const weights = importance ?? Array.from(targets, () => 1);
    checkVector(weights, 'importance');
    check(
      targets.length === count && weights.length === count,
      'number of targets or weights', `${targets.length}, ${weights.length}`, `that of the rows, ${count}`);
    features.forEach((row) => checkVector(row, 'a row of the features', features[0]?.length));
    const width = features[0].length;
    const areFinite = features.every((row) => Array.from(row).every(Number.isFinite));
    check(width >= 1 && areFinite, 'a row', 'malformed', 'as long as the others, of finite numbers');
    check(Array.from(weights).every((u) => Number.isFinite(u) && u >= 0), 'a weight', 'malformed', 'at least 0');
    const classes = loss.classes ?? 2;
    const isTarget = (y) => Number.isFinite(y) && (!loss.hasClasses || (Number.isInteger(y) && y >= 0 && y < classes));
    const right = classes === 2 ? '0 or 1' : `a whole number from 0 to ${classes - 1}`;
    const wrong = Array.from(targets).findIndex((y) => !isTarget(y));
    check(
      wrong < 0, 'a target', typeof targets[wrong] === 'number' ? 'malformed' : kindOf(targets[wrong]),
      (loss.hasClasses ? right : 'a finite number') + (typeof targets[wrong] === 'boolean' ? ': Number(true) is 1' : ''));
    this.#features = features.map((row) => Float64Array.from(row));
    this.#targets = Float64Array.from(targets);
    this.#importance = Float64Array.from(weights);
    this.#loss = loss;
    this.#scores = loss.classes ?? 1;
    this.dimension = width * this.#scores;
    this.count = count;
    Object.freeze(this);
  }

  #predictions(row, weights) {
    const features = this.#features[row];
    const predictions = new Float64Array(this.#scores);
    for (let c = 0; c < this.#scores; c++) {
      for (let j = 0; j < features.length; j++) {
        predictions[c] += features[j] * weights[c * features.length + j];
      }
    }
    return predictions;
  }

  #slopes(row, weights) {
    const predictions = this.#predictions(row, weights);
    const target = this.#targets[row];
    return this.#scores === 1 ? [this.#loss.slope(predictions[0], target)] : this.#loss.slopes(predictions, target);
  }

  /** The gradient of the mean loss of all rows. */
  gradient(weights) {
    checkVector(weights, 'the weights', this.dimension);
    const mean = new Float64Array(this.dimension);
    for (let row = 0; row < this.count; row++) {
      const features = this.#features[row];
      this.#slopes(row, weights).forEach((slope, c) => {
        const factor = this.#importance[row] * slope;
        for (let j = 0; j < features.length; j++) {
          mean[c * features.length + j] += (factor * features[j]) / this.count;
        }
      });
    }
    return mean;
  }

  #checkRow(row) {
    checkValue(
      Number.isInteger(row) && row >= 0 && row < this.count, 'row', row, `a whole number from 0 to ${this.count - 1}`);
  }

  /** The loss of one row. */
  loss(row, weights) {
    this.#checkRow(row);
    checkVector(weights, 'the weights', this.dimension);
    const predictions = this.#predictions(row, weights);
    const value = this.#loss.value(this.#scores === 1 ? predictions[0] : predictions, this.#targets[row]);
    return this.#importance[row] * value;
  }

  /** The size of the gradient of the mean loss, as the clip of a round bounds it. */
  size(terms, weights) {
    check(isObject(terms), 'terms', kindOf(terms), 'those of a snapshot');
    checkVector(weights, 'the weights', this.dimension);
    if (terms.size !== 'FEATURES') {
      return norm(this.gradient(weights));
    }
    let mean = 0;
    for (let row = 0; row < this.count; row++) {
      mean += (terms.slopeBound * (this.#importance[row] * norm(this.#features[row]))) / this.count;
    }
    return mean;
  }

  /** Whether these data can answer a question; that doesn't depend on their values. */
  canAnswer(question) {
    check(isObject(question), 'question', kindOf(question), "one of a snapshot's terms");
    return question.kind === 'accuracy' ? this.#loss.hasClasses : question.kind === 'lossAbove';
  }

  /** The true answer of one row to a question about the published average. */
  answer(question, row, average) {
    this.#checkRow(row);
    check(this.canAnswer(question), 'question', question.name, 'one that these data can answer');
    if (question.kind === 'accuracy') {
      checkVector(average, 'the average', this.dimension);
      const predictions = this.#predictions(row, average);
      const label = this.#scores === 1 ? Number(predictions[0] > 0) : highest(predictions);
      return label === this.#targets[row];
    }
    return this.loss(row, average) > question.threshold;
  }

  /** The rows' numbers as bytes. */
  bytes() {
    const rows = this.#features.flatMap((row, i) => [...row, this.#targets[i], this.#importance[i]]);
    return doubles([this.count, this.dimension].concat(rows));
  }

  /** Whether the loss has a bounded slope, which a clip of FEATURES requires. */
  get hasBoundedSlope() {
    return this.#loss.steepest <= Number.MAX_VALUE;
  }
}

// ---------------------------------------------------------------------------------------------------------
// A published update
// ---------------------------------------------------------------------------------------------------------

const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Number of the JSON mapping of Protobuf, where 64-bit integers and special values are strings. */
function numberOf(value) {
  return typeof value === 'string' && value !== '' ? Number(value) : value;
}

function requireUpdate(condition, otherwise) {
  if (!condition) {
    throw new CroupierError(`not a usable ModelUpdate: ${otherwise}`);
  }
}

function vectorOf(values, field) {
  requireUpdate(Array.isArray(values) && values.length > 0, `${field} is missing`);
  const vector = Float64Array.from(values, numberOf);
  requireUpdate(vector.every(Number.isFinite), `${field} has a value that is not finite`);
  return vector;
}

/** floor(log2 bound) - 16, of a positive double. */
function gridExponentOf(bound) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, bound);
  return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023 - 16;
}

function questionOf(estimate) {
  const question = estimate.question ?? {};
  const kind = question.accuracy !== undefined ? 'accuracy' : question.lossAbove !== undefined ? 'lossAbove' : 'unknown';
  const name = question.name ?? '';
  requireUpdate(NAME.test(name), 'a question has no valid name');
  return Object.freeze({ name, kind, threshold: kind === 'lossAbove' ? numberOf(question.lossAbove.threshold) : null });
}

function statisticOf(estimate) {
  const statistic = estimate.statistic ?? {};
  const kind = ['choice', 'quantiles', 'prefixes'].find((each) => statistic[each] !== undefined) ?? 'unknown';
  const name = statistic.name ?? '';
  requireUpdate(NAME.test(name), 'a statistic has no valid name');
  const categories = Object.freeze([...(statistic.choice?.categories ?? [])]);
  requireUpdate(kind !== 'choice' || categories.length >= 2, 'a choice has fewer than 2 categories');
  const threshold = kind === 'quantiles' ? numberOf(estimate.threshold) : null;
  requireUpdate(kind !== 'quantiles' || Number.isFinite(threshold), 'a statistic of quantiles has no threshold');
  const texts = kind === 'prefixes' ? textsOf(statistic.prefixes, estimate.texts ?? {}) : null;
  requireUpdate(kind !== 'prefixes' || texts.prefixes[0] === '', 'a statistic of prefixes has no empty prefix');
  return Object.freeze({ name, kind, categories, threshold, texts });
}

function isProbability(p) {
  return p >= 0 && p <= 1;
}

/**
 * What the job lets a person spend on a model over all time, as far as a device can compare it with its own reports.
 */
function limitsOf({ epsilon = Infinity, reports = Infinity, delta, perDays }) {
  const isForLife = perDays === undefined;
  // With a delta, the sum of epsilons may exceed the epsilon that the job computes.
  const limits = {
    epsilon: isForLife && delta === undefined ? numberOf(epsilon) : Infinity,
    reports: isForLife ? numberOf(reports) : Infinity,
  };
  requireUpdate(Object.values(limits).every(limit => typeof limit === 'number' && limit > 0), 'a limit is no number above 0');
  return Object.freeze(limits);
}

/**
 * The terms on which a round takes reports.
 *
 * size: what the clip bounds, 'FEATURES' or 'GRADIENT', if it moves; null if it is fixed; 'UNKNOWN' if this version
 * doesn't know it.
 */
function termsOf(update, modelId, round, dimension) {
  const gradientBound = dimension === 0 ? 0 : numberOf(update.gradientBound);
  requireUpdate(dimension === 0 || isPositive(gradientBound), 'gradientBound is missing, or not positive and finite');
  const gridExponent = dimension === 0 ? 0 : update.gridExponent;
  requireUpdate(Number.isInteger(gridExponent), 'gridExponent is missing');
  const questions = Object.freeze((update.estimates ?? []).map(questionOf));
  const statistics = Object.freeze((update.statistics ?? []).map(statisticOf));
  const hasSize = update.size !== undefined && update.size !== null;
  const size = !hasSize ? null : ['FEATURES', 'GRADIENT'].includes(update.size) ? update.size : 'UNKNOWN';
  const answerProbability = numberOf(update.answerProbability ?? 1);
  const isAsking = questions.length > 0 || statistics.length > 0 || hasSize;
  const questionProbability = isAsking ? numberOf(update.questionProbability ?? 0) : 0;
  requireUpdate(isProbability(answerProbability), 'answerProbability is not from 0 to 1');
  requireUpdate(isProbability(questionProbability), 'questionProbability is not from 0 to 1');
  requireUpdate(dimension > 0 || questionProbability === 1, 'questionProbability is not 1, without weights');
  const slopeBound = size === 'FEATURES' ? numberOf(update.slopeBound) : 0;
  requireUpdate(size !== 'FEATURES' || isPositive(slopeBound), 'slopeBound is missing, with size FEATURES');
  requireUpdate(!hasSize || gridExponent === gridExponentOf(gradientBound), "gridExponent isn't that of gradientBound");
  return Object.freeze({
    modelId, round, dimension, gradientBound, gridExponent, answerProbability, questionProbability, questions, statistics,
    size, slopeBound, isScouting: hasSize && questionProbability >= 1, limits: limitsOf(update.limits ?? {}),
  });
}

/** Terms as a snapshot contains them. */
function checkTerms(terms) {
  check(
    isObject(terms) && NAME.test(terms.modelId) && Number.isSafeInteger(terms.round) && isObject(terms.limits),
    'terms', isObject(terms) ? 'another object' : kindOf(terms), 'those of a snapshot, of gateway.follow() or newest()');
}

function checkSnapshot(snapshot) {
  const isSnapshot = isObject(snapshot) && isObject(snapshot.terms) && Array.isArray(snapshot.windows);
  check(
    isSnapshot, 'snapshot', isObject(snapshot) ? 'another object' : kindOf(snapshot), 'one of gateway.follow() or newest()');
  checkTerms(snapshot.terms);
}

function checkModelId(modelId) {
  checkValue(
    typeof modelId === 'string' && NAME.test(modelId) && modelId !== '.' && modelId !== '..', 'modelId', modelId,
    "1 to 100 letters, digits, '.', '_' or '-', and neither '.' nor '..'");
}

/** A window that the gateway grants tokens for; its levels without priv_unit are null. */
function windowOf(window) {
  const [number, firstRound, lastRound] = [window.window, window.firstRound, window.lastRound].map(numberOf);
  requireUpdate(
    [number, firstRound, lastRound].every(Number.isSafeInteger) && number >= 0 && firstRound <= lastRound,
    'a window has no valid number, firstRound and lastRound');
  const levels = (window.levels ?? []).map(({ privUnit, modulus }) => {
    if (privUnit === undefined) {
      return null;
    }
    const key = fromBase64(modulus ?? '');
    requireUpdate(
      key.length === MODULUS_BYTES && key[0] >= 0x80 && key[MODULUS_BYTES - 1] % 2 === 1,
      `the key of a window has ${key.length} bytes; it must be an odd number of 2048 bits`);
    const { candidates, top } = privUnit;
    return Object.freeze({ epsilon: numberOf(privUnit.epsilon), candidates, top, modulus: key });
  });
  return Object.freeze({ window: number, firstRound, lastRound, levels: Object.freeze(levels) });
}

/**
 * Reads a ModelUpdate in the JSON mapping of Protobuf.
 *
 * @returns modelId, round, weights, average, terms, windows with tokens, features, and the update itself
 * @throws CroupierError if it lacks a value, or one is out of range
 */
export function readUpdate(update) {
  requireUpdate(isObject(update), `it is ${kindOf(update)}; it must be an object`);
  try {
    return snapshotOf(update);
  } catch (failure) {
    throw failure instanceof CroupierError
      ? failure
      : new CroupierError('not a usable ModelUpdate: a field is malformed', { cause: failure });
  }
}

function snapshotOf(update) {
  const modelId = update.modelId ?? '';
  requireUpdate(NAME.test(modelId), 'modelId is missing');
  const round = numberOf(update.round);
  requireUpdate(Number.isSafeInteger(round) && round >= 0, 'round is missing, negative or too large');
  // A model of statistics alone has no learner, and so no weights and no gradientBound.
  const isAlone = update.gradientBound === undefined && (update.statistics ?? []).length > 0;
  const weights = isAlone ? new Float64Array() : vectorOf(update.weights, 'weights');
  const average = isAlone ? new Float64Array() : vectorOf(update.average, 'average');
  requireUpdate(average.length === weights.length, 'average and weights differ in length');
  return Object.freeze({
    modelId, round, weights, average, terms: termsOf(update, modelId, round, weights.length),
    windows: Object.freeze((update.windows ?? []).map(windowOf)), update,
    // Only devices that use them need to know their kinds.
    get features() {
      return featuresOf(update, weights.length);
    },
  });
}

// ---------------------------------------------------------------------------------------------------------
// SHA-256, for the lots of rounds
// ---------------------------------------------------------------------------------------------------------

/** The first 32 bits of the fractional parts of the roots of the first primes, cut off. */
function fractionsOfRoots(count, power) {
  const words = [];
  for (let n = 2; words.length < count; n++) {
    let isPrime = true;
    for (let k = 2; k * k <= n; k++) {
      isPrime &&= n % k !== 0;
    }
    if (isPrime) {
      words.push(integerRoot(BigInt(n) << BigInt(32 * power), BigInt(power)));
    }
  }
  return Int32Array.from(words, (word) => Number(BigInt.asIntN(32, word)));
}

/** floor(number^(1/power)), by bisection. */
function integerRoot(number, power) {
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** power <= number) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

const SHA_START = fractionsOfRoots(8, 2);
const SHA_ROUND = fractionsOfRoots(64, 3);

function rotate(x, bits) {
  return (x >>> bits) | (x << (32 - bits));
}

function sha256(bytes) {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(64 * blocks);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, 8 * bytes.length);
  const state = Int32Array.from(SHA_START);
  const w = new Int32Array(64);
  for (let block = 0; block < blocks; block++) {
    for (let t = 0; t < 16; t++) {
      w[t] = view.getInt32(64 * block + 4 * t);
    }
    for (let t = 16; t < 64; t++) {
      const s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ (w[t - 15] >>> 3);
      const s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ (w[t - 2] >>> 10);
      w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const first = (h + s1 + ((e & f) ^ (~e & g)) + SHA_ROUND[t] + w[t]) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      state[i] += word;
    });
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** HMAC-SHA256, for keys of at most 64 bytes. */
function hmac(key, message) {
  const inner = new Uint8Array(64).fill(0x36);
  const outer = new Uint8Array(64).fill(0x5c);
  key.forEach((byte, i) => {
    inner[i] ^= byte;
    outer[i] ^= byte;
  });
  return sha256(concat(outer, sha256(concat(inner, message))));
}

/** Names of models, devices and questions are of these characters alone. */
function ascii(text) {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    check(code < 0x80, 'a name', 'not ASCII', 'of ASCII characters');
    return code;
  });
}

/** A number in [0, 1) that depends on the secret, the purpose, the model and the round alone. */
function lot(secret, purpose, modelId, round) {
  const number = new DataView(new ArrayBuffer(8));
  number.setUint32(0, Math.floor(round / 2 ** 32));
  number.setUint32(4, round % 2 ** 32);
  const message = concat(ascii(purpose), ascii(modelId), new Uint8Array(number.buffer));
  const digest = new DataView(hmac(secret, message).buffer);
  return (digest.getUint32(0) * 2 ** 21 + (digest.getUint32(4) >>> 11)) * 2 ** -53;
}

const DATA_OPTIONS = ['key', 'times'];
const MOST_KEY_BYTES = 256;
const MARK_BYTES = 16;

/**
 * Which data a report is about, and how often these may be reported to a model: {key, times}.
 *
 * @param key a text of the caller, or the bytes of the data
 */
function dataOf({ key, times = 1 }) {
  const isText = typeof key === 'string';
  const length = isText ? new TextEncoder().encode(key).length : key?.length;
  check(
    length >= 1 && (isText ? length <= MOST_KEY_BYTES : key instanceof Uint8Array),
    'key', isText ? `a text of ${length} bytes` : kindOf(key),
    `a text of 1 to ${MOST_KEY_BYTES} bytes that names the data, such as their day or version`);
  // In UTF-8, two texts with other halves of a pair would be one.
  check(!isText || !/\p{Surrogate}/u.test(key), 'key', 'a text with half of a surrogate pair', 'a text of whole characters');
  checkValue(times === Infinity || (Number.isSafeInteger(times) && times >= 1), 'times', times, 'a whole number of at least 1');
  return { key, times };
}

/** The name of a model's data in the ledger, which reveals neither a key nor data without the secret. */
function markOf(secret, modelId, key) {
  const isText = typeof key === 'string';
  const message = concat(
    ascii('croupier data'), [0], ascii(modelId), [0, isText ? 1 : 0], isText ? new TextEncoder().encode(key) : key);
  return toHex(hmac(secret, message).subarray(0, MARK_BYTES));
}

/** Numbers as big-endian doubles. */
function doubles(numbers) {
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((number, i) => view.setFloat64(8 * i, number));
  return new Uint8Array(view.buffer);
}

/** What a device does in a round: a function of its secret and of the terms, so it is decided once. */
function decide(secret, terms) {
  const { modelId, round } = terms;
  if (!(lot(secret, 'croupier answer', modelId, round) < terms.answerProbability)) {
    return { kind: 'none' };
  }
  if (!(lot(secret, 'croupier question', modelId, round) < terms.questionProbability)) {
    return { kind: 'gradient' };
  }
  const asked = terms.questions.length + terms.statistics.length;
  const count = asked + (terms.size === null ? 0 : 1);
  const chosen = Math.floor(lot(secret, 'croupier which question', modelId, round) * count);
  if (terms.isScouting || chosen === asked) {
    return { kind: 'size' };
  }
  return chosen < terms.questions.length
    ? { kind: 'question', question: terms.questions[chosen] }
    : { kind: 'statistic', statistic: terms.statistics[chosen - terms.questions.length] };
}

/**
 * In which publication of its window a token is used, from 0: each with the same probability, by the secret and the
 * digest of what the token is for.
 */
function slotOf(secret, challengeDigest, publications) {
  const message = concat(ascii('croupier slot'), [0], challengeDigest, new Uint8Array(4));
  return Number((integerOf(hmac(secret, message).subarray(0, 8)) * BigInt(publications)) >> 64n);
}

// ---------------------------------------------------------------------------------------------------------
// Blind tokens: RSABSSA-SHA384-PSS-Randomized (RFC 9474), with the structures of token type 2 (RFC 9577, RFC 9578)
// ---------------------------------------------------------------------------------------------------------

const TOKEN_TYPE = [0, 2];
const MODULUS_BYTES = 256;
const EXPONENT = 65537n;
const SHA384_BYTES = 48;
const NONCE_BYTES = 32;
const PREFIX_BYTES = 32;

/** A SubjectPublicKeyInfo before and after the modulus. */
const KEY_HEAD = fromHex(
  '30820152303d06092a864886f70d01010a3030a00d300b0609608648016503040202a11a301806092a864886f70d010108300b06096086480165'
  + '03040202a2030201300382010f003082010a0282010100');
const KEY_TAIL = fromHex('0203010001');

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The bytes of a text in Base64; none if it is another text. */
function fromBase64(text) {
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
    return new Uint8Array(0);
  }
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor(digits.length * 6 / 8));
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const digit of digits) {
    value = ((value << 6) | BASE64.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = value >> bits;
    }
  }
  return bytes;
}

function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = [18, 12, 6, 0].map((shift) => BASE64[(group >> shift) & 63]).join('');
    text += digits.slice(0, Math.min(4, bytes.length - i + 1)).padEnd(4, '=');
  }
  return text;
}

function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A big-endian number. */
function integerOf(bytes) {
  return BigInt(`0x0${toHex(bytes)}`);
}

function bytesOf(integer, length) {
  return fromHex(integer.toString(16).padStart(2 * length, '0'));
}

function power(base, exponent, modulus) {
  let result = 1n;
  for (let square = base % modulus, left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) {
      result = (result * square) % modulus;
    }
    square = (square * square) % modulus;
  }
  return result;
}

/** The inverse modulo a modulus, by Euclid's algorithm. */
function inverse(value, modulus) {
  let [r, next] = [modulus, value % modulus];
  let [t, following] = [0n, 1n];
  while (next !== 0n) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, following] = [following, t - quotient * following];
  }
  check(r === 1n, 'a value', 'not invertible for the modulus', 'invertible');
  return t < 0n ? t + modulus : t;
}

async function sha384(crypto, bytes) {
  if (typeof crypto?.subtle?.digest !== 'function') {
    throw new CroupierError('crypto.subtle is missing; tokens need it, which browsers have in a secure context');
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
}

/** EMSA-PSS with SHA-384 and MGF1 (RFC 8017, section 9.1.1), for a modulus of bits + 1 bits. */
async function emsaPss(crypto, message, salt, bits) {
  const length = Math.ceil(bits / 8);
  const hash = await sha384(crypto, concat(new Uint8Array(8), await sha384(crypto, message), salt));
  const block = new Uint8Array(length - SHA384_BYTES - 1);
  for (let counter = 0, at = 0; at < block.length; counter++, at += SHA384_BYTES) {
    const mask = await sha384(crypto, concat(hash, bytesOf(BigInt(counter), 4)));
    block.set(mask.subarray(0, block.length - at), at);
  }
  block[block.length - salt.length - 1] ^= 1;
  salt.forEach((byte, i) => {
    block[block.length - salt.length + i] ^= byte;
  });
  block[0] &= 0xff >> (8 * length - bits);
  return concat(block, hash, [0xbc]);
}

/** Blind: {encoded, blinded} of a prepared message. Not in constant time. */
async function blindMessage(crypto, modulus, prepared, salt, blind) {
  const n = integerOf(modulus);
  const encoded = integerOf(await emsaPss(crypto, prepared, salt, n.toString(2).length - 1));
  inverse(encoded, n);
  inverse(blind, n);
  return { encoded, blinded: bytesOf((encoded * power(blind, EXPONENT, n)) % n, modulus.length) };
}

/** Finalize: the signature, from that of the blinded message; its power must be the encoded message. */
function unblind(modulus, encoded, blindSignature, blind) {
  const n = integerOf(modulus);
  const signature = (integerOf(blindSignature) * inverse(blind, n)) % n;
  check(
    blindSignature.length === modulus.length && power(signature, EXPONENT, n) === encoded,
    'the blind signature', 'not that of the key', 'that of the key of the window');
  return bytesOf(signature, modulus.length);
}

/** The digest of what a token is for: SHA-256 of a TokenChallenge. */
function challengeDigest(modelId, window, level) {
  const declaration = new DataView(new ArrayBuffer(17));
  declaration.setUint8(0, 1);
  declaration.setFloat64(1, level.epsilon);
  declaration.setInt32(9, level.candidates);
  declaration.setInt32(13, level.top);
  const context = sha256(concat(bytesOf(BigInt(window), 8), new Uint8Array(declaration.buffer)));
  const name = ascii(modelId);
  return sha256(concat(TOKEN_TYPE, [name.length >> 8, name.length & 0xff], name, [32], context, [0, 0]));
}

/** What only the device knows of a token: nonce, prefix, salt and blind, which is uniform in [1, n). */
function drawTokenSecrets(crypto, modulus) {
  const fixed = crypto.getRandomValues(new Uint8Array(NONCE_BYTES + PREFIX_BYTES + SHA384_BYTES));
  for (;;) {
    const blind = crypto.getRandomValues(new Uint8Array(MODULUS_BYTES));
    const integer = integerOf(blind);
    if (integer > 0n && integer < integerOf(modulus)) {
      return concat(fixed, blind);
    }
  }
}

/** {blinded, finish}: what is asked for, and the token's 386 bytes from the blind signature. The same for the same secrets. */
async function tokenRequest(crypto, modulus, digest, secrets) {
  const prefixAt = NONCE_BYTES;
  const saltAt = prefixAt + PREFIX_BYTES;
  const blindAt = saltAt + SHA384_BYTES;
  const prefix = secrets.subarray(prefixAt, saltAt);
  const keyId = sha256(concat(KEY_HEAD, modulus, KEY_TAIL));
  const input = concat(TOKEN_TYPE, secrets.subarray(0, prefixAt), digest, keyId);
  const blind = integerOf(secrets.subarray(blindAt));
  const { encoded, blinded } =
    await blindMessage(crypto, modulus, concat(prefix, input), secrets.subarray(saltAt, blindAt), blind);
  return {
    blinded,
    finish: (blindSignature) => concat(input, unblind(modulus, encoded, blindSignature, blind), prefix),
  };
}

// ---------------------------------------------------------------------------------------------------------
// Oblivious HTTP (RFC 9458): binary messages (RFC 9292) that only the gateway can read, and its answers to them
// ---------------------------------------------------------------------------------------------------------

/** A key as a gateway serves it: length, id, X25519, public key, and one pair of HKDF-SHA256 and AES-128-GCM. */
const OBLIVIOUS_KEY = /^0029(..)0020(.{64})000400010001$/;

const KEM_SUITE = fromHex('4b454d0020');
const HPKE_SUITE = fromHex('48504b45002000010001');
const SUITE_IN_HEADER = fromHex('002000010001');
const HPKE_VERSION = ascii('HPKE-v1');
const HASH_BYTES = 32;
const AEAD_KEY_BYTES = 16;
const AEAD_NONCE_BYTES = 12;

/** Bytes of all requests before they are encrypted, whatever the device. */
const MESSAGE_BYTES = 2560;

const REQUEST_TYPE = 'message/ohttp-req';

/** HKDF-Expand (RFC 5869) to at most one hash; HKDF-Extract is the HMAC. */
function expand(key, info, length) {
  return hmac(key, concat(info, [1])).subarray(0, length);
}

function labelledExtract(suite, salt, label, key) {
  return hmac(salt, concat(HPKE_VERSION, suite, ascii(label), key));
}

function labelledExpand(suite, key, label, info, length) {
  return expand(key, concat([0, length], HPKE_VERSION, suite, ascii(label), info), length);
}

/** AES-128-GCM: encrypts or decrypts. */
async function aesGcm(subtle, operation, key, iv, bytes) {
  const imported = await subtle.importKey('raw', key, 'AES-GCM', false, [operation]);
  return new Uint8Array(await subtle[operation]({ name: 'AES-GCM', iv }, imported, bytes));
}

/** HPKE in base mode, the sender's side, for one message (RFC 9180, sections 4 and 5). */
async function hpkeSender(subtle, ephemeral, recipient, info) {
  const encapsulated = new Uint8Array(await subtle.exportKey('raw', ephemeral.publicKey));
  const peer = await subtle.importKey('raw', recipient, 'X25519', true, []);
  const agreed = await subtle.deriveBits({ name: 'X25519', public: peer }, ephemeral.privateKey, 8 * HASH_BYTES);
  const shared = labelledExpand(
    KEM_SUITE, labelledExtract(KEM_SUITE, [], 'eae_prk', new Uint8Array(agreed)), 'shared_secret',
    concat(encapsulated, recipient), HASH_BYTES);
  const schedule = concat(
    [0], labelledExtract(HPKE_SUITE, [], 'psk_id_hash', []), labelledExtract(HPKE_SUITE, [], 'info_hash', info));
  const secret = labelledExtract(HPKE_SUITE, shared, 'secret', []);
  const derived = (label, length) => labelledExpand(HPKE_SUITE, secret, label, schedule, length);
  return {
    encapsulated,
    seal: (message) => aesGcm(
      subtle, 'encrypt', derived('key', AEAD_KEY_BYTES), derived('base_nonce', AEAD_NONCE_BYTES), message),
    exported: (context, length) =>
      labelledExpand(HPKE_SUITE, derived('exp', HASH_BYTES), 'sec', ascii(context), length),
  };
}

/** {id, publicKey} of a gateway's key, from its Base64. */
function obliviousKeyOf(text) {
  const [, id, publicKey] = OBLIVIOUS_KEY.exec(toHex(fromBase64(typeof text === 'string' ? text : ''))) ?? [];
  checkValue(
    publicKey !== undefined, 'relay.key', text,
    'the Base64 of what a gateway serves at /v1/ohttp-keys: one key of X25519, HKDF-SHA256 and AES-128-GCM');
  return { id: fromHex(id), publicKey: fromHex(publicKey) };
}

/**
 * {request, open}: a message, encrypted for a gateway under a key pair that is used once, and what opens its answer;
 * rejects if that is another one's.
 */
async function encapsulate(subtle, { id, publicKey }, message, ephemeral) {
  const header = concat(id, SUITE_IN_HEADER);
  const context = await hpkeSender(subtle, ephemeral, publicKey, concat(ascii('message/bhttp request'), [0], header));
  return {
    request: concat(header, context.encapsulated, await context.seal(message)),
    open: (sealed) => {
      const random = sealed.subarray(0, AEAD_KEY_BYTES);
      const key = hmac(
        concat(context.encapsulated, random), context.exported('message/bhttp response', AEAD_KEY_BYTES));
      return aesGcm(
        subtle, 'decrypt', expand(key, ascii('key'), AEAD_KEY_BYTES), expand(key, ascii('nonce'), AEAD_NONCE_BYTES),
        sealed.subarray(AEAD_KEY_BYTES));
    },
  };
}

/** A part of a binary message after its length, below 2^14, in the encoding of QUIC (RFC 9000, section 16). */
function messagePart(bytes) {
  const { length } = bytes;
  return concat(length < 0x40 ? [length] : [0x40 | (length >> 8), length & 0xff], bytes);
}

/** A request of known length with one line of header, padded. */
function binaryRequest(method, authority, path, [name, value], content) {
  const texts = [method, 'https', authority, path].map((text) => messagePart(ascii(text)));
  const header = concat(messagePart(ascii(name)), messagePart(ascii(value)));
  const message = concat([0], ...texts, messagePart(header), messagePart(content), [0]);
  check(message.length <= MESSAGE_BYTES, 'the request', `of ${message.length} bytes`, `of at most ${MESSAGE_BYTES}`);
  return concat(message, new Uint8Array(MESSAGE_BYTES - message.length));
}

/** Reads the numbers and parts of a binary message, one after the other. */
class MessageReader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd() {
    return this.#at === this.#bytes.length;
  }

  #take(length) {
    const end = this.#at + length;
    check(end <= this.#bytes.length, 'a part of the answer', 'cut off', 'whole');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number() {
    const [first] = this.#take(1);
    const rest = this.#take((1 << (first >> 6)) - 1);
    return rest.reduce((value, byte) => 256 * value + byte, first & 0x3f);
  }

  part() {
    return this.#take(this.number());
  }

  text() {
    return String.fromCharCode(...this.part());
  }
}

/** What a binary response of known length contains, as fetch returns it. */
function readBinaryResponse(message) {
  const reader = new MessageReader(message);
  check(reader.number() === 1, 'the answer', 'another message', 'a response of known length');
  const status = reader.number();
  check(status >= 200, 'status', status, 'that of a final answer');
  const fields = new Map();
  for (const header = new MessageReader(reader.part()); !header.isAtEnd;) {
    fields.set(header.text(), header.text());
  }
  const content = reader.part();
  return {
    status,
    headers: { get: (name) => fields.get(name.toLowerCase()) ?? null },
    json: async () => JSON.parse(new TextDecoder().decode(content)),
  };
}

// ---------------------------------------------------------------------------------------------------------
// Reports as Protobuf bytes
// ---------------------------------------------------------------------------------------------------------

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;

/** Writes the few kinds of fields that a GradientReport of this module has, in the order of their numbers. */
class ProtobufWriter {
  #bytes = [];

  /** From 0 to 2^53 - 1. */
  #varint(value) {
    while (value >= 0x80) {
      this.#bytes.push((value % 0x80) | 0x80);
      value = Math.floor(value / 0x80);
    }
    this.#bytes.push(value);
  }

  #tag(field, type) {
    this.#varint(field * 8 + type);
  }

  integer(field, value) {
    this.#tag(field, VARINT);
    this.#varint(value);
    return this;
  }

  #fixed(field, write) {
    const view = new DataView(new ArrayBuffer(8));
    write(view);
    this.#tag(field, FIXED64);
    this.#bytes.push(...new Uint8Array(view.buffer));
    return this;
  }

  fixed64(field, value) {
    return this.#fixed(field, (view) => view.setBigUint64(0, value, true));
  }

  double(field, value) {
    return this.#fixed(field, (view) => view.setFloat64(0, value, true));
  }

  bytes(field, value) {
    this.#tag(field, LENGTH);
    this.#varint(value.length);
    this.#bytes.push(...value);
    return this;
  }

  text(field, value) {
    return this.bytes(field, ascii(value));
  }

  message(field, writer) {
    return this.bytes(field, writer.finish());
  }

  finish() {
    return Uint8Array.from(this.#bytes);
  }
}

const HOUR_MS = 3_600_000;

/** The fields of every report. The gateway adds the user_id, which the device doesn't know. */
function reportWriter(terms, deviceId, sequence, now) {
  return new ProtobufWriter()
    .text(1, terms.modelId)
    .integer(2, terms.round)
    .text(4, deviceId)
    .integer(5, sequence)
    // A finer value would bound the device's computing time, which may depend on the gradient.
    .integer(6, Math.floor(now / HOUR_MS) * HOUR_MS);
}

/** A report of a gradient. With a moving clip it states the bound of the round. */
function candidateReport(terms, deviceId, sequence, now, randomiser, choice) {
  const report = reportWriter(terms, deviceId, sequence, now);
  if (terms.size !== null) {
    report.double(7, terms.gradientBound);
  }
  return report
    .message(14, new ProtobufWriter().integer(1, terms.dimension).fixed64(2, choice.seed).integer(3, choice.index))
    .message(
      25,
      new ProtobufWriter().double(1, randomiser.epsilon).integer(2, randomiser.candidates).integer(3, randomiser.top))
    .finish();
}

/** A report of an answer. */
function answerReport(terms, deviceId, sequence, now, randomiser, question, bit) {
  return reportWriter(terms, deviceId, sequence, now)
    .message(15, new ProtobufWriter().text(1, question).integer(2, bit ? 1 : 0))
    .message(26, new ProtobufWriter().double(1, randomiser.epsilon))
    .finish();
}

/** A report of a person's category in a statistic. */
function voteReport(terms, deviceId, sequence, now, randomiser, statistic, { seed, group }) {
  const vote = new ProtobufWriter().text(1, statistic);
  if (seed !== null) {
    vote.fixed64(2, seed);
  }
  return reportWriter(terms, deviceId, sequence, now)
    .message(16, vote.integer(3, group))
    .message(27, new ProtobufWriter().double(1, randomiser.epsilon).integer(2, randomiser.groups))
    .finish();
}

/**
 * The window of a token among those that a gateway serves to everybody; undefined if none has its number. All devices
 * require the same of the list, so no entry of it can be for one person: the windows have one length and follow each
 * other, and no two levels have the same epsilon, by which a device finds its level.
 *
 * @throws CroupierError if they don't, or the token's window has other rounds, another declaration or another key
 */
function servedWindow(windows, token) {
  const publications = windows.length === 0 ? 0 : windows[0].lastRound - windows[0].firstRound + 1;
  const own = windows.find(({ window }) => window === token.window);
  const isOrdered = windows.every(({ window, firstRound, lastRound, levels }, i) => {
    const epsilons = levels.filter((level) => level !== null).map(({ epsilon }) => epsilon);
    return window === windows[0].window + i && firstRound === window * publications
      && lastRound - firstRound + 1 === publications && new Set(epsilons).size === epsilons.length;
  });
  const level = own?.levels[token.level];
  const isSame = own === undefined || (
    own.firstRound === token.firstRound && own.lastRound === token.lastRound && Boolean(level)
    && isEqual(level.modulus, token.modulus) && isEqual(challengeDigest(token.modelId, token.window, level), token.digest));
  if (!isOrdered || !isSame) {
    throw new CroupierError(
      `window ${token.window} of model ${token.modelId} has another key, declaration or rounds than this device's token;`
      + ' no report is sent');
  }
  return own;
}

function isEqual(bytes, others) {
  return bytes.length === others.length && bytes.every((byte, i) => byte === others[i]);
}

/** Whether reports of a token's window are too old in a round, whatever the model's settings. */
function isOver({ firstRound, lastRound }, round) {
  return round - lastRound > 2 * (lastRound - firstRound + 1);
}

/** Length of all anonymous reports in bytes; of it, tag and length of the padding take three. */
const ANONYMOUS_BYTES = 1024;
const PADDING_HEAD = 3;

/** An AnonymousReport, padded. */
function anonymousReport(snapshot, token, randomiser, choice) {
  const report = (padding) => {
    const writer = new ProtobufWriter().text(1, snapshot.modelId).integer(2, snapshot.round).bytes(3, token);
    if (padding > 0) {
      writer.bytes(4, new Uint8Array(padding));
    }
    return writer
      .message(
        14,
        new ProtobufWriter()
          .integer(1, randomiser.dimension).fixed64(2, choice.seed).integer(3, choice.index))
      .message(
        25,
        new ProtobufWriter().double(1, randomiser.epsilon).integer(2, randomiser.candidates).integer(3, randomiser.top))
      .finish();
  };
  return report(ANONYMOUS_BYTES - PADDING_HEAD - report(0).length);
}

// ---------------------------------------------------------------------------------------------------------
// The ledger
// ---------------------------------------------------------------------------------------------------------

/** The job recognises a resend among a device's newest 64 sequence numbers. */
const WINDOW = 64;

/** Newest reported rounds of a model that the ledger keeps. Far older ones are those of a model that began again. */
const MOST_ROUNDS = 1024;
const SECRET_BYTES = 32;
const LOCK_ATTEMPTS = 5;
const LOCK_WAIT_MS = 200;
const ID_BYTES = 16;
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 16 random bytes in base64url: 22 characters. */
function randomId(crypto) {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  let bits = 0n;
  for (const byte of bytes) {
    bits = (bits << 8n) | BigInt(byte);
  }
  // 128 bits and four zeros are 22 groups of six.
  bits <<= 4n;
  let id = '';
  for (let i = 21n; i >= 0n; i--) {
    id += BASE64URL[Number((bits >> (6n * i)) & 63n)];
  }
  return id;
}

/** The result of one request; only requests are awaited inside of a transaction, so that it stays active. */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function completionOf(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new CroupierError('the transaction was aborted'));
  });
}

const GONE = "the browser closed the ledger, as it does when the site's data are cleared; opened again, it may begin anew";

const LEDGER_OPTIONS = ['person', 'limit', 'indexedDB', 'locks', 'storage', 'crypto', 'sleep'];

function checkLedgerOptions({ person, limit, indexedDB, locks, crypto, sleep }) {
  check(
    typeof person === 'string' && person !== '', 'person', person === '' ? 'empty' : kindOf(person),
    'a text that distinguishes the people who use this browser');
  checkValue(isObject(limit), 'limit', limit, 'an object, such as {epsilon: 20}');
  const { epsilon, reports = 0, answers = 0 } = optionsOf('limit', limit, ['epsilon', 'reports', 'answers']);
  checkValue(typeof epsilon === 'number' && epsilon >= 0, 'limit.epsilon', epsilon, 'a number of at least 0');
  checkValue(typeof reports === 'number' && reports >= 0, 'limit.reports', reports, 'a number of at least 0');
  checkValue(typeof answers === 'number' && answers >= 0 && answers <= 1, 'limit.answers', answers, 'a number from 0 to 1');
  check(
    indexedDB === null || indexedDB === undefined || typeof indexedDB.open === 'function',
    'indexedDB', kindOf(indexedDB), "a browser's IDBFactory");
  check(
    locks === null || locks === undefined || typeof locks.request === 'function',
    'locks', kindOf(locks), "a browser's LockManager, or null without one");
  checkCrypto(crypto);
  checkFunction(sleep, 'sleep');
}

function checkNanos(epsilonNanos) {
  checkValue(
    typeof epsilonNanos === 'bigint' && epsilonNanos > 0n, 'epsilonNanos', epsilonNanos, 'a BigInt above 0, in units of 1e-9');
}

function checkToken(token) {
  check(
    isObject(token) && NAME.test(token.modelId) && Number.isSafeInteger(token.window),
    'token', isObject(token) ? 'another object' : kindOf(token), 'one with modelId, window and what else tokens() returns');
}

/**
 * What one person has spent from this browser, and the reports that are not settled yet, in IndexedDB.
 *
 * A report's charge and its bytes are written in one transaction, which is complete and flushed before the report is
 * returned. So, whenever the page stops: every report that may have been sent is charged; its bytes stay the same until
 * it is settled; its number is used for no other report; and none of the last 1,024 reported rounds of a model is
 * reported twice.
 */
export class Ledger {
  #db;
  #release;
  #opening;
  #secret;
  #limitNanos;
  #limitReports;
  #limitAnswers;
  #storage;
  #isUsable = true;
  #isGone = false;

  constructor(parts) {
    check(isObject(parts?.device), 'new Ledger()', 'not for pages', 'Ledger.open()');
    const { db, release, device, limit, storage } = parts;
    db.onclose = () => {
      this.#isGone = true;
    };
    this.#db = db;
    this.#release = release;
    this.#storage = storage;
    this.#opening = device.opening;
    this.#secret = device.secret;
    this.#limitNanos = nanosOfLimit(limit.epsilon);
    this.#limitReports = limit.reports ?? Infinity;
    this.#limitAnswers = limit.answers ?? 1;
    /** Distinguishes this ledger's reports from those of the person's other devices. */
    this.deviceId = device.deviceId;
  }

  /**
   * Opens the ledger of a person, or creates it.
   *
   * @param person any text that distinguishes the people who use this browser; it stays on this device
   * @param limit {epsilon, reports, answers}: the largest sum of epsilon, Infinity for none; the largest number of
   *     reports (by default none); the share of both, from 0 to 1, up to which this device answers questions, also while
   *     a model searches its clip (by default 1). It isn't stored: state it at every opening
   * @throws LedgerBusyError if another tab has it open
   * @throws LedgerError if the storage can't be read or written, or is damaged
   */
  static async open(options) {
    const {
      person, limit, indexedDB = globalThis.indexedDB, locks = globalThis.navigator?.locks,
      storage = globalThis.navigator?.storage, crypto = globalThis.crypto, sleep = sleepFor,
    } = optionsOf('Ledger.open', options, LEDGER_OPTIONS);
    checkLedgerOptions({ person, limit, indexedDB, locks, crypto, sleep });
    const name = `croupier/${person}`;
    const release = await lockOf(name, locks, sleep);
    try {
      const db = await databaseOf(name, indexedDB);
      try {
        const device = await deviceOf(db, crypto);
        return new Ledger({ db, release, device, limit, storage });
      } catch (failure) {
        db.close();
        throw failure;
      }
    } catch (failure) {
      release();
      throw failure instanceof CroupierError
        ? failure
        : new LedgerError('the ledger could not be opened', { cause: failure });
    }
  }

  /**
   * Asks the browser not to evict the ledger by itself, which may ask the person.
   *
   * @returns whether the browser has promised that
   */
  async persist() {
    return (await this.#storage?.persist?.()) === true;
  }

  /** What this device does in a round: {kind: 'none' | 'gradient' | 'size'}, or {kind: 'question', question}. */
  decide(terms) {
    checkTerms(terms);
    return decide(this.#secret, terms);
  }

  /**
   * Runs a body in a transaction. After a failure of the storage the ledger refuses to work until it is opened again,
   * since it is unknown what was written.
   */
  async #transaction(mode, durability, body) {
    if (!this.#isUsable || this.#isGone) {
      throw new LedgerError(this.#isGone ? GONE : 'the ledger is closed, or has failed; it must be opened again');
    }
    let transaction;
    let completion;
    try {
      transaction = this.#db.transaction(['state', 'reports'], mode, { durability });
      completion = completionOf(transaction);
      // Awaited below, unless the body fails first.
      completion.catch(() => {});
      const result = await body(transaction.objectStore('state'), transaction.objectStore('reports'));
      await completion;
      return result;
    } catch (failure) {
      const isRefusal = failure instanceof CroupierError && !(failure instanceof LedgerError);
      if (!isRefusal) {
        this.#isUsable = false;
      }
      try {
        transaction?.abort();
        await completion?.catch(() => {});
      } catch {
        // It is over already.
      }
      throw failure instanceof CroupierError
        ? failure
        : new LedgerError(this.#isGone ? GONE : 'the ledger could not be read or written', { cause: failure });
    }
  }

  /** {reports, epsilonNanos}: how many reports this device has released, and the sum of their epsilons in 1e-9. */
  async spent() {
    return this.#transaction(
      'readonly', 'default', async (state) => withTexts(accountOf(await resultOf(state.get('account')))));
  }

  /** Whether this device has reported a round of a model: by a gradient, or by an answer. */
  async hasReported(modelId, round) {
    checkModelId(modelId);
    checkValue(Number.isSafeInteger(round), 'round', round, 'a whole number');
    return this.#transaction('readonly', 'default', async (state) => {
      return roundsOf(await resultOf(state.get(`rounds/${modelId}`))).includes(round);
    });
  }

  /**
   * How often data were charged for a model, by reports and by tokens, and how often they were reported.
   *
   * @param key a text that names the data, or their bytes
   */
  async counts(modelId, key) {
    checkModelId(modelId);
    const name = this.#nameOf(modelId, dataOf({ key }));
    return this.#transaction('readonly', 'default', async (state) => countsOf(await resultOf(state.get(name))));
  }

  #nameOf(modelId, { key }) {
    return `data/${markOf(this.#secret, modelId, key)}`;
  }

  /** Writes the next counts of data, which a function makes of those so far or refuses; no data, no count. */
  async #count(state, modelId, data, next) {
    if (data !== null) {
      const name = this.#nameOf(modelId, data);
      await resultOf(state.put(next(countsOf(await resultOf(state.get(name)))), name));
    }
  }

  /** Reports that are charged and not settled, in the order of their numbers: {sequence, modelId, round, bytes}. */
  async pending() {
    return this.#transaction('readonly', 'default', (state, reports) => resultOf(reports.getAll()));
  }

  /**
   * Charges a report, draws it and makes it durable; only then may it be sent.
   *
   * @param epsilonNanos its cost
   * @param kind 'gradient' or 'answer'
   * @param draw makes the bytes for a sequence number, without waiting; not called if anything speaks against the report
   * @param data {key, times}: which data the report is about, by a text that names them or their bytes, and how often these
   *     may be reported to the model, by default once; null if reports of them aren't counted
   * @returns the stored report
   * @throws AlreadyReportedError if they were reported as often as that
   * @throws LimitReachedError if it would exceed the limit; no noise was drawn
   * @throws NotChosenError if this device has reported that round of the model before
   * @throws LedgerBusyError if another tab has opened the ledger since
   */
  async release(terms, epsilonNanos, kind, draw, data = null) {
    checkTerms(terms);
    checkNanos(epsilonNanos);
    checkValue(['gradient', 'answer'].includes(kind), 'kind', kind, "'gradient' or 'answer'");
    checkFunction(draw, 'draw');
    const about = data === null ? null : dataOf(optionsOf('data', data, DATA_OPTIONS));
    return this.#transaction('readwrite', 'strict', async (state, reports) => {
      const { account } = await this.#begin(state, reports);
      const rounds = roundsOf(await resultOf(state.get(`rounds/${terms.modelId}`)));
      if (rounds.includes(terms.round)) {
        throw new NotChosenError(`this device has reported round ${terms.round} of model ${terms.modelId} before`);
      }
      await this.#count(state, terms.modelId, about, ({ charged, reported }) => {
        requireAllowed(Math.max(charged, reported), reported, about.times, terms.modelId);
        return { charged: charged + 1, reported: reported + 1 };
      });
      const after = await this.#charge(state, account, terms, epsilonNanos);
      if (kind === 'answer') {
        this.#admitAnswer(after);
      }
      const sequence = account.reports;
      const report = { sequence, modelId: terms.modelId, round: terms.round, bytes: drawnBy(draw, sequence) };
      await Promise.all([
        resultOf(state.put([...rounds, terms.round].slice(-MOST_ROUNDS), `rounds/${terms.modelId}`)),
        resultOf(reports.add(report, sequence)),
      ]);
      return report;
    });
  }

  /**
   * Writes the totals with one report more. The job would refuse a report beyond the model's limits, and charge it, if all
   * reports before it have arrived.
   */
  async #charge(state, account, { modelId, limits }, epsilonNanos) {
    const after = plusOne(account, epsilonNanos);
    requireWithin(after, this.#limitReports, this.#limitNanos);
    const stored = await resultOf(state.get(`spent/${modelId}`));
    const onModel = plusOne(stored === undefined ? NOTHING_SPENT : accountOf(stored), epsilonNanos);
    requireWithin(
      onModel, limits.reports, nanosOfLimit(limits.epsilon), ` on model ${modelId}`, "the model's limit for a person");
    await Promise.all([
      resultOf(state.put(storedAccount(after), 'account')),
      resultOf(state.put(storedAccount(onModel), `spent/${modelId}`)),
    ]);
    return after;
  }

  async #requireOpening(state) {
    const device = await resultOf(state.get('device'));
    if (device?.opening !== this.#opening) {
      throw new LedgerBusyError('another tab has opened the ledger since; use that tab, or open it again here');
    }
  }

  /** The account and the tokens, if this tab may draw. */
  async #begin(state, reports) {
    await this.#requireOpening(state);
    const account = accountOf(await resultOf(state.get('account')));
    const tokens = tokensOf(await resultOf(state.get('tokens')));
    const [report] = await resultOf(reports.getAllKeys(null, 1));
    const asked = tokens.filter((token) => token.stage === 'asked').map((token) => token.sequence);
    const oldest = Math.min(report ?? Infinity, ...asked);
    if (account.reports - oldest >= WINDOW) {
      throw new CroupierError(`report ${oldest} is still pending; it must be settled before a new one is drawn`);
    }
    return { account, tokens };
  }

  /**
   * Tokens for anonymous reports, from the request to the end of their windows: {sequence, modelId, window, stage,
   * content, ...}. The stages are 'asked', 'held', 'drawn' and 'ended'; the content is what a stage needs: the secrets of
   * the request, the token, the report, nothing.
   */
  async tokens() {
    return this.#transaction('readonly', 'default', async (state) => tokensOf(await resultOf(state.get('tokens'))));
  }

  /**
   * Charges a token and makes it durable; only then may it be asked for.
   *
   * @param token modelId, window and what else is needed
   * @param limits of the model, as terms contain them
   * @param data as for release(): the token is charged for them, whatever is reported with it
   * @returns the stored token; that of the same model and window, if there is one
   */
  async chargeToken(token, epsilonNanos, limits, data = null) {
    checkToken(token);
    checkNanos(epsilonNanos);
    check(isObject(limits), 'limits', kindOf(limits), "those of a snapshot's terms");
    const about = data === null ? null : dataOf(optionsOf('data', data, DATA_OPTIONS));
    return this.#transaction('readwrite', 'strict', async (state, reports) => {
      const { account, tokens } = await this.#begin(state, reports);
      const same = tokens.find(({ modelId, window }) => modelId === token.modelId && window === token.window);
      if (same !== undefined) {
        return same;
      }
      // Not by what was reported: the request would reveal in which publication.
      await this.#count(state, token.modelId, about, ({ charged, reported }) => {
        requireAllowed(charged, reported, about.times, token.modelId);
        return { charged: charged + 1, reported };
      });
      await this.#charge(state, account, { modelId: token.modelId, limits }, epsilonNanos);
      const stored = { ...token, sequence: account.reports, stage: 'asked' };
      await resultOf(state.put([...tokens, stored], 'tokens'));
      return stored;
    });
  }

  /**
   * Makes the next stage of a token durable. Returns false, without a change, if it is in another stage than given.
   *
   * @param data which a drawn report is about, as for release()
   */
  async advanceToken(token, stage, content, data = null) {
    checkToken(token);
    checkValue(['asked', 'held', 'drawn', 'ended'].includes(stage), 'stage', stage, "'asked', 'held', 'drawn' or 'ended'");
    checkBytes(content, 'content');
    const about = data === null ? null : dataOf(optionsOf('data', data, DATA_OPTIONS));
    return this.#transaction('readwrite', 'strict', async (state) => {
      await this.#requireOpening(state);
      const tokens = tokensOf(await resultOf(state.get('tokens')));
      const isSame = (other) => other.sequence === token.sequence && other.stage === token.stage;
      if (!tokens.some(isSame)) {
        return false;
      }
      await this.#count(state, token.modelId, about, ({ charged, reported }) => {
        requireAllowed(reported, reported, about.times, token.modelId);
        return { charged, reported: reported + 1 };
      });
      const next = tokens.map((other) => (isSame(other) ? { ...other, stage, content } : other));
      await resultOf(state.put(next, 'tokens'));
      return true;
    });
  }

  /**
   * Forgets the tokens of a model whose windows are over, except those whose report is still to arrive. Ends those that
   * aren't granted by the second publication: the gateway would choose among the publications that remain.
   */
  async forgetTokens(modelId, round) {
    checkModelId(modelId);
    checkValue(Number.isSafeInteger(round), 'round', round, 'a whole number');
    return this.#transaction('readwrite', 'default', async (state) => {
      await this.#requireOpening(state);
      const tokens = tokensOf(await resultOf(state.get('tokens')));
      const isKept = (token) => token.modelId !== modelId || token.lastRound >= round
        || (token.stage === 'drawn' && !isOver(token, round));
      const isLate = (token) => token.modelId === modelId && token.stage === 'asked' && token.firstRound < round;
      const next = tokens.filter(isKept).map(
        (token) => (isLate(token) ? { ...token, stage: 'ended', content: new Uint8Array(0) } : token));
      await resultOf(state.put(next, 'tokens'));
    });
  }

  /** In which publication of its window a token is used, from 0. */
  slot(digest, publications) {
    checkBytes(digest, 'digest');
    checkValue(Number.isSafeInteger(publications) && publications > 0, 'publications', publications, 'a whole number above 0');
    return slotOf(this.#secret, digest, publications);
  }

  /** Whether the share of the limits for answers admits one more. release() reports limits that are reached. */
  async admitsAnswer(epsilonNanos) {
    checkNanos(epsilonNanos);
    const account = await this.spent();
    const after = plusOne(account, epsilonNanos);
    return this.#isWithin(after, this.#limitAnswers) || !this.#isWithin(after, 1);
  }

  /** Whether spends are within a share of the limits. */
  #isWithin(after, share) {
    const reports = share === 0 ? 0 : Math.floor(this.#limitReports * share);
    const nanos = this.#limitNanos === null || share === 1 ? this.#limitNanos : shareOf(this.#limitNanos, share);
    return after.reports <= reports && (nanos === null || after.epsilonNanos <= nanos);
  }

  #admitAnswer(after) {
    if (!this.#isWithin(after, this.#limitAnswers)) {
      throw new LimitReachedError(
        `epsilon would add up to ${decimal(after.epsilonNanos)} in ${after.reports} reports; answers may take the share `
        + `${this.#limitAnswers} of the limits`);
    }
  }

  /** Records that a report was acknowledged, or refused for ever: it stays charged, and isn't sent again. */
  async settle(sequence) {
    checkValue(Number.isSafeInteger(sequence), 'sequence', sequence, 'a whole number');
    return this.#transaction('readwrite', 'default', (state, reports) => resultOf(reports.delete(sequence)));
  }

  /** Closes the ledger, for another tab to open it. */
  close() {
    this.#isUsable = false;
    this.#db.close();
    this.#release();
  }
}

/** A sum in units of 1e-9 as a decimal number. */
function decimal(units) {
  const digits = String(units).padStart(EPSILON_DECIMALS + 1, '0');
  const fraction = digits.slice(-EPSILON_DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -EPSILON_DECIMALS) + (fraction === '' ? '' : `.${fraction}`);
}

/** The bytes of a report. An error of the caller's program is no failure of the storage. */
function drawnBy(draw, sequence) {
  let bytes;
  try {
    bytes = draw(sequence);
  } catch (cause) {
    throw cause instanceof CroupierError
      ? cause : new CroupierError('the report could not be drawn; nothing is charged', { cause });
  }
  checkBytes(bytes, 'what draw returned');
  return bytes;
}

/** How often data were charged and reported. */
function countsOf(stored) {
  const { charged, reported } = stored === undefined ? { charged: 0, reported: 0 } : stored ?? {};
  if (![charged, reported].every((count) => Number.isSafeInteger(count) && count >= 0)) {
    throw new LedgerError('the ledger is damaged: how often data were reported is malformed');
  }
  return { charged, reported };
}

/** What counts is how often data were charged or reported: a token that was charged for them may not have led to a report. */
function requireAllowed(count, reported, times, modelId) {
  if (count >= times) {
    const often = (number) => (number === 1 ? 'once' : `${number} times`);
    const what = reported < count
      ? `a token for model ${modelId} was charged for these data, and they may be charged`
      : `these data were reported to model ${modelId} ${often(reported)}, and may be`;
    throw new AlreadyReportedError(
      `${what} ${often(times)}; report other data under another key, or state a larger times, which spends again for the same`
      + ' data');
  }
}

/** A share, from 0 to 1, of a sum in units of 1e-9, rounded down; the sum may be larger than any number. */
function shareOf(units, share) {
  return (units * nanos(share)) / 10n ** BigInt(EPSILON_DECIMALS);
}

const NOTHING_SPENT = Object.freeze({ reports: 0, epsilonNanos: 0n });

function plusOne({ reports, epsilonNanos }, epsilonNanosMore) {
  return { reports: reports + 1, epsilonNanos: epsilonNanos + epsilonNanosMore };
}

/** In units of 1e-9; null without a limit. */
function nanosOfLimit(epsilon) {
  return epsilon === Infinity ? null : nanos(epsilon);
}

function requireWithin(after, mostReports, mostNanos, where = '', whose = 'the limit') {
  if (after.reports > mostReports) {
    throw new LimitReachedError(`reports${where} would be ${after.reports}; ${whose} is ${mostReports}`);
  }
  if (mostNanos !== null && after.epsilonNanos > mostNanos) {
    throw new LimitReachedError(
      `epsilon${where} would add up to ${decimal(after.epsilonNanos)}; ${whose} is ${decimal(mostNanos)}`);
  }
}

function storedAccount({ reports, epsilonNanos }) {
  return { reports, epsilonNanos: String(epsilonNanos) };
}

/** What the account contains. One that can't be read is damage, never nothing. */
function accountOf(stored) {
  const isRight =
    Number.isSafeInteger(stored?.reports) && stored.reports >= 0 && /^\d+$/.test(String(stored.epsilonNanos));
  if (!isRight) {
    throw new LedgerError('the ledger is damaged: its account is missing or malformed');
  }
  return { reports: stored.reports, epsilonNanos: BigInt(stored.epsilonNanos) };
}

/** The rounds of a model that were reported. */
function roundsOf(stored) {
  const rounds = stored ?? [];
  if (!Array.isArray(rounds)) {
    throw new LedgerError('the ledger is damaged: the rounds of a model are malformed');
  }
  return rounds;
}

/** The tokens. */
function tokensOf(stored) {
  const tokens = stored ?? [];
  if (!Array.isArray(tokens)) {
    throw new LedgerError('the ledger is damaged: its tokens are malformed');
  }
  return tokens;
}

/**
 * Takes the lock of a ledger until the returned function is called. Where there is no Web Locks API, the newest tab
 * takes the ledger over, and the others find that out in their next transaction.
 */
const openHere = new Set();

async function lockOf(name, locks, sleep) {
  if (typeof locks?.request !== 'function') {
    return () => {};
  }
  // A page that is reloaded may hold its lock for a moment.
  for (let attempt = 1; ; attempt++) {
    try {
      const release = await tryLock(name, locks);
      openHere.add(name);
      return () => {
        openHere.delete(name);
        release();
      };
    } catch (failure) {
      if (!(failure instanceof LedgerBusyError) || attempt === LOCK_ATTEMPTS) {
        throw failure;
      }
      await sleep(LOCK_WAIT_MS);
    }
  }
}

function tryLock(name, locks) {
  return new Promise((resolve, reject) => {
    const held = locks.request(name, { mode: 'exclusive', ifAvailable: true }, (lock) => {
      if (lock === null) {
        throw new LedgerBusyError(
          openHere.has(name)
            ? 'this page has the ledger open; close() that device, or use it'
            : 'another tab has the ledger open; close that tab, or use it');
      }
      return new Promise((release) => {
        resolve(release);
      });
    });
    Promise.resolve(held).catch(reject);
  });
}

function databaseOf(name, indexedDB) {
  if (indexedDB === undefined || indexedDB === null) {
    throw new LedgerError('this browser has no IndexedDB, without which nothing is reported');
  }
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('state');
      request.result.createObjectStore('reports');
    };
    request.onsuccess = () => {
      const db = request.result;
      // If the site's data is deleted, this tab must not block it.
      db.onversionchange = () => {
        db.close();
        db.onclose?.();
      };
      resolve(db);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new LedgerBusyError('another tab blocks the ledger; close that tab'));
  });
}

/** The device's record, created by the first opening; every opening enters a new mark, by which it is recognised. */
async function deviceOf(db, crypto) {
  const transaction = db.transaction(['state'], 'readwrite', { durability: 'strict' });
  const completion = completionOf(transaction);
  completion.catch(() => {});
  const state = transaction.objectStore('state');
  let device = await resultOf(state.get('device'));
  const account = await resultOf(state.get('account'));
  if (device === undefined && account === undefined) {
    device = { deviceId: randomId(crypto), secret: crypto.getRandomValues(new Uint8Array(SECRET_BYTES)) };
    await resultOf(state.put({ reports: 0, epsilonNanos: '0' }, 'account'));
  } else {
    accountOf(account);
    if (typeof device?.deviceId !== 'string' || device.secret?.length !== SECRET_BYTES) {
      throw new LedgerError('the ledger is damaged: its device is missing or malformed');
    }
  }
  device = { ...device, opening: randomId(crypto) };
  await resultOf(state.put(device, 'device'));
  await completion;
  return device;
}

// ---------------------------------------------------------------------------------------------------------
// The gateway
// ---------------------------------------------------------------------------------------------------------

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const LONGEST_RETRY_MS = 600_000;
const DEFAULT_POLL_SECONDS = 25;
const REQUEST_TIMEOUT_MS = 60_000;

/** Nothing that recognises the person, but for what a request's header contains. */
const PRIVATE_REQUEST = {
  cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
};

const SAFE_URL = /^(https:\/\/[^/?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^?#]*)?$/;

function checkUrl(url, name, why = '') {
  checkValue(typeof url === 'string' && SAFE_URL.test(url), name, url, `https, or http on this machine${why}`);
}

function checkFollowing(where, options, more = []) {
  const { signal, onRetry, waitSeconds = 0 } = optionsOf(where, options, ['signal', 'onRetry', ...more]);
  checkSignal(signal);
  checkFunction(onRetry ?? (() => {}), 'onRetry');
  checkValue(Number.isFinite(waitSeconds) && waitSeconds >= 0, 'waitSeconds', waitSeconds, 'a number of at least 0');
}

function checkSignal(signal) {
  const isSignal = (signal ?? null) === null || typeof signal.addEventListener === 'function';
  check(isSignal, 'signal', kindOf(signal), 'an AbortSignal');
}

/** Answers that concern the bytes of a report, so that the same bytes will never be accepted. */
const FINAL = new Set([400, 409, 410, 415, 422]);

/** Answers that a model is unknown, of which the last is believed. */
const UNKNOWN = 6;

/**
 * Whether the gateway doesn't know a report's model, which another gateway may have read already. At a wrong path it
 * names no field of the report.
 */
function isUnknownModel(failure) {
  return failure instanceof GatewayError && failure.status === 404 && failure.retryAfterMs === null
    && (failure.problem?.errors?.length ?? 0) > 0;
}

const NO_REASON = ' without a reason, as another server at its url would';
const TOO_LARGE = 'a server in front of the gateway takes no request of this size';

/** Resolves after a time, or when the signal aborts. */
function sleepFor(ms, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [-\w :]+$/;

/** The time of a date in one of the three forms of RFC 9110; NaN if it is none. */
function timeOf(date) {
  return HTTP_DATE.test(date) ? Date.parse(date.endsWith(' GMT') ? date : `${date} GMT`) : NaN;
}

/**
 * How long an answer asks to wait, by seconds or a date; null if its Retry-After is absent or can't be read. A date is
 * compared with that of the answer, if it is disclosed to the page, since the device's clock may be wrong.
 */
function retryAfterMs(headers, now) {
  const header = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(header)) {
    return 1000 * Number(header);
  }
  const sent = timeOf(headers.get('Date') ?? '');
  const wait = timeOf(header) - (Number.isNaN(sent) ? now : sent);
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Wait before the next try: doubled each time, of which a random half is left out, so that devices spread. */
function backOffMs(attempt, words) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10));
  return longest / 2 + words.below(longest / 2 + 1);
}

/** The failures in a row of a caller that follows a model. */
class Tries {
  #failures = 0;
  #doubts = 0;
  #hasRead = false;

  succeed() {
    this.#failures = 0;
    this.#doubts = 0;
    this.#hasRead = true;
  }

  /** Counts a failure; returns how many there were before. */
  fail() {
    return this.#failures++;
  }

  /** Whether the next try may succeed. */
  mayPass(failure) {
    if (failure.retryAfterMs !== null) {
      return failure instanceof GatewayError;
    }
    const isDoubtful = failure.status === 200 || (failure.status === 404 && this.#hasRead);
    return isDoubtful && ++this.#doubts < UNKNOWN;
  }
}

/**
 * The gateway's HTTP API.
 */
export class Gateway {
  #base;
  #token;
  #fetch;
  #sleep;
  #now;
  #words;
  #crypto;
  #relay;

  /**
   * @param url base of the API, without /v1: absolute, and https except on this machine
   * @param token function that returns the bearer token, or a promise of it; after an answer of 401 it is called with
   *     {refresh: true}. Null if requests need no token
   * @param relay for anonymous reports, and to follow their model: {url, key}. Requests go to the relay's URL, which can't
   *     read them, and the gateway doesn't see this device's address (Oblivious HTTP, RFC 9458). key is the Base64 of the
   *     gateway's key, which the app contains: one that a device fetched could be its own, and the gateway would recognise
   *     its requests by it
   */
  constructor(options) {
    const {
      url, token = null, fetch = (...request) => globalThis.fetch(...request), sleep = sleepFor, now = () => Date.now(),
      crypto = globalThis.crypto, relay = null,
    } = optionsOf('Gateway', options, ['url', 'token', 'fetch', 'sleep', 'now', 'crypto', 'relay']);
    checkUrl(url, 'url', ': it is sent a token');
    if (token !== null) {
      checkFunction(
        token, 'token', 'a function that returns the bearer token, or a promise of it; null if no request needs one');
    }
    Object.entries({ fetch, sleep, now }).forEach(([name, value]) => checkFunction(value, name));
    check(relay === null || token === null, 'token', 'set', 'null with a relay, which is for requests without identity');
    checkValue(relay === null || isObject(relay), 'relay', relay, 'null, or an object with url and key');
    if (relay !== null) {
      checkUrl(optionsOf('relay', relay, ['url', 'key']).url, 'relay.url');
    }
    this.#relay = relay === null ? null : { url: relay.url, key: obliviousKeyOf(relay.key) };
    this.#crypto = crypto;
    this.#base = url.replace(/\/+$/, '');
    this.#token = token;
    this.#fetch = fetch;
    this.#sleep = sleep;
    this.#now = now;
    this.#words = new Words(crypto);
  }

  /** The models, as the gateway lists them: an object for each. */
  async models(options = {}) {
    const { signal } = optionsOf('models', options, ['signal']);
    checkSignal(signal);
    const response = await this.#request('/v1/models', { signal });
    return this.#read(response, (body) => {
      if (!Array.isArray(body.models)) {
        throw new Error('no list of models');
      }
      return body.models;
    });
  }

  /** The newest update of a model. */
  async newest(modelId, options = {}) {
    const { signal } = optionsOf('newest', options, ['signal']);
    checkSignal(signal);
    const response = await this.#request(this.#path(modelId), { signal });
    return this.#read(response, readUpdate);
  }

  #path(modelId) {
    checkModelId(modelId);
    return `/v1/models/${modelId}`;
  }

  /**
   * The updates of a model by long polls: the newest one, then each newer one that is read. While the gateway is away, an
   * answer is cut off, or the token can't be had, waits and tries again. Answers that another server may have given are
   * repeated as well: a body that is no update, and, once an update was read, 404; the sixth in a row is an error.
   * Through a relay, polls don't wait, and the pauses between them are random, so that they don't recognise a device.
   *
   * @param waitSeconds how long a gateway may wait for a newer update; through a relay the longest pause between two polls,
   *     for which the longest wait of anonymous reports is right: a longer one misses publications
   * @param onRetry called with (error, ms) before each wait: why, and how long, until the next try
   * @throws GatewayError if the gateway refuses, as for a model that isn't published, or is retired
   */
  async *follow(modelId, options = {}) {
    checkFollowing('follow', options, ['waitSeconds']);
    const { signal, waitSeconds = DEFAULT_POLL_SECONDS, onRetry = () => {} } = options;
    const path = this.#path(modelId);
    const tries = new Tries();
    let round = null;
    let etag = null;
    while (!signal?.aborted) {
      const began = this.#now();
      let response;
      let snapshot;
      try {
        const query = round === null || this.#relay !== null ? '' : `?after=${round}&wait=${waitSeconds}`;
        const headers = etag === null ? {} : { 'If-None-Match': etag };
        response = await this.#request(path + query, { signal, headers, alsoFine: [204, 304] });
        snapshot = response.status === 200 ? await this.#read(response, readUpdate) : null;
        tries.succeed();
      } catch (failure) {
        await this.#waitAfter(failure, tries, signal, onRetry);
        continue;
      }
      const newer = snapshot === null ? etag : response.headers.get('ETag');
      // A gateway that doesn't wait must not be asked without a pause.
      let pauseMs = this.#now() - began < FIRST_WAIT_MS ? FIRST_WAIT_MS : 0;
      // A model that started again may have the same round with another tag.
      if (snapshot !== null && (snapshot.round !== round || newer !== etag)) {
        // Gateways that disagree about the tag must not be asked in turn without a pause.
        pauseMs = snapshot.round === round ? FIRST_WAIT_MS : 0;
        round = snapshot.round;
        etag = newer;
        yield snapshot;
      }
      if (this.#relay !== null) {
        pauseMs = this.#words.below(Math.ceil(1000 * waitSeconds) + 1);
      }
      if (pauseMs > 0) {
        await this.#pause(pauseMs, signal);
      }
    }
  }

  /** The longest wait is far below the 31 bits of browsers' timers, which run a longer one without a pause. */
  async #pause(ms, signal) {
    if (!signal?.aborted) {
      await this.#sleep(Math.min(ms, LONGEST_RETRY_MS), signal);
    }
  }

  /** Waits as a failure asks for, or throws it, if trying again is useless; an aborted caller needs neither. */
  async #waitAfter(failure, tries, signal, onRetry) {
    if (signal?.aborted) {
      return;
    }
    if (!tries.mayPass(failure)) {
      throw failure;
    }
    const wait = Math.min(Math.max(failure.retryAfterMs ?? 0, backOffMs(tries.fail(), this.#words)), LONGEST_RETRY_MS);
    onRetry(failure, wait);
    await this.#pause(wait, signal);
  }

  /** What a function makes of the JSON of an answer; GatewayError if the answer is cut off, or another server's. */
  async #read(response, of) {
    let body;
    try {
      body = await response.json();
    } catch (failure) {
      throw failure instanceof SyntaxError ? this.#unreadable('no JSON') : this.#unreachable(failure);
    }
    return this.#parsed(body, of);
  }

  #parsed(body, of) {
    try {
      return of(body);
    } catch (failure) {
      throw this.#unreadable(failure.message);
    }
  }

  #unreadable(reason) {
    return new GatewayError(`the gateway answered 200, and the body can't be read: ${reason}`, { status: 200 });
  }

  /**
   * The updates of a model by server-sent events, until the model is retired. If the stream ends otherwise, opens it
   * again, as follow polls again. (The browser's EventSource can't send a token.)
   */
  async *events(modelId, options = {}) {
    checkFollowing('events', options);
    const { signal, onRetry = () => {} } = options;
    const path = `${this.#path(modelId)}/events`;
    const tries = new Tries();
    let round = null;
    let announced = null;
    while (!signal?.aborted) {
      try {
        const headers = { Accept: 'text/event-stream' };
        const response = await this.#request(path, { signal, headers, timeoutMs: null });
        if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
          throw this.#unreadable('no stream of events');
        }
        for await (const event of eventsOf(response.body)) {
          if (event.type === 'retired') {
            return;
          }
          if (event.type !== 'message' && event.type !== 'update') {
            continue;
          }
          const snapshot = this.#parsed(event.data, (data) => readUpdate(JSON.parse(data)));
          tries.succeed();
          // The keys of a window may be announced after the round.
          const windows = JSON.stringify(snapshot.update.windows ?? []);
          if (snapshot.round !== round || windows !== announced) {
            round = snapshot.round;
            announced = windows;
            yield snapshot;
          }
        }
        await this.#pause(backOffMs(tries.fail(), this.#words), signal);
      } catch (failure) {
        const ofNetwork = failure instanceof GatewayError ? failure : this.#unreachable(failure);
        await this.#waitAfter(ofNetwork, tries, signal, onRetry);
      }
    }
  }

  /**
   * The job's account of the person whose token it is: what is spent, what the limits leave, and which reports were
   * refused. The job answers with its next checkpoint.
   */
  async account(options = {}) {
    const { signal } = optionsOf('account', options, ['signal']);
    checkSignal(signal);
    this.requireToken();
    const response = await this.#request('/v1/account', { signal });
    return this.#read(response, jobAccountOf);
  }

  /**
   * Sends a report's bytes, once. Returns when the gateway has acknowledged them.
   *
   * @throws GatewayError otherwise
   */
  async send(bytes) {
    checkBytes(bytes, 'the report');
    this.requireToken();
    await this.#post('/v1/reports', bytes);
  }

  /** Sends an anonymous report, once, as send() does, without a token. */
  async sendAnonymous(bytes) {
    checkBytes(bytes, 'the report');
    check(this.#token === null, 'token', 'set', 'null for anonymous reports');
    await this.#post('/v1/anonymous-reports', bytes);
  }

  /**
   * The windows of a model for anonymous reports that are open, as this gateway serves them to requests without identity.
   *
   * @returns the model's newest round, and windows as a snapshot's
   */
  async windows(modelId) {
    check(this.#token === null, 'token', 'set', 'null for anonymous reports');
    const response = await this.#request(`${this.#path(modelId)}/windows`, {});
    return this.#read(response, (body) => ({
      round: numberOf(body.round ?? 0), windows: (body.windows ?? []).map(windowOf),
    }));
  }

  /**
   * Asks for the blind signature of a token, once.
   *
   * @param request an object of the JSON that the gateway takes
   * @returns the bytes of the blind signature
   */
  async grant(request) {
    check(
      isObject(request), 'the request', kindOf(request),
      'an object with modelId, window, level, deviceId, sequence and blinded');
    this.requireToken();
    const response = await this.#request('/v1/tokens', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    });
    return this.#read(response, (body) => fromBase64(body.blindSignature));
  }

  /** Without a token, every report would be charged, and refused; and a person's account is theirs alone. */
  requireToken() {
    check(
      this.#token !== null, 'token of the Gateway', 'missing',
      'a function that returns the bearer token of the person who reports');
  }

  async #post(path, bytes) {
    const response = await this.#request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-protobuf' },
      body: bytes,
      keepalive: true,
      alsoFine: [202],
    });
    if (response.status !== 202) {
      throw new GatewayError(`the gateway answered ${response.status} to a report; it must answer 202`, {
        status: response.status,
      });
    }
  }

  /** Waits before the next try of a report; false if trying again now is useless. */
  async waitFor(failure, attempt) {
    if (isUnknownModel(failure)) {
      await this.#pause(backOffMs(attempt, this.#words));
      return true;
    }
    const isRepeatable = failure instanceof GatewayError && failure.retryAfterMs !== null;
    if (!isRepeatable || failure.retryAfterMs > LONGEST_RETRY_MS) {
      return false;
    }
    await this.#pause(Math.max(failure.retryAfterMs, backOffMs(attempt, this.#words)));
    return true;
  }

  #unreachable(cause) {
    if (globalThis.navigator?.onLine === false) {
      return new GatewayError('this device is offline', { status: 0, retryAfterMs: 0, cause });
    }
    // A browser doesn't disclose to a page whether it refused an answer.
    const origin = globalThis.location?.origin ?? this.#base;
    const isForeign = !`${this.#base}/`.startsWith(`${origin}/`);
    const hint = isForeign ? `, or its cors.origins don't allow this page's origin, ${origin}` : '';
    return new GatewayError(`the gateway could not be reached${hint}`, { status: 0, retryAfterMs: 0, cause });
  }

  async #request(path, { headers = {}, alsoFine = [], timeoutMs = REQUEST_TIMEOUT_MS, signal, ...options }) {
    for (let refresh = false; ; refresh = true) {
      const authorization = await this.#authorization(refresh);
      let response;
      try {
        response = await this.#send(path, {
          headers: { Accept: 'application/json, application/problem+json', ...headers, ...authorization },
          signal: signalOf(signal, timeoutMs),
          ...PRIVATE_REQUEST,
          ...options,
        });
      } catch (failure) {
        throw failure instanceof CroupierError ? failure : this.#unreachable(failure);
      }
      if (response.status === 200 || alsoFine.includes(response.status)) {
        return response;
      }
      if (response.status !== 401 || refresh || this.#token === null) {
        throw await this.#refusal(response);
      }
    }
  }

  async #send(path, request) {
    return this.#relay === null ? this.#fetch(this.#base + path, request) : this.#throughRelay(path, request);
  }

  /**
   * Only what the gateway encrypted for the request is its answer; anything else is a failure of the way, which may pass.
   * All browsers encrypt the same header.
   */
  async #throughRelay(path, { method = 'GET', headers, body = [], ...options }) {
    const { url, key } = this.#relay;
    const header = method === 'GET'
      ? ['accept', 'application/json'] : ['content-type', headers['Content-Type']];
    const message = binaryRequest(method, this.#base.split('/')[2], path, header, body);
    const subtle = this.#crypto?.subtle;
    let exchange;
    try {
      exchange = await encapsulate(subtle, key, message, await subtle.generateKey('X25519', false, ['deriveBits']));
    } catch (cause) {
      throw new CroupierError(
        'nothing can be encrypted for the gateway: a relay needs crypto.subtle with X25519, in a secure context, and a'
        + ' key of large order', { cause });
    }
    let response;
    let sealed;
    try {
      response = await this.#fetch(url, {
        ...options, method: 'POST', headers: { 'Content-Type': REQUEST_TYPE }, body: exchange.request,
      });
      sealed = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new GatewayError('the relay could not be reached', { status: 0, retryAfterMs: 0, cause });
    }
    if (response.status !== 200) {
      const wait = retryAfterMs(response.headers, this.#now());
      throw new GatewayError(`the relay answered ${response.status}`, { status: 0, retryAfterMs: wait ?? 0 });
    }
    try {
      return readBinaryResponse(await exchange.open(sealed));
    } catch (cause) {
      throw new GatewayError(
        "the relay's answer is not what the gateway encrypted for the request", { status: 0, retryAfterMs: 0, cause });
    }
  }

  /**
   * What requests with identity carry. A token that can't be had now, as without a network, is a failure that may pass. The
   * version isn't sent without a token: across origins it would cost a further request, and anonymous reports look alike.
   */
  async #authorization(refresh) {
    if (this.#token === null) {
      return {};
    }
    let token;
    try {
      token = await this.#token({ refresh });
    } catch (cause) {
      const reason = cause?.message ?? cause;
      throw new GatewayError(`the bearer token could not be had: ${reason}`, { status: 0, retryAfterMs: 0, cause });
    }
    const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
    if (!isToken) {
      const what = typeof token === 'string' ? 'an empty text, or one with blanks or line ends' : kindOf(token);
      throw new GatewayError(`token returned ${what}; it must return the bearer token alone, a text`, { status: 0 });
    }
    return { Authorization: `Bearer ${token}`, 'Croupier-Client': `javascript/${VERSION}` };
  }

  async #refusal(response) {
    const { status } = response;
    const isProblem = (response.headers.get('Content-Type') ?? '').startsWith('application/problem+json');
    let problem = null;
    if (isProblem) {
      problem = await response.json().catch(() => null);
    }
    const wait = retryAfterMs(response.headers, this.#now());
    // A gateway that has not read the newest round yet answers 409 with Retry-After.
    const isLater = wait !== null || status === 408 || status === 429 || status >= 500;
    const reason = problem?.detail ?? problem?.title ?? (status === 413 ? TOO_LARGE : NO_REASON);
    return new GatewayError(`the gateway answered ${status}${reason === NO_REASON ? '' : ': '}${reason}`, {
      status,
      problem,
      // Without a problem document the answer may be that of another server, at a wrong address; but the same bytes
      // stay too large for a proxy.
      isFinal: !isLater && (status === 413 || (isProblem && FINAL.has(status))),
      retryAfterMs: isLater ? wait ?? 0 : null,
    });
  }
}

const TEXTS_OF_ACCOUNT = new Set(['modelId', 'deviceId', 'outcome', 'reason']);

/** An account in Protobuf's JSON mapping, in which some numbers are texts. */
function jobAccountOf(body) {
  const account = {
    erased: false, models: [], devices: [], refusals: [],
    ...JSON.parse(JSON.stringify(body), (key, value) => (
      typeof value === 'string' && !TEXTS_OF_ACCOUNT.has(key) ? Number(value) : value)),
  };
  const has = (part, type, ...names) => isObject(part) && names.every((name) => typeof part[name] === type);
  const isLeft = (left) => left === undefined || has(left, 'number', ...Object.keys(left ?? {}));
  const areAll = (parts, isPart) => Array.isArray(parts) && parts.every(isPart);
  const isAccount = isObject(account.spent) && has(account, 'number', 'asOfMs') && isLeft(account.left)
    && areAll(account.models, (model) => has(model, 'string', 'modelId') && isLeft(model.left))
    && areAll(account.devices, (device) => has(device, 'string', 'deviceId') && has(device, 'number', 'highestSequence'))
    && areAll(account.refusals, (refusal) => (
      has(refusal, 'string', 'modelId', 'deviceId', 'reason') && has(refusal, 'number', 'sequence', 'appendedAtMs')));
  if (!isAccount) {
    throw new Error('no account');
  }
  return account;
}

function signalOf(signal, timeoutMs) {
  const timeout = timeoutMs === null ? undefined : globalThis.AbortSignal?.timeout?.(timeoutMs);
  return signal && timeout && AbortSignal.any ? AbortSignal.any([signal, timeout]) : signal ?? timeout;
}

/** The events of a stream of server-sent events: {type, data}. */
async function* eventsOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  let type = '';
  let data = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        return;
      }
      buffer += decoder.decode(value, { stream: true });
      // A line ends with \r\n, \n or \r; a \r at the end may be the first half of \r\n.
      const lines = buffer.split(/\r\n|\n|\r(?!$)/);
      buffer = lines.pop();
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) {
            yield { type: type === '' ? 'message' : type, data: data.join('\n') };
          }
          type = '';
          data = [];
        } else if (!line.startsWith(':')) {
          const [, field, text] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
          if (field === 'event') {
            type = text ?? '';
          } else if (field === 'data') {
            data.push(text ?? '');
          }
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

// ---------------------------------------------------------------------------------------------------------
// The device
// ---------------------------------------------------------------------------------------------------------

const DEFAULT_ATTEMPTS = 6;
const DEVICE_OPTIONS = [
  'gateway', 'epsilon', 'attempts', 'onRefused', 'releaseDelayMs', 'now', 'anonymous', ...LEDGER_OPTIONS,
];

/** A device asks for the account before a report, at most once a minute, and once for each report. */
const ACCOUNT_PAUSE_MS = 60_000;
const ACCOUNT_TIMEOUT_MS = 15_000;

/** How long after its longest wait an anonymous report may leave: later, the device may have slept. */
const LATEST_MS = 120_000;

/** How long a refused report stops a device; then it tries once more. */
const REFUSED_MS = 86_400_000;

/** Why limits admit no report of this cost; null if they may. A limit of another kind stops only where nothing is left. */
function reasonOfLeft({ left, refusals }, onModel, epsilonNanos, modelId) {
  const short = ({ reports = 1, epsilon = Infinity, mu = 1, epsilonAtDelta = 1 }) => (
    reports < 1 || Math.round(epsilon * 1e9) < Number(epsilonNanos) || mu === 0 || epsilonAtDelta === 0);
  const isOver = { all: left !== undefined && short(left), model: onModel?.left !== undefined && short(onModel.left) };
  if (!isOver.all && !isOver.model) {
    return null;
  }
  const last = refusals.find((refusal) => refusal.outcome === 'REFUSED_BUDGET' && refusal.modelId === modelId);
  return `the job's limits ${isOver.all ? 'on all models' : `on model ${modelId}`} admit no report of this person now`
    + (last === undefined ? '' : `; the last was refused: ${last.reason}`);
}

/**
 * One person's device: decides what to do in a round, draws one report, charges it, stores it, and sends it until it is
 * acknowledged. Calls are processed one after the other. While an earlier report can't be delivered, none is drawn.
 */
export class Device {
  #gateway;
  #ledger;
  #crypto;
  #now;
  #attempts;
  #onRefused;
  #releaseDelayMs;
  #sleep;
  #answers;
  #anonymous;
  #sending = new Map();
  #grants = new Map();
  #newest = new Map();
  #draws = Promise.resolve();
  #randomisers = new Map();
  #queue = Promise.resolve();
  #account = null;
  #askedFor = -1;
  #askedAtMs = -Infinity;

  constructor(parts) {
    check(parts?.ledger instanceof Ledger, 'new Device()', 'not for pages', 'Device.open()');
    const { gateway, ledger, epsilon, crypto, now, attempts, onRefused, releaseDelayMs, sleep, anonymous } = parts;
    this.#anonymous = anonymous;
    this.#gateway = gateway;
    this.#ledger = ledger;
    this.#crypto = crypto;
    this.#now = now;
    this.#attempts = attempts;
    this.#onRefused = onRefused;
    this.#releaseDelayMs = releaseDelayMs;
    this.#sleep = sleep;
    this.#answers = new RandomisedResponse({ epsilon, crypto });
    /** What each report spends, gradient or answer. */
    this.epsilon = this.#answers.epsilon;
    /** Resolves when the reports of earlier visits are settled; rejects if they can't be delivered now. */
    this.resent = this.#enqueue(() => this.#deliver());
    this.resent.catch(() => {});
  }

  /**
   * Opens the person's ledger, and begins to resend the reports that an earlier visit left behind.
   *
   * @param gateway a Gateway
   * @param epsilon what each report spends, from 1e-9 to 16
   * @param attempts how often a report is tried before the call fails; it is sent again later, the same bytes
   * @param onRefused called with (report, error) for a report of an earlier visit that the gateway refuses for ever
   * @param releaseDelayMs how long after the beginning of a release its report is sent, at least 0; if the draw takes
   *     longer, it is sent at the next whole multiple of the delay
   * @param anonymous for takePartAnonymously: {collector, longestWaitMs}. The collector is a Gateway without a token,
   *     through a relay; without one, the gateway sees this device's address. Reports wait uniformly between 0 and the
   *     longest wait, the model's shortest time between two publications
   * For the other parameters see Ledger.open.
   */
  static async open(options) {
    const {
      gateway, epsilon, attempts = DEFAULT_ATTEMPTS, onRefused = () => {}, releaseDelayMs = 0, now = () => Date.now(),
      sleep = sleepFor, crypto = globalThis.crypto, anonymous = null, ...storage
    } = optionsOf('Device.open', options, DEVICE_OPTIONS);
    checkInstance(gateway, Gateway, 'gateway');
    gateway.requireToken();
    epsilonUnits(epsilon);
    checkValue(Number.isSafeInteger(attempts) && attempts >= 1, 'attempts', attempts, 'a whole number of at least 1');
    checkFunction(onRefused, 'onRefused');
    checkFunction(now, 'now');
    checkValue(
      Number.isFinite(releaseDelayMs) && releaseDelayMs >= 0, 'releaseDelayMs', releaseDelayMs, 'a number of at least 0');
    checkValue(
      anonymous === null || isObject(anonymous),
      'anonymous', anonymous, 'null, or an object with collector and longestWaitMs');
    if (anonymous !== null) {
      const { collector, longestWaitMs } = optionsOf('anonymous', anonymous, ['collector', 'longestWaitMs']);
      checkInstance(collector, Gateway, 'anonymous.collector');
      checkValue(
        Number.isSafeInteger(longestWaitMs) && longestWaitMs > 0,
        'anonymous.longestWaitMs', longestWaitMs, 'an integer above 0, the same in all apps of the model');
    }
    const ledger = await Ledger.open({ crypto, sleep, ...storage });
    return new Device({ gateway, ledger, epsilon, crypto, now, attempts, onRefused, releaseDelayMs, sleep, anonymous });
  }

  /** Distinguishes this device from the person's others. */
  get deviceId() {
    return this.#ledger.deviceId;
  }

  /** Asks the browser not to evict the ledger by itself; returns whether it has promised that. */
  async persist() {
    return this.#ledger.persist();
  }

  /** {reports, epsilon, epsilonNanos}: what this device has spent. */
  async spent() {
    const account = await this.#ledger.spent();
    return withTexts({ ...account, epsilon: decimal(account.epsilonNanos) });
  }

  /** What the job has charged this person, over all devices, and what it refused; see Gateway.account. */
  async account() {
    return this.#gateway.account();
  }

  /**
   * Throws JobRefusedError if the job would refuse a report, as far as is known. Before the first report of a device
   * nothing is asked; without an answer it reports.
   */
  async #requireAdmission({ modelId }, epsilonNanos) {
    const last = (await this.#ledger.spent()).reports - 1;
    if (last < 0) {
      return;
    }
    const reason = () => (this.#askedFor === last && this.#account !== null
      ? this.#reasonOf(this.#account, modelId, last, epsilonNanos) : null);
    const isKnown = this.#askedFor === last && this.#account?.devices.some(
      ({ deviceId, highestSequence }) => deviceId === this.deviceId && highestSequence >= last);
    const now = this.#now();
    if ((!isKnown || reason() !== null) && Math.abs(now - this.#askedAtMs) >= ACCOUNT_PAUSE_MS) {
      this.#askedAtMs = now;
      this.#askedFor = last;
      this.#account = await this.#gateway.account({ signal: signalOf(undefined, ACCOUNT_TIMEOUT_MS) }).catch(() => null);
    }
    if (reason() !== null) {
      throw new JobRefusedError(reason(), this.#account);
    }
  }

  #reasonOf(account, modelId, last, epsilonNanos) {
    const onModel = account.models.find((model) => model.modelId === modelId);
    const hasLeft = account.left !== undefined || onModel?.left !== undefined;
    // A wrong sequence number is the device's; any other reason is one model's, and a limit's lasts until something is left.
    const concerns = (refusal) => refusal.outcome === 'REFUSED_SEQUENCE'
      || (refusal.modelId === modelId && !(refusal.outcome === 'REFUSED_BUDGET' && hasLeft));
    const own = account.refusals.find((refusal) => (
      concerns(refusal) && refusal.deviceId === this.deviceId && refusal.sequence === last
      && account.asOfMs - refusal.appendedAtMs < REFUSED_MS));
    if (own !== undefined) {
      return `the job refused this device's report ${last}: ${own.reason}`;
    }
    return reasonOfLeft(account, onModel, epsilonNanos, modelId);
  }

  /** What the device does in the round of a snapshot, decided once; see Ledger.decide. */
  decide(snapshot) {
    checkSnapshot(snapshot);
    return this.#ledger.decide(snapshot.terms);
  }

  /** The randomiser of gradients of a dimension. */
  randomiser(dimension) {
    let randomiser = this.#randomisers.get(dimension);
    if (randomiser === undefined) {
      randomiser = new PrivUnit({ dimension, epsilon: this.epsilon, crypto: this.#crypto });
      this.#randomisers.set(dimension, randomiser);
    }
    return randomiser;
  }

  /**
   * Does in a round what it asks for: reports the gradient of the mean loss of the rows, or one randomised bit, or the
   * person's category in a statistic.
   *
   * @param rows the person's Rows; null for a model of statistics alone, whose terms have the dimension 0
   * @param categories the person's category, number or text in each statistic that this program knows, by the statistic's
   *     name; a value that is none of the categories, null for instance, counts as the last of them; where a number is asked
   *     for, what is none counts as the lower end of the range; where a text is, what is none of the alphabet as the empty text
   * @param key a text that names the data, such as their day or version; by default the data themselves. The ledger stores
   *     a digest under its secret, for ever
   * @param times how often these data may be reported to the model, by any kind of report; Infinity for no bound
   * @returns what was sent, as report() does; null if this device isn't chosen in that round, has reported it before, or
   *     is asked a question or for a statistic that its data can't answer, or for which its limit leaves nothing
   * @throws AlreadyReportedError if the data were reported as often as that. What is pending is sent first
   */
  async takePart(snapshot, rows, options = {}) {
    checkSnapshot(snapshot);
    check(rows === null || rows instanceof Rows, 'rows', kindOf(rows), 'Rows, or null for a model of statistics alone');
    const { categories = {}, ...given } = optionsOf('takePart', options, ['categories', ...DATA_OPTIONS]);
    check(
      isObject(categories), 'categories', kindOf(categories), "an object with the person's values by the statistics' names");
    const { terms, weights, average, modelId, round } = snapshot;
    const dimension = rows === null ? 0 : rows.dimension;
    check(dimension === terms.dimension, 'dimension of the rows', dimension, terms.dimension);
    check(
      terms.size !== 'FEATURES' || rows.hasBoundedSlope, 'slope of the loss of the rows', 'unbounded',
      "bounded, as that of logistic, softmax(k), absolute and huber(): the model's clip bounds features");
    const data = dataOf({ ...given, key: given.key ?? bytesOfData(rows, categories) });
    await this.#requireUnreported(modelId, data);
    const decision = this.decide(snapshot);
    if (decision.kind === 'none' || (await this.#ledger.hasReported(modelId, round))) {
      return null;
    }
    if (decision.kind !== 'gradient' && !(await this.#ledger.admitsAnswer(this.#answers.epsilonNanos))) {
      return null;
    }
    if (decision.kind === 'size') {
      return this.answerSize(snapshot, () => rows.size(terms, weights), data);
    }
    if (decision.kind === 'question') {
      if (!rows.canAnswer(decision.question)) {
        return null;
      }
      const row = new Words(this.#crypto).below(rows.count);
      return this.answer(snapshot, (question) => rows.answer(question, row, average), data);
    }
    if (decision.kind === 'statistic') {
      const { name, kind } = decision.statistic;
      if (kind === 'unknown' || !Object.hasOwn(categories, name)) {
        return null;
      }
      return kind === 'quantiles'
        ? this.answerValue(snapshot, (statistic) => categories[statistic.name], data)
        : this.vote(snapshot, (statistic) => categories[statistic.name], data);
    }
    return this.report(snapshot, rows.gradient(weights), rows.size(terms, weights), data);
  }

  async #requireUnreported(modelId, { key, times }) {
    const { charged, reported } = await this.#ledger.counts(modelId, key);
    const count = Math.max(charged, reported);
    if (count >= times) {
      await this.resend();
      requireAllowed(count, reported, times, modelId);
    }
  }

  /**
   * Clips and randomises a gradient, charges it, and sends it.
   *
   * @param snapshot at whose weights the gradient was evaluated
   * @param gradient d numbers; a value that is not finite makes it zero
   * @param size of the gradient as the moving clip bounds it; needed if that is FEATURES
   * @param data {key, times} as for takePart(), with a key, and for the other kinds of reports; without data, reports of
   *     the same data aren't counted
   * @returns when it is acknowledged, an object with kind, sequence, bytes, epsilon, choice and randomiser
   * @throws NotChosenError, LimitReachedError, JobRefusedError, LedgerError: no noise was drawn, or nothing is sent
   * @throws GatewayError if it was not acknowledged: it is spent. If it is pending, it is sent again later
   */
  async report(snapshot, gradient, size, data = {}) {
    checkSnapshot(snapshot);
    const { terms } = snapshot;
    check(terms.size !== 'FEATURES' || size !== undefined, 'size', 'missing', 'given, since the clip bounds features');
    check(size === undefined || typeof size === 'number', 'size', kindOf(size), 'a number');
    checkVector(gradient, 'the gradient', terms.dimension);
    requireKnownSize(terms);
    this.#requireChosen(terms, 'gradient', 'by a gradient');
    const randomiser = this.randomiser(terms.dimension);
    // A copy: the caller may change its own until the report is drawn.
    const scaled =
      terms.size === null || size === undefined
        ? Float64Array.from(gradient)
        : Float64Array.from(scaledBy(gradient, size, terms.gradientBound));
    let choice;
    const sent = await this.#release(terms, randomiser.epsilonNanos, 'gradient', data, (sequence) => {
      choice = randomiser.choose(scaled, terms.gradientBound);
      return candidateReport(terms, this.deviceId, sequence, this.#now(), randomiser, choice);
    });
    return { kind: 'gradient', ...sent, epsilon: randomiser.epsilon, choice, randomiser };
  }

  /**
   * Answers the question that this device is asked in a round by a randomised bit.
   *
   * @param truth evaluates a question on the person's data and the published average; called at most once
   */
  async answer(snapshot, truth, data = {}) {
    checkSnapshot(snapshot);
    checkFunction(truth, 'truth');
    const { terms } = snapshot;
    const { question } = this.#requireChosen(terms, 'question', 'by the answer to a question');
    return this.#answer(terms, question.name, data, Boolean(truth(question)));
  }

  /**
   * Answers whether this device's size is above the clip of a round by a randomised bit.
   *
   * @param size computes the size; called at most once
   */
  async answerSize(snapshot, size, data = {}) {
    checkSnapshot(snapshot);
    checkFunction(size, 'size');
    const { terms } = snapshot;
    this.#requireChosen(terms, 'size', 'by its size');
    requireKnownSize(terms);
    return this.#answer(terms, 'clip', data, isSizeAbove(size(), terms.gradientBound));
  }

  /**
   * Reports the person's category or text in the statistic for which this device is asked in a round, by a randomised group.
   *
   * @param category returns the person's category or text in a statistic; called at most once. A value that is none of its
   *     categories counts as the last of them, and what is no text of its alphabet as the empty text
   */
  async vote(snapshot, category, data = {}) {
    checkSnapshot(snapshot);
    checkFunction(category, 'category');
    const { terms } = snapshot;
    const { statistic } = this.#requireChosen(terms, 'statistic', 'for a statistic');
    const { kind, texts, categories } = statistic;
    check(kind === 'choice' || kind === 'prefixes', 'statistic', 'another kind', 'a choice, or one of prefixes');
    const randomiser = new HashedResponse({
      epsilon: this.epsilon, categories: texts?.count ?? categories.length, crypto: this.#crypto,
    });
    const index = categoryOf(statistic, category(statistic));
    let release;
    const sent = await this.#release(terms, randomiser.epsilonNanos, 'answer', data, (sequence) => {
      release = randomiser.release(index);
      return voteReport(terms, this.deviceId, sequence, this.#now(), randomiser, statistic.name, release);
    });
    return withTexts({ kind: 'vote', ...sent, epsilon: randomiser.epsilon, statistic: statistic.name, ...release });
  }

  /**
   * Answers whether the person's number is above the threshold of the round, in the statistic of quantiles for which this
   * device is asked, by a randomised bit.
   *
   * @param value returns the person's number; called at most once. What is no number counts as the lower end of the range
   */
  async answerValue(snapshot, value, data = {}) {
    checkSnapshot(snapshot);
    checkFunction(value, 'value');
    const { terms } = snapshot;
    const { statistic } = this.#requireChosen(terms, 'statistic', 'for a statistic');
    check(statistic.kind === 'quantiles', 'statistic', 'another kind', 'one of quantiles');
    const number = value(statistic);
    return this.#answer(terms, statistic.name, data, typeof number === 'number' && number > statistic.threshold);
  }

  async #answer(terms, question, data, truth) {
    const randomiser = this.#answers;
    let bit;
    const sent = await this.#release(terms, randomiser.epsilonNanos, 'answer', data, (sequence) => {
      bit = randomiser.release(truth);
      return answerReport(terms, this.deviceId, sequence, this.#now(), randomiser, question, bit);
    });
    return { kind: 'answer', ...sent, epsilon: randomiser.epsilon, question, bit };
  }

  /**
   * Does in a publication what the model's anonymous windows ask of this device: asks for the token of a window that
   * begins, and sends the report if this is the publication at which its secret has it report. Call it with every update.
   *
   * @param data the person's Rows; or a function that computes the gradient, d numbers, at the published weights, and is
   *     called only if the device reports now
   * @param key as for takePart(), by default the rows themselves; a function needs one. A token is charged for these data,
   *     and they are reported as often as `times` states, by default once, whichever windows that takes
   * @returns null, or what was sent when it is accepted: {kind: 'anonymous', round, bytes, epsilon}
   * @throws AlreadyReportedError if tokens were charged for these data as often as that, and all their windows are over: an
   *     earlier end would reveal the publication of the report
   * @throws LimitReachedError if the token would exceed the limit; LedgerError: nothing is sent
   * @throws GatewayError if no token is granted, or the report isn't accepted. A later call sends the same bytes again, the
   *     report only while its publication is the newest
   */
  async takePartAnonymously(snapshot, data, options = {}) {
    check(this.#anonymous !== null, 'anonymous', 'missing', 'set at Device.open');
    checkSnapshot(snapshot);
    const { modelId, round, windows } = snapshot;
    const isRows = data instanceof Rows;
    const gradient = isRows ? () => data.gradient(snapshot.weights) : data;
    checkFunction(gradient, 'the data', 'Rows, or a function that computes the gradient');
    const given = optionsOf('takePartAnonymously', options, DATA_OPTIONS);
    const about = dataOf({ ...given, key: given.key ?? (isRows ? bytesOfData(data, {}) : undefined) });
    this.#newest.set(modelId, round);
    await this.#ledger.forgetTokens(modelId, round);
    // With identity: no report and no gradient may delay it, and it delays no report.
    const asked = this.#askForTokens(snapshot, about);
    asked.catch(() => {});
    let drawn = await this.#enqueueDraw(() => this.#drawDue(snapshot, gradient, about));
    if (drawn === null) {
      await asked;
      // A window that opens with this publication may have its report now.
      if (windows.some(({ firstRound }) => firstRound === round) && this.#newest.get(modelId) === round) {
        drawn = await this.#enqueueDraw(() => this.#drawDue(snapshot, gradient, about));
      }
    }
    if (drawn === null) {
      return null;
    }
    await this.#sendAnonymous(drawn);
    return { kind: 'anonymous', round: drawn.round, bytes: drawn.content, epsilon: this.epsilon };
  }

  /** Asks for the tokens of windows that begin, and again for those that aren't granted. */
  async #askForTokens(snapshot, about) {
    const { modelId, round, windows } = snapshot;
    const failures = [];
    for (const window of windows) {
      const tokens = await this.#ledger.tokens();
      const isKnown = tokens.some((token) => token.modelId === modelId && token.window === window.window);
      if (window.firstRound >= round && !isKnown) {
        await this.#askForToken(snapshot, window, about).catch((failure) => failures.push(failure));
      }
    }
    const asked = (tokens) => tokens.filter((token) => token.modelId === modelId && token.stage === 'asked');
    for (const token of asked(await this.#ledger.tokens())) {
      await this.#grantOnce(token).catch((failure) => failures.push(failure));
      // The ledger grants no window that precedes one that it has granted.
      if (asked(await this.#ledger.tokens()).some(({ sequence }) => sequence === token.sequence)) {
        break;
      }
    }
    const isWaiting = (await this.#ledger.tokens()).some((token) => token.modelId === modelId);
    const failure = failures.find((each) => !(isWaiting && each instanceof AlreadyReportedError));
    if (failure !== undefined) {
      throw failure;
    }
  }

  /** One request for a token at a time, however many calls wait for it. */
  #grantOnce(token) {
    const { sequence } = token;
    if (!this.#grants.has(sequence)) {
      this.#grants.set(sequence, this.#finishToken(token).finally(() => this.#grants.delete(sequence)));
    }
    return this.#grants.get(sequence);
  }

  /** Draws of anonymous reports, one after the other; they wait for no report with identity. */
  #enqueueDraw(task) {
    const done = this.#draws.then(task);
    this.#draws = done.catch(() => {});
    return done;
  }

  async #askForToken({ modelId, terms }, { window, firstRound, lastRound, levels }, about) {
    const place = levels.findIndex((level) => level?.epsilon === this.epsilon);
    check(place >= 0, 'epsilon', this.epsilon, `that of a level of priv_unit of model ${modelId}`);
    const level = levels[place];
    const randomiser = this.randomiser(terms.dimension);
    check(
      randomiser.candidates === level.candidates && randomiser.top === level.top,
      'the level', `${level.top} of ${level.candidates}`, `${randomiser.top} of ${randomiser.candidates}`);
    return this.#ledger.chargeToken({
      modelId, window, firstRound, lastRound, level: place, modulus: level.modulus,
      digest: challengeDigest(modelId, window, level), content: drawTokenSecrets(this.#crypto, level.modulus),
    }, randomiser.epsilonNanos, terms.limits, about);
  }

  /** Asks for the signature of a token that is charged, and stores the token. */
  async #finishToken(token) {
    const request = await tokenRequest(this.#crypto, token.modulus, token.digest, token.content);
    const { modelId, window, level, sequence } = token;
    try {
      const signature = await this.#repeat(() => this.#gateway.grant({
        modelId, window: String(window), level, deviceId: this.deviceId, sequence: String(sequence),
        blinded: toBase64(request.blinded),
      }));
      const content = request.finish(signature);
      const isLate = this.#newest.get(modelId) > token.firstRound;
      await this.#ledger.advanceToken(token, isLate ? 'ended' : 'held', isLate ? new Uint8Array(0) : content);
    } catch (failure) {
      const isWrong = failure instanceof CroupierError && failure.constructor === CroupierError;
      if (isWrong || (failure instanceof GatewayError && failure.isFinal)) {
        await this.#ledger.advanceToken(token, 'ended', new Uint8Array(0));
      }
      throw failure;
    }
  }

  /**
   * The report of a token: drawn now, or by an earlier visit, if this is its publication, or under way since an earlier one;
   * null if there is none.
   */
  async #drawDue(snapshot, gradient, about) {
    const { modelId, round, terms, windows } = snapshot;
    let earlier = null;
    for (const token of await this.#ledger.tokens()) {
      const slot = token.firstRound + this.#ledger.slot(token.digest, token.lastRound - token.firstRound + 1);
      if (token.modelId === modelId && token.stage === 'drawn') {
        const drawn = { ...token, round: slot };
        if (slot === round) {
          return drawn;
        }
        if (this.#sending.has(token.sequence)) {
          earlier ??= drawn;
        } else {
          // Left behind. It would leave with the requests by which the person returns.
          await this.#ledger.advanceToken(token, 'ended', new Uint8Array(0));
        }
      }
      const isDue = token.modelId === modelId && token.stage === 'held' && slot === round;
      // The token may have been charged for other data. In silence: an error at this publication would reveal it.
      if (isDue && (await this.#ledger.counts(modelId, about.key)).reported < about.times) {
        if (servedWindow(windows, token) === undefined) {
          throw new GatewayError(
            `the update has no key of window ${token.window} of model ${modelId} yet`, { status: 200 });
        }
        const values = gradient();
        checkVector(values, 'the gradient', terms.dimension);
        const randomiser = this.randomiser(terms.dimension);
        const choice = randomiser.choose(values, terms.gradientBound);
        const content = anonymousReport(snapshot, token.content, randomiser, choice);
        if (!(await this.#ledger.advanceToken(token, 'drawn', content, about))) {
          throw new LedgerError('the report of the token is not stored; it is not sent');
        }
        return { ...token, stage: 'drawn', content, round: slot };
      }
    }
    return earlier;
  }

  /** Waits, and sends a drawn report until it is accepted; once, however many calls wait for it. */
  #sendAnonymous(drawn) {
    const { sequence } = drawn;
    if (!this.#sending.has(sequence)) {
      const sent = this.#deliverAnonymous(drawn);
      // A later call sends it again while its publication is the newest, unless it was refused.
      sent.catch(() => this.#sending.delete(sequence));
      this.#sending.set(sequence, sent);
    }
    return this.#sending.get(sequence);
  }

  async #deliverAnonymous(drawn) {
    const { collector, longestWaitMs } = this.#anonymous;
    const latest = this.#now() + longestWaitMs + LATEST_MS;
    await this.#sleep(new Words(this.#crypto).below(longestWaitMs));
    let refusal = await this.#refusalOf(drawn);
    try {
      if (refusal === null) {
        await this.#repeat(() => {
          if (this.#now() > latest) {
            throw new GatewayError("the report is too late, as after the device slept; it isn't sent", {
              status: 0, isFinal: true,
            });
          }
          return collector.sendAnonymous(drawn.content);
        });
      }
    } catch (failure) {
      const isForbidden = failure instanceof GatewayError && failure.status === 403 && failure.problem !== null;
      if (!isForbidden && !(failure instanceof GatewayError && failure.isFinal)) {
        throw failure;
      }
      refusal = failure;
    }
    await this.#ledger.advanceToken(drawn, 'ended', new Uint8Array(0));
    if (refusal !== null) {
      throw refusal;
    }
  }

  /**
   * Why a drawn report must not be sent; null if it may. A gateway that serves a person a window of their own, to recognise
   * their report, doesn't know whose request without identity this is.
   */
  async #refusalOf(drawn) {
    const { modelId, window } = drawn;
    const { round, windows } = await this.#repeat(() => this.#anonymous.collector.windows(modelId));
    if (isOver(drawn, round)) {
      return new CroupierError(`window ${window} of model ${modelId} is over`);
    }
    try {
      if (servedWindow(windows, drawn) !== undefined) {
        return null;
      }
    } catch (failure) {
      return failure;
    }
    throw new GatewayError(`the gateway serves no key of window ${window} of model ${modelId}`, { status: 200 });
  }

  /** Repeats a request while the gateway asks for that, up to the number of attempts. */
  async #repeat(request) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await request();
      } catch (failure) {
        if (attempt + 1 >= this.#attempts || !(await this.#gateway.waitFor(failure, attempt))) {
          throw failure;
        }
      }
    }
  }

  #requireChosen(terms, kind, how) {
    const decision = this.#ledger.decide(terms);
    if (decision.kind !== kind) {
      throw new NotChosenError(`this device doesn't answer round ${terms.round} of model ${terms.modelId} ${how}`);
    }
    return decision;
  }

  #enqueue(task) {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => {});
    return done;
  }

  #release(terms, epsilonNanos, kind, given, draw) {
    const data = Object.keys(optionsOf('the report', given, DATA_OPTIONS)).length === 0 ? null : dataOf(given);
    return this.#enqueue(async () => {
      await this.#deliver();
      await this.#requireAdmission(terms, epsilonNanos);
      const begin = this.#now();
      const report = await this.#ledger.release(terms, epsilonNanos, kind, draw, data);
      await this.#awaitRelease(begin);
      await this.#deliver(report.sequence);
      return { sequence: report.sequence, bytes: report.bytes };
    });
  }

  /**
   * Waits until a whole multiple of the delay has passed, so that the time of sending contains nothing of the draw but
   * how many delays it took.
   */
  async #awaitRelease(begin) {
    const delay = this.#releaseDelayMs;
    if (delay === 0) {
      return;
    }
    // The clock of the device may have been set back.
    const drawn = Math.max(0, this.#now() - begin);
    const due = Math.max(1, Math.ceil(drawn / delay)) * delay;
    await this.#sleep(due - drawn);
  }

  /** Sends the reports that are waiting for an acknowledgement again, in the order of their numbers. */
  resend() {
    return this.#enqueue(() => this.#deliver());
  }

  async #deliver(own = null) {
    for (const report of await this.#ledger.pending()) {
      const refusal = await this.#send(report).catch((failure) => {
        throw keptAfter(failure, report.sequence === own);
      });
      // If this mark is lost, the same bytes are sent once more, and the job counts them once.
      await this.#ledger.settle(report.sequence).catch(() => {});
      if (refusal !== null) {
        if (report.sequence === own) {
          throw refusal;
        }
        this.#onRefused(report, refusal);
      }
    }
  }

  /** Returns null after an acknowledgement, and the error after a refusal that is final. Throws any other error. */
  async #send(report) {
    let unknown = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#gateway.send(report.bytes);
        return null;
      } catch (failure) {
        if (failure instanceof GatewayError && failure.isFinal) {
          return failure;
        }
        if (isUnknownModel(failure)) {
          unknown += 1;
          if (unknown === UNKNOWN) {
            return new GatewayError(failure.message, { status: failure.status, problem: failure.problem, isFinal: true });
          }
          await this.#gateway.waitFor(failure, unknown - 1);
        } else if (attempt + 1 >= this.#attempts || !(await this.#gateway.waitFor(failure, attempt))) {
          throw failure;
        }
      }
    }
  }

  /** Closes the ledger, for another tab to open it. */
  close() {
    this.#ledger.close();
  }
}

/** The failure of a report that is charged, and stays in the ledger. */
function keptAfter(failure, isOwn) {
  const kept = isOwn
    ? 'the report is charged and kept: a later call or visit sends the same bytes'
    : 'an earlier report is kept, to be sent again, and nothing new is drawn before';
  return failure instanceof GatewayError ? new GatewayError(`${failure.message}; ${kept}`, failure) : failure;
}

/** A person's data as bytes, by which the ledger recognises them. */
function bytesOfData(rows, categories) {
  const entries = Object.entries(categories).sort(([a], [b]) => (a < b ? -1 : 1));
  const written = JSON.stringify(entries.map(([name, value]) => [name, categoryInJson(value)]));
  return concat(rows === null ? [] : rows.bytes(), new TextEncoder().encode(written));
}

/** What JSON can't write, as text in an array, other than any text. An object is no category, whatever it contains. */
function categoryInJson(value) {
  const isWritten = (value ?? null) === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
  return isWritten ? value : [typeof value === 'object' ? kindOf(value) : String(value)];
}

function requireKnownSize(terms) {
  check(terms.size !== 'UNKNOWN', 'size', 'one that this version does not know', 'FEATURES or GRADIENT');
}

/** Parts that tests compare with the Java implementation. They are no part of the API. */
export const internals = Object.freeze({
  Words, Sphere, acceptance, flips, nanos, knots, computeKnots, hashOf, coordinate, height, halves, Word, lift, topOf,
  drawIndex, bestTop, lot, decide, sha256, hmac, gridExponentOf, candidateReport, answerReport, voteReport, groupOf, textsOf, candidateOf,
  categoryOf, isSizeAbove, scaledBy, eventsOf, decimal, randomId, slotOf, emsaPss, blindMessage, unblind, challengeDigest, tokenRequest, drawTokenSecrets,
  fromBase64, toBase64, integerOf, bytesOf, inverse, fromHex, toHex, hpkeSender, aesGcm, encapsulate,
});
