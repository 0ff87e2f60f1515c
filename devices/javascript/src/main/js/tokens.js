// Blind tokens: RSABSSA-SHA384-PSS-Randomized (RFC 9474), with the structures of token type 2 (RFC 9577, RFC 9578)

import { CroupierError } from './errors.js';
import { check } from './checks.js';
import { ascii, bytesOf, concat, fromHex, integerOf } from './bytes.js';
import { sha256 } from './hashes.js';

const TOKEN_TYPE = [0, 2];
export const MODULUS_BYTES = 256;
const EXPONENT = 65537n;
const SHA384_BYTES = 48;
const NONCE_BYTES = 32;
const PREFIX_BYTES = 32;

/** A SubjectPublicKeyInfo before and after the modulus. */
const KEY_HEAD = fromHex(
  '30820152303d06092a864886f70d01010a3030a00d300b0609608648016503040202a11a301806092a864886f70d010108300b06096086480165'
  + '03040202a2030201300382010f003082010a0282010100');

const KEY_TAIL = fromHex('0203010001');

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
export function inverse(value, modulus) {
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
export async function emsaPss(crypto, message, salt, bits) {
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
export async function blindMessage(crypto, modulus, prepared, salt, blind) {
  const n = integerOf(modulus);
  const encoded = integerOf(await emsaPss(crypto, prepared, salt, n.toString(2).length - 1));
  inverse(encoded, n);
  inverse(blind, n);
  return { encoded, blinded: bytesOf((encoded * power(blind, EXPONENT, n)) % n, modulus.length) };
}

/** Finalize: the signature, from that of the blinded message; its power must be the encoded message. */
export function unblind(modulus, encoded, blindSignature, blind) {
  const n = integerOf(modulus);
  const signature = (integerOf(blindSignature) * inverse(blind, n)) % n;
  check(
    blindSignature.length === modulus.length && power(signature, EXPONENT, n) === encoded,
    'the blind signature', 'not that of the key', 'that of the key of the window');
  return bytesOf(signature, modulus.length);
}

/** The digest of what a token is for: SHA-256 of a TokenChallenge. */
export function challengeDigest(modelId, window, level) {
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
export function drawTokenSecrets(crypto, modulus) {
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
export async function tokenRequest(crypto, modulus, digest, secrets) {
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
