// A person's features, as a model's spec describes them

import { VERSION } from './version.js';
import {
  check, checkBytes, checkFunction, checkValue, checkVector, isObject, kindOf, numberOf, requireUpdate,
} from './checks.js';
import { sha256 } from './hashes.js';

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
   * @param label of this module's own calls: a label in the form of a feature, whose values follow
   * @throws CroupierError if a value is missing, of another type or not finite, or an encoder is missing
   */
  vector(row, label = null) {
    check(isObject(row), 'the row', kindOf(row), "an object with the person's values by the features' names");
    const all = label === null ? this.#list : [...this.#list, label];
    return Float64Array.from(all.flatMap((feature) => this.#values(feature, row, label)));
  }

  /** Whether they are described alike, whatever encoders they have. */
  equals(other) {
    return JSON.stringify(this.#list) === JSON.stringify(other.#list);
  }

  #values(feature, row, label) {
    const { name, intercept, range, moments, yesNo, oneHot, encoder } = feature;
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    const what = `${feature === label ? 'label' : 'feature'} '${name}'`;
    const is = (type, right) => {
      check(value !== undefined && value !== null, what, 'missing', right + this.#others(row, label));
      check(type === null || typeof value === type, what, kindOf(value), right);
      check(type !== 'number' || Number.isFinite(value), what, 'not finite', right);
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
  #others(row, label) {
    const others = Object.keys(row).filter((name) => !this.names.includes(name) && name !== label?.name).length;
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
export function featuresOf(update, dimension) {
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
