// SHA-256 and HMAC, without waiting for Web Crypto

import { concat } from './bytes.js';

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

export function sha256(bytes) {
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

/** HMAC-SHA256, for keys of at most 64 bytes. */
export function hmac(key, message) {
  const inner = new Uint8Array(64).fill(0x36);
  const outer = new Uint8Array(64).fill(0x5c);
  key.forEach((byte, i) => {
    inner[i] ^= byte;
    outer[i] ^= byte;
  });
  return sha256(concat(outer, sha256(concat(inner, message))));
}
