// The ledger

import { CroupierError, LedgerBusyError, LedgerError, LimitReachedError, NotChosenError } from './errors.js';
import {
  NAME, check, checkBytes, checkFunction, checkModelId, checkValue, isObject, kindOf, optionsOf, withTexts,
} from './checks.js';
import { checkCrypto } from './random.js';
import { DATA_OPTIONS, dataOf, decide, markOf, slotOf } from './lots.js';
import { isOver } from './windows.js';
import { checkTerms } from './update.js';
import { sleepFor } from './retries.js';
import {
  NOTHING_SPENT, accountOf, countsOf, decimal, drawnBy, nanosOfLimit, plusOne, requireAllowed, requireWithin,
  roundsOf, shareOf, storedAccount, tokensOf,
} from './accounts.js';
import { GONE, completionOf, databaseOf, deviceOf, lockOf, resultOf } from './storage.js';

/** The job recognises a resend among a device's newest 64 sequence numbers. */
const WINDOW = 64;

/** Newest reported rounds of a model that the ledger keeps. Far older ones are those of a model that began again. */
const MOST_ROUNDS = 1024;

export const LEDGER_OPTIONS = ['person', 'limit', 'indexedDB', 'locks', 'storage', 'crypto', 'sleep'];

function checkLedgerOptions({ person, limit, indexedDB, locks, crypto, sleep }) {
  check(
    typeof person === 'string' && person !== '', 'person', person === '' ? 'empty' : kindOf(person),
    'a text that distinguishes the people who use this browser');
  checkValue(isObject(limit), 'limit', limit, 'an object, such as {epsilon: 20}');
  const { epsilon, reports = 0, answers = 0 } = optionsOf('limit', limit, ['epsilon', 'reports', 'answers']);
  checkValue(typeof epsilon === 'number' && epsilon >= 0, 'limit.epsilon', epsilon, 'a number of at least 0');
  checkValue(typeof reports === 'number' && reports >= 0, 'limit.reports', reports, 'a number of at least 0');
  checkValue(typeof answers === 'number' && answers >= 0 && answers <= 1, 'limit.answers', answers, 'a number from 0 to 1');
  check(
    indexedDB === null || indexedDB === undefined || typeof indexedDB.open === 'function',
    'indexedDB', kindOf(indexedDB), "a browser's IDBFactory");
  check(
    locks === null || locks === undefined || typeof locks.request === 'function',
    'locks', kindOf(locks), "a browser's LockManager, or null without one");
  checkCrypto(crypto);
  checkFunction(sleep, 'sleep');
}

function checkNanos(epsilonNanos) {
  checkValue(
    typeof epsilonNanos === 'bigint' && epsilonNanos > 0n, 'epsilonNanos', epsilonNanos, 'a BigInt above 0, in units of 1e-9');
}

function checkToken(token) {
  check(
    isObject(token) && NAME.test(token.modelId) && Number.isSafeInteger(token.window),
    'token', isObject(token) ? 'another object' : kindOf(token), 'one with modelId, window and what else tokens() returns');
}

/**
 * What one person has spent from this browser, and the reports that are not settled yet, in IndexedDB.
 *
 * A report's charge and its bytes are written in one transaction, which is complete and flushed before the report is
 * returned. So, whenever the page stops: every report that may have been sent is charged; its bytes stay the same until
 * it is settled; its number is used for no other report; and none of the last 1,024 reported rounds of a model is
 * reported twice.
 */
export class Ledger {
  #db;
  #release;
  #opening;
  #secret;
  #limitNanos;
  #limitReports;
  #limitAnswers;
  #storage;
  #isUsable = true;
  #isGone = false;

  constructor(parts) {
    check(isObject(parts?.device), 'new Ledger()', 'not for pages', 'Ledger.open()');
    const { db, release, device, limit, storage } = parts;
    db.onclose = () => {
      this.#isGone = true;
    };
    this.#db = db;
    this.#release = release;
    this.#storage = storage;
    this.#opening = device.opening;
    this.#secret = device.secret;
    this.#limitNanos = nanosOfLimit(limit.epsilon);
    this.#limitReports = limit.reports ?? Infinity;
    this.#limitAnswers = limit.answers ?? 1;
    /** Distinguishes this ledger's reports from those of the person's other devices. */
    this.deviceId = device.deviceId;
  }

