// Windows of anonymous reports

import { CroupierError } from './errors.js';
import { numberOf, requireUpdate } from './checks.js';
import { fromBase64, isEqual } from './bytes.js';
import { MODULUS_BYTES, challengeDigest } from './tokens.js';

/** A window that the gateway grants tokens for; its levels without priv_unit are null. */
export function windowOf(window) {
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
 * The window of a token among those that a gateway serves to everybody; undefined if none has its number. All devices
 * require the same of the list, so no entry of it can be for one person: the windows have one length and follow each
 * other, and no two levels have the same epsilon, by which a device finds its level.
 *
 * @throws CroupierError if they don't, or the token's window has other rounds, another declaration or another key
 */
export function servedWindow(windows, token) {
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

/** Whether reports of a token's window are too old in a round, whatever the model's settings. */
export function isOver({ firstRound, lastRound }, round) {
  return round - lastRound > 2 * (lastRound - firstRound + 1);
}
