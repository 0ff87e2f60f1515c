/**
 * A person's device in the browser: follows a model over the gateway's HTTP API, and reports the person's gradients and
 * answers under local differential privacy.
 *
 * The module has no dependencies. Storage, network, randomness, locks and clocks are parameters, whose defaults are the
 * browser's. docs/build/javascript.md is the guide, docs/reference/priv-unit.md specifies the randomiser, and croupier.proto the records.
 *
 * Licence: Apache-2.0.
 */

import { bytesOf, fromBase64, fromHex, integerOf, toBase64, toHex } from './bytes.js';
import { hmac, sha256 } from './hashes.js';
import { Words, drawIndex } from './random.js';
import { acceptance, flips, nanos } from './probabilities.js';
import { Word, computeKnots, coordinate, halves, hashOf, height, knots } from './vectors.js';
import { defaultTop, lift, topOf } from './priv-unit.js';
import { groupOf } from './responses.js';
import { candidateOf, categoryOf, textsOf } from './statistics.js';
import { isSizeAbove, scaledBy } from './losses.js';
import { portableExp, portableLog1p } from './portable.js';
import { decide, lot, slotOf } from './lots.js';
import { blindMessage, challengeDigest, drawTokenSecrets, emsaPss, inverse, tokenRequest, unblind } from './tokens.js';
import { gridExponentOf } from './update.js';
import { aesGcm, encapsulate, hpkeSender } from './oblivious.js';
import { answerReport, candidateReport, voteReport } from './reports.js';
import { decimal } from './accounts.js';
import { randomId } from './storage.js';
import { eventsOf } from './gateway.js';

export { VERSION } from './version.js';
export {
  AlreadyReportedError, CroupierError, GatewayError, JobRefusedError, LedgerBusyError, LedgerError, LimitReachedError,
  NotChosenError, StoppedError,
} from './errors.js';
export { expandCandidate } from './vectors.js';
export { PrivUnit } from './priv-unit.js';
export { HashedResponse, RandomisedResponse } from './responses.js';
export { Features } from './features.js';
export { HUBER_C, absolute, hinge, huber, logistic, mallowsWeights, norm, pinball, softmax, squared } from './losses.js';
export { Rows } from './rows.js';
export { readUpdate } from './update.js';
export { Ledger } from './ledger.js';
export { Gateway } from './gateway.js';
export { givenSection } from './given.js';
export { Device } from './device.js';

/** Parts that tests compare with the Java implementation. They are no part of the API. */
export const internals = Object.freeze({
  Words, acceptance, flips, nanos, knots, computeKnots, hashOf, coordinate, height, halves, Word, lift, topOf,
  drawIndex, defaultTop, lot, decide, sha256, hmac, gridExponentOf, candidateReport, answerReport, voteReport, groupOf, textsOf, candidateOf,
  categoryOf, isSizeAbove, scaledBy, eventsOf, decimal, randomId, slotOf, emsaPss, blindMessage, unblind, challengeDigest, tokenRequest, drawTokenSecrets,
  fromBase64, toBase64, integerOf, portableExp, portableLog1p, bytesOf, inverse, fromHex, toHex, hpkeSender, aesGcm, encapsulate,
});
