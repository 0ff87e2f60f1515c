// Random words, and draws that favour some indices

import { check, kindOf } from './checks.js';

const WORDS_IN_BLOCK = 64;
const MASK_63 = (1n << 63n) - 1n;

export function checkCrypto(crypto) {
  check(typeof crypto?.getRandomValues === 'function', 'crypto', kindOf(crypto), 'a Web Crypto object with getRandomValues');
}

/**
 * Words of 64 fair bits from the browser's cryptographic generator, in blocks. A word is erased when it is used. A
 * release begins with renew(), so that words that a copy of the page may have, too, are not used.
 */
export class Words {
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

/**
 * Draws an index: those of the top are always accepted, each other one with the probability of the coin. The coin is
 * tossed for all indices, so that its time reveals nothing.
 */
export function drawIndex(top, words, coin) {
  for (;;) {
    const index = words.below(top.length);
    const last = top[index] === 1 ? MASK_63 : coin - 1n;
    if (words.next63() <= last) {
      return index;
    }
  }
}
