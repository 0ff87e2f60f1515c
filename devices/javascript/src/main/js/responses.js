// Randomised bits and groups

import { check, checkValue, kindOf, optionsOf, withTexts } from './checks.js';
import { Words, drawIndex } from './random.js';
import { acceptance, epsilonUnits, flips } from './probabilities.js';
import { Word, startOf } from './vectors.js';

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

export const MOST_CATEGORIES = 4096;
const MOST_GROUPS = 1024;

/** The group of a category among `groups` of them, by a seed in two halves: docs/theory/counting.md. */
export function groupOf(seed, category, groups) {
  // Below 2^42, exact in a double.
  return Math.floor((startOf(seed, category, new Word()).high * groups) / 2 ** 32);
}

/**
 * Hashed response: the group of one of k categories, exp(epsilon) times as probable as each other one. Where k is at most
 * 3 exp(epsilon) + 2 and 1024, each category is a group; otherwise a public seed assigns them to groups. docs/theory/counting.md
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
