// When to try again

import { GatewayError } from './errors.js';

export const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
export const LONGEST_RETRY_MS = 600_000;

/** Answers that concern the bytes of a report, so that the same bytes will never be accepted. */
export const FINAL = new Set([400, 409, 410, 415, 422]);

/** Answers that a model is unknown, of which the last is believed. */
export const UNKNOWN = 6;

/** Whether a problem document is a gateway's: other servers have such documents, too, and know nothing of a report. */
export function isOfGateway(problem) {
  return typeof problem?.type === 'string' && problem.type.startsWith('urn:croupier:problem:');
}

/**
 * Whether the gateway doesn't know a report's model, which another gateway may have read already. At a wrong path it
 * names no field of the report.
 */
export function isUnknownModel(failure) {
  return failure instanceof GatewayError && failure.status === 404 && failure.retryAfterMs === null
    && isOfGateway(failure.problem) && (failure.problem.errors?.length ?? 0) > 0;
}

/** Resolves after a time, or when the signal aborts. */
export function sleepFor(ms, signal) {
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
export function retryAfterMs(headers, now) {
  const header = headers.get('Retry-After')?.trim() ?? '';
  if (/^\d+$/.test(header)) {
    return 1000 * Number(header);
  }
  const sent = timeOf(headers.get('Date') ?? '');
  const wait = timeOf(header) - (Number.isNaN(sent) ? now : sent);
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** Wait before the next try: doubled each time, of which a random half is left out, so that devices spread. */
export function backOffMs(attempt, words) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempt, 10));
  return longest / 2 + words.below(longest / 2 + 1);
}

/** The failures in a row of a caller that follows a model. */
export class Tries {
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
