// The randomiser of gradients

import { check, checkValue, checkVector, isPositive, optionsOf, withTexts } from './checks.js';
import { Words, drawIndex } from './random.js';
import { MOST_EPSILON, acceptance, epsilonUnits } from './probabilities.js';
import { Word, checkDimension, height, knots } from './vectors.js';

/**
 * (g / G, sqrt(1 - ||g / G||^2)), g clipped to L2 norm G. A gradient with a value that is not finite becomes zero.
 */
export function lift(gradient, gradientBound) {
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
export function topOf(heights, count) {
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

/** Up to which epsilon the job accepts releases of N candidates. */
const MOST_EPSILON_OF = new Map([[64, 9], [256, 11], [1024, 14], [4096, MOST_EPSILON]]);

function defaultCandidates(epsilon) {
  return epsilon <= 4 ? 256 : epsilon <= 8 ? 1024 : 4096;
}

/** A release is then at most 2.5 % longer than with the best K; any K has the same privacy. */
export function defaultTop(dimension, epsilon, candidates) {
  const share = 1 / (1 + Math.exp((0.67 * epsilon) / (1 + 0.6 / dimension)));
  return Math.max(1, Math.round(candidates * share));
}

/**
 * PrivUnit on the lifted sphere, chosen by rank: epsilon-LDP exactly, whatever the gradient is, in a seed and an index.
 * docs/reference/priv-unit.md specifies it. Every call of choose() spends epsilon.
 */
export class PrivUnit {
  #seeds;
  #words;
  #coin;

  /**
   * @param dimension d of the model
   * @param epsilon in nats, from 1e-9 to 16; rounded down to a multiple of 1e-9
   * @param candidates N: 64 up to epsilon 9, 256 up to 11, 1024 up to 14, or 4096; by default 256 up to epsilon 4, 1024 up
   *     to 8, else 4096
   * @param top K, from 1 to N / 2: how many candidates are exp(epsilon) times as likely as the others; by default one that
   *     makes releases short
   * @param crypto where the random bits come from
   */
  constructor(options) {
    const { dimension, epsilon, candidates, top, crypto = globalThis.crypto } =
      optionsOf('PrivUnit', options, ['dimension', 'epsilon', 'candidates', 'top', 'crypto']);
    checkDimension(dimension);
    this.epsilonNanos = epsilonUnits(epsilon);
    this.epsilon = Number(this.epsilonNanos) / 1e9;
    this.dimension = dimension;
    this.candidates = candidates ?? defaultCandidates(this.epsilon);
    checkValue(MOST_EPSILON_OF.has(this.candidates), 'candidates', candidates, '64, 256, 1024 or 4096');
    check(
      this.epsilon <= MOST_EPSILON_OF.get(this.candidates), 'candidates', this.candidates,
      `more, at epsilon ${this.epsilon}`);
    this.top = top ?? defaultTop(dimension, this.epsilon, this.candidates);
    checkValue(
      Number.isInteger(this.top) && this.top >= 1 && this.top <= this.candidates / 2, 'top', top,
      `from 1 to half the candidates, ${this.candidates / 2}`);
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
}
