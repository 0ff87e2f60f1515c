// What a device does in a round, decided by its ledger's secret

import { check, checkValue, kindOf } from './checks.js';
import { ascii, concat, integerOf, toHex } from './bytes.js';
import { hmac } from './hashes.js';

/** A number in [0, 1) that depends on the secret, the purpose, the model and the round alone. */
export function lot(secret, purpose, modelId, round) {
  const number = new DataView(new ArrayBuffer(8));
  number.setUint32(0, Math.floor(round / 2 ** 32));
  number.setUint32(4, round % 2 ** 32);
  const message = concat(ascii(purpose), ascii(modelId), new Uint8Array(number.buffer));
  const digest = new DataView(hmac(secret, message).buffer);
  return (digest.getUint32(0) * 2 ** 21 + (digest.getUint32(4) >>> 11)) * 2 ** -53;
}

export const DATA_OPTIONS = ['key', 'times'];
const MOST_KEY_BYTES = 256;
const MARK_BYTES = 16;

/**
 * Which data a report is about, and how often these may be reported to a model: {key, times}.
 *
 * @param key a text of the caller, or the bytes of the data
 */
export function dataOf({ key, times = 1 }) {
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
export function markOf(secret, modelId, key) {
  const isText = typeof key === 'string';
  const message = concat(
    ascii('croupier data'), [0], ascii(modelId), [0, isText ? 1 : 0], isText ? new TextEncoder().encode(key) : key);
  return toHex(hmac(secret, message).subarray(0, MARK_BYTES));
}

/** What a device does in a round: a function of its secret and of the terms, so it is decided once. */
export function decide(secret, terms) {
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
export function slotOf(secret, challengeDigest, publications) {
  const message = concat(ascii('croupier slot'), [0], challengeDigest, new Uint8Array(4));
  return Number((integerOf(hmac(secret, message).subarray(0, 8)) * BigInt(publications)) >> 64n);
}