  /**
   * Opens the ledger of a person, or creates it.
   *
   * @param person any text that distinguishes the people who use this browser; it stays on this device
   * @param limit {epsilon, reports, answers}: the largest sum of epsilon, Infinity for none; the largest number of
   *     reports (by default none); the share of both, from 0 to 1, up to which this device answers questions, also while
   *     a model searches its clip (by default 1). It isn't stored: state it at every opening
   * @throws LedgerBusyError if another tab has it open
   * @throws LedgerError if the storage can't be read or written, or is damaged
   */
  static async open(options) {
    const {
      person, limit, indexedDB = globalThis.indexedDB, locks = globalThis.navigator?.locks,
      storage = globalThis.navigator?.storage, crypto = globalThis.crypto, sleep = sleepFor,
    } = optionsOf('Ledger.open', options, LEDGER_OPTIONS);
    checkLedgerOptions({ person, limit, indexedDB, locks, crypto, sleep });
    const name = `croupier/${person}`;
    const release = await lockOf(name, locks, sleep);
    try {
      const db = await databaseOf(name, indexedDB);
      try {
        const device = await deviceOf(db, crypto);
        return new Ledger({ db, release, device, limit, storage });
      } catch (failure) {
        db.close();
        throw failure;
      }
    } catch (failure) {
      release();
      throw failure instanceof CroupierError
        ? failure
        : new LedgerError('the ledger could not be opened', { cause: failure });
    }
  }

  /**
   * Asks the browser not to evict the ledger by itself, which may ask the person.
   *
   * @returns whether the browser has promised that
   */
  async persist() {
    return (await this.#storage?.persist?.()) === true;
  }

  /** What this device does in a round: {kind: 'none' | 'gradient' | 'size'}, or {kind: 'question', question}. */
  decide(terms) {
    checkTerms(terms);
    return decide(this.#secret, terms);
  }

  /**
   * Runs a body in a transaction. After a failure of the storage the ledger refuses to work until it is opened again,
   * since it is unknown what was written.
   */
  async #transaction(mode, durability, body) {
    if (!this.#isUsable || this.#isGone) {
      throw new LedgerError(this.#isGone ? GONE : 'the ledger is closed, or has failed; it must be opened again');
    }
    let transaction;
    let completion;
    try {
      transaction = this.#db.transaction(['state', 'reports'], mode, { durability });
      completion = completionOf(transaction);
      // Awaited below, unless the body fails first.
      completion.catch(() => {});
      const result = await body(transaction.objectStore('state'), transaction.objectStore('reports'));
      await completion;
      return result;
    } catch (failure) {
      const isRefusal = failure instanceof CroupierError && !(failure instanceof LedgerError);
      if (!isRefusal) {
        this.#isUsable = false;
      }
      try {
        transaction?.abort();
        await completion?.catch(() => {});
      } catch {
        // It is over already.
      }
      throw failure instanceof CroupierError
        ? failure
        : new LedgerError(this.#isGone ? GONE : 'the ledger could not be read or written', { cause: failure });
    }
  }

  /** {reports, epsilonNanos}: how many reports this device has released, and the sum of their epsilons in 1e-9. */
  async spent() {
    return this.#transaction(
      'readonly', 'default', async (state) => withTexts(accountOf(await resultOf(state.get('account')))));
  }

  /** Whether this device has reported a round of a model: by a gradient, or by an answer. */
  async hasReported(modelId, round) {
    checkModelId(modelId);
    checkValue(Number.isSafeInteger(round), 'round', round, 'a whole number');
    return this.#transaction('readonly', 'default', async (state) => {
      return roundsOf(await resultOf(state.get(`rounds/${modelId}`))).includes(round);
    });
  }

  /**
   * How often data were charged for a model, by reports and by tokens, and how often they were reported.
   *
   * @param key a text that names the data, or their bytes
   */
  async counts(modelId, key) {
    checkModelId(modelId);
    const name = this.#nameOf(modelId, dataOf({ key }));
    return this.#transaction('readonly', 'default', async (state) => countsOf(await resultOf(state.get(name))));
  }

