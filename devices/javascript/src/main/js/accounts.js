// What the ledger counts

import { AlreadyReportedError, CroupierError, LedgerError, LimitReachedError } from './errors.js';
import { checkBytes } from './checks.js';
import { EPSILON_DECIMALS, nanos } from './probabilities.js';

/** A sum in units of 1e-9 as a decimal number. */
export function decimal(units) {
  const digits = String(units).padStart(EPSILON_DECIMALS + 1, '0');
  const fraction = digits.slice(-EPSILON_DECIMALS).replace(/0+$/, '');
  return digits.slice(0, -EPSILON_DECIMALS) + (fraction === '' ? '' : `.${fraction}`);
}

/** The bytes of a report. An error of the caller's program is no failure of the storage. */
export function drawnBy(draw, sequence) {
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
export function countsOf(stored) {
  const { charged, reported } = stored === undefined ? { charged: 0, reported: 0 } : stored ?? {};
  if (![charged, reported].every((count) => Number.isSafeInteger(count) && count >= 0)) {
    throw new LedgerError('the ledger is damaged: how often data were reported is malformed');
  }
  return { charged, reported };
}

/** What counts is how often data were charged or reported: a token that was charged for them may not have led to a report. */
export function requireAllowed(count, reported, times, modelId) {
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
export function shareOf(units, share) {
  return (units * nanos(share)) / 10n ** BigInt(EPSILON_DECIMALS);
}

export const NOTHING_SPENT = Object.freeze({ reports: 0, epsilonNanos: 0n });

export function plusOne({ reports, epsilonNanos }, epsilonNanosMore) {
  return { reports: reports + 1, epsilonNanos: epsilonNanos + epsilonNanosMore };
}

/** In units of 1e-9; null without a limit. */
export function nanosOfLimit(epsilon) {
  return epsilon === Infinity ? null : nanos(epsilon);
}

export function requireWithin(after, mostReports, mostNanos, where = '', whose = 'the limit') {
  if (after.reports > mostReports) {
    throw new LimitReachedError(`reports${where} would be ${after.reports}; ${whose} is ${mostReports}`);
  }
  if (mostNanos !== null && after.epsilonNanos > mostNanos) {
    throw new LimitReachedError(
      `epsilon${where} would add up to ${decimal(after.epsilonNanos)}; ${whose} is ${decimal(mostNanos)}`);
  }
}

export function storedAccount({ reports, epsilonNanos }) {
  return { reports, epsilonNanos: String(epsilonNanos) };
}

/** What the account contains. One that can't be read is damage, never nothing. */
export function accountOf(stored) {
  const isRight =
    Number.isSafeInteger(stored?.reports) && stored.reports >= 0 && /^\d+$/.test(String(stored.epsilonNanos));
  if (!isRight) {
    throw new LedgerError('the ledger is damaged: its account is missing or malformed');
  }
  return { reports: stored.reports, epsilonNanos: BigInt(stored.epsilonNanos) };
}

/** The rounds of a model that were reported. */
export function roundsOf(stored) {
  const rounds = stored ?? [];
  if (!Array.isArray(rounds)) {
    throw new LedgerError('the ledger is damaged: the rounds of a model are malformed');
  }
  return rounds;
}

/** The tokens. */
export function tokensOf(stored) {
  const tokens = stored ?? [];
  if (!Array.isArray(tokens)) {
    throw new LedgerError('the ledger is damaged: its tokens are malformed');
  }
  return tokens;
}
