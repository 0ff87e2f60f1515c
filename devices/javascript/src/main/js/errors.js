// Errors

/** Base of all errors of this module. Messages contain no gradient, no noise, no token and no person. */
export class CroupierError extends Error {
  constructor(message, options) {
    super(visible(message), options);
    this.name = new.target.name;
  }
}

/** A message in one line: it may quote foreign text, whose characters a terminal would obey. */
function visible(text) {
  return String(text).replace(/(?! )[\p{C}\p{Z}]/gu, (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

/** The report would exceed the person's limit. No noise was drawn. */
export class LimitReachedError extends CroupierError {}

/** These data were reported to the model as often as the caller allows. Nothing was drawn or spent. */
export class AlreadyReportedError extends CroupierError {}

/**
 * The job refuses this person's reports: a limit of the job leaves too little, which other devices of the person may have
 * spent, or it refused this device's last report, or it has judged later ones than this device's ledger has. Nothing was
 * spent. account: what the job answered.
 */
export class JobRefusedError extends CroupierError {
  constructor(message, account) {
    super(message);
    this.account = account;
  }
}

/** This device doesn't answer the round in that way. Nothing was drawn or spent. */
export class NotChosenError extends CroupierError {}

/** Another tab has this ledger open, or has taken it over. */
export class LedgerBusyError extends CroupierError {}

/** The ledger can't be read or written. Nothing is drawn with it until it is opened again. */
export class LedgerError extends CroupierError {}

/**
 * The gateway refused a request, or didn't answer it.
 *
 * status is the HTTP status, 0 without an answer. detail is the sentence of the problem document. isFinal: the same
 * request will never be accepted. retryAfterMs: how long to wait before the next try; null if repeating is useless.
 */
export class GatewayError extends CroupierError {
  constructor(message, { status, problem = null, isFinal = false, retryAfterMs = null, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.problem = problem;
    this.detail = problem?.detail ?? null;
    this.isFinal = isFinal;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The person is stopped: the gateway takes nothing of them until an operator resumes them. What waited to be sent is
 * dropped, tokens among it; what is charged stays charged.
 */
export class StoppedError extends GatewayError {}