  #nameOf(modelId, { key }) {
    return `data/${markOf(this.#secret, modelId, key)}`;
  }

  /** Writes the next counts of data, which a function makes of those so far or refuses; no data, no count. */
  async #count(state, modelId, data, next) {
    if (data !== null) {
      const name = this.#nameOf(modelId, data);
      await resultOf(state.put(next(countsOf(await resultOf(state.get(name)))), name));
    }
  }

  /** Reports that are charged and not settled, in the order of their numbers: {sequence, modelId, round, bytes}. */
  async pending() {
    return this.#transaction('readonly', 'default', (state, reports) => resultOf(reports.getAll()));
  }

  /**
   * Charges a report, draws it and makes it durable; only then may it be sent.
   *
   * @param epsilonNanos its cost
   * @param kind 'gradient' or 'answer'
   * @param draw makes the bytes for a sequence number, without waiting; not called if anything speaks against the report
   * @param data {key, times}: which data the report is about, by a text that names them or their bytes, and how often these
   *     may be reported to the model, by default once; null if reports of them aren't counted
   * @returns the stored report
   * @throws AlreadyReportedError if they were reported as often as that
   * @throws LimitReachedError if it would exceed the limit; no noise was drawn
   * @throws NotChosenError if this device has reported that round of the model before
   * @throws LedgerBusyError if another tab has opened the ledger since
   */
  async release(terms, epsilonNanos, kind, draw, data = null) {
    checkTerms(terms);
    checkNanos(epsilonNanos);
    checkValue(['gradient', 'answer'].includes(kind), 'kind', kind, "'gradient' or 'answer'");
    checkFunction(draw, 'draw');
    const about = data === null ? null : dataOf(optionsOf('data', data, DATA_OPTIONS));
    return this.#transaction('readwrite', 'strict', async (state, reports) => {
      const { account } = await this.#begin(state, reports);
      const rounds = roundsOf(await resultOf(state.get(`rounds/${terms.modelId}`)));
      if (rounds.includes(terms.round)) {
        throw new NotChosenError(`this device has reported round ${terms.round} of model ${terms.modelId} before`);
      }
      await this.#count(state, terms.modelId, about, ({ charged, reported }) => {
        requireAllowed(Math.max(charged, reported), reported, about.times, terms.modelId);
        return { charged: charged + 1, reported: reported + 1 };
      });
      const after = await this.#charge(state, account, terms, epsilonNanos);
      if (kind === 'answer') {
        this.#admitAnswer(after);
      }
      const sequence = account.reports;
      const report = { sequence, modelId: terms.modelId, round: terms.round, bytes: drawnBy(draw, sequence) };
      await Promise.all([
        resultOf(state.put([...rounds, terms.round].slice(-MOST_ROUNDS), `rounds/${terms.modelId}`)),
        resultOf(reports.add(report, sequence)),
      ]);
      return report;
    });
  }

  /**
   * Writes the totals with one report more. The job would refuse a report beyond the model's limits, and charge it, if all
   * reports before it have arrived.
   */
  async #charge(state, account, { modelId, limits }, epsilonNanos) {
    const after = plusOne(account, epsilonNanos);
    requireWithin(after, this.#limitReports, this.#limitNanos);
    const stored = await resultOf(state.get(`spent/${modelId}`));
    const onModel = plusOne(stored === undefined ? NOTHING_SPENT : accountOf(stored), epsilonNanos);
    requireWithin(
      onModel, limits.reports, nanosOfLimit(limits.epsilon), ` on model ${modelId}`, "the model's limit for a person");
    await Promise.all([
      resultOf(state.put(storedAccount(after), 'account')),
      resultOf(state.put(storedAccount(onModel), `spent/${modelId}`)),
    ]);
    return after;
  }

  async #requireOpening(state) {
    const device = await resultOf(state.get('device'));
    if (device?.opening !== this.#opening) {
      throw new LedgerBusyError('another tab has opened the ledger since; use that tab, or open it again here');
    }
  }

  /** The account and the tokens, if this tab may draw. */
  async #begin(state, reports) {
    await this.#requireOpening(state);
    const account = accountOf(await resultOf(state.get('account')));
    const tokens = tokensOf(await resultOf(state.get('tokens')));
    const [report] = await resultOf(reports.getAllKeys(null, 1));
    const asked = tokens.filter((token) => token.stage === 'asked').map((token) => token.sequence);
    const oldest = Math.min(report ?? Infinity, ...asked);
    if (account.reports - oldest >= WINDOW) {
      throw new CroupierError(`report ${oldest} is still pending; it must be settled before a new one is drawn`);
    }
    return { account, tokens };
  }

  /**
   * Tokens for anonymous reports, from the request to the end of their windows: {sequence, modelId, window, stage,
   * content, ...}. The stages are 'asked', 'held', 'drawn' and 'ended'; the content is what a stage needs: the secrets of
   * the request, the token, the report, nothing.
   */
  async tokens() {
    return this.#transaction('readonly', 'default', async (state) => tokensOf(await resultOf(state.get('tokens'))));
  }

  /**
   * Charges a token and makes it durable; only then may it be asked for.
   *
   * @param token modelId, window and what else is needed
   * @param limits of the model, as terms contain them
   * @param data as for release(): the token is charged for them, whatever is reported with it
   * @returns the stored token; that of the same model and window, if there is one
   */
  async chargeToken(token, epsilonNanos, limits, data = null) {
    checkToken(token);
    checkNanos(epsilonNanos);
    check(isObject(limits), 'limits', kindOf(limits), "those of a snapshot's terms");
    const about = data === null ? null : dataOf(optionsOf('data', data, DATA_OPTIONS));
    return this.#transaction('readwrite', 'strict', async (state, reports) => {
      const { account, tokens } = await this.#begin(state, reports);
      const same = tokens.find(({ modelId, window }) => modelId === token.modelId && window === token.window);
      if (same !== undefined) {
        return same;
      }
      // Not by what was reported: the request would reveal in which publication.
      await this.#count(state, token.modelId, about, ({ charged, reported }) => {
        requireAllowed(charged, reported, about.times, token.modelId);
        return { charged: charged + 1, reported };
      });
      await this.#charge(state, account, { modelId: token.modelId, limits }, epsilonNanos);
      const stored = { ...token, sequence: account.reports, stage: 'asked' };
      await resultOf(state.put([...tokens, stored], 'tokens'));
      return stored;
    });
  }

  /**
   * Makes the next stage of a token durable. Returns false, without a change, if it is in another stage than given.
   *
   * @param data which a drawn report is about, as for release()
   */
  async advanceToken(token, stage, content, data = null) {
    checkToken(token);
    checkValue(['asked', 'held', 'drawn', 'ended'].includes(stage), 'stage', stage, "'asked', 'held', 'drawn' or 'ended'");
    checkBytes(content, 'content');
    const about = data === null ? null : dataOf(optionsOf('data', data, DATA_OPTIONS));
    return this.#transaction('readwrite', 'strict', async (state) => {
      await this.#requireOpening(state);
      const tokens = tokensOf(await resultOf(state.get('tokens')));
      const isSame = (other) => other.sequence === token.sequence && other.stage === token.stage;
      if (!tokens.some(isSame)) {
        return false;
      }
      await this.#count(state, token.modelId, about, ({ charged, reported }) => {
        requireAllowed(reported, reported, about.times, token.modelId);
        return { charged, reported: reported + 1 };
      });
      const next = tokens.map((other) => (isSame(other) ? { ...other, stage, content } : other));
      await resultOf(state.put(next, 'tokens'));
      return true;
    });
  }

  /**
   * Forgets the tokens of a model whose windows are over, except those whose report is still to arrive. Ends those that
   * aren't granted by the second publication: the gateway would choose among the publications that remain.
   */
  async forgetTokens(modelId, round) {
    checkModelId(modelId);
    checkValue(Number.isSafeInteger(round), 'round', round, 'a whole number');
    return this.#transaction('readwrite', 'default', async (state) => {
      await this.#requireOpening(state);
      const tokens = tokensOf(await resultOf(state.get('tokens')));
      const isKept = (token) => token.modelId !== modelId || token.lastRound >= round
        || (token.stage === 'drawn' && !isOver(token, round));
      const isLate = (token) => token.modelId === modelId && token.stage === 'asked' && token.firstRound < round;
      const next = tokens.filter(isKept).map(
        (token) => (isLate(token) ? { ...token, stage: 'ended', content: new Uint8Array(0) } : token));
      await resultOf(state.put(next, 'tokens'));
    });
  }

  /** In which publication of its window a token is used, from 0. */
  slot(digest, publications) {
    checkBytes(digest, 'digest');
    checkValue(Number.isSafeInteger(publications) && publications > 0, 'publications', publications, 'a whole number above 0');
    return slotOf(this.#secret, digest, publications);
  }

  /** Whether the share of the limits for answers admits one more. release() reports limits that are reached. */
  async admitsAnswer(epsilonNanos) {
    checkNanos(epsilonNanos);
    const account = await this.spent();
    const after = plusOne(account, epsilonNanos);
    return this.#isWithin(after, this.#limitAnswers) || !this.#isWithin(after, 1);
  }

  /** Whether spends are within a share of the limits. */
  #isWithin(after, share) {
    const isIn = (nanos, limit) => limit === null || nanos <= shareOf(limit, share);
    return share > 0 && isIn(nanosOfLimit(after.reports), nanosOfLimit(this.#limitReports))
      && isIn(after.epsilonNanos, this.#limitNanos);
  }

  #admitAnswer(after) {
    if (!this.#isWithin(after, this.#limitAnswers)) {
      throw new LimitReachedError(
        `epsilon would add up to ${decimal(after.epsilonNanos)} in ${after.reports} reports; answers may take the share `
        + `${this.#limitAnswers} of the limits`);
    }
  }

  /** Records that a report was acknowledged, or refused for ever: it stays charged, and isn't sent again. */
  async settle(sequence) {
    checkValue(Number.isSafeInteger(sequence), 'sequence', sequence, 'a whole number');
    return this.#transaction('readwrite', 'default', (state, reports) => resultOf(reports.delete(sequence)));
  }

  /** Closes the ledger, for another tab to open it. */
  close() {
    this.#isUsable = false;
    this.#db.close();
    this.#release();
  }
}
