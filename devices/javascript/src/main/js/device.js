// The device

import {
  AlreadyReportedError, CroupierError, GatewayError, JobRefusedError, LedgerError, NotChosenError, StoppedError,
} from './errors.js';
import {
  check, checkFunction, checkInstance, checkValue, checkVector, isObject, kindOf, optionsOf, withTexts,
} from './checks.js';
import { concat, toBase64 } from './bytes.js';
import { Words } from './random.js';
import { epsilonUnits } from './probabilities.js';
import { PrivUnit } from './priv-unit.js';
import { HashedResponse, RandomisedResponse } from './responses.js';
import { categoryOf } from './statistics.js';
import { isSizeAbove, scaledBy } from './losses.js';
import { Rows } from './rows.js';
import { DATA_OPTIONS, dataOf } from './lots.js';
import { challengeDigest, drawTokenSecrets, tokenRequest } from './tokens.js';
import { isOver, servedWindow } from './windows.js';
import { checkSnapshot } from './update.js';
import { anonymousReport, answerReport, candidateReport, voteReport } from './reports.js';
import { UNKNOWN, isUnknownModel, sleepFor } from './retries.js';
import { decimal, requireAllowed } from './accounts.js';
import { LEDGER_OPTIONS, Ledger } from './ledger.js';
import { Gateway, signalOf } from './gateway.js';

const DEFAULT_ATTEMPTS = 6;

const DEVICE_OPTIONS = [
  'gateway', 'epsilon', 'attempts', 'onRefused', 'releaseDelayMs', 'now', 'anonymous', ...LEDGER_OPTIONS,
];

/** A device asks for the account before a report, at most once a minute, and once for each report. */
const ACCOUNT_PAUSE_MS = 60_000;

const ACCOUNT_TIMEOUT_MS = 15_000;

/** How long after its longest wait an anonymous report may leave: later, the device may have slept. */
const LATEST_MS = 120_000;

/** How long a refused report stops a device; then it tries once more. */
const REFUSED_MS = 86_400_000;

/** Why limits admit no report of this cost; null if they may. A limit of another kind stops only where nothing is left. */
function reasonOfLeft({ left, refusals }, onModel, epsilonNanos, modelId) {
  const short = ({ reports = 1, epsilon = Infinity, mu = 1, epsilonAtDelta = 1 }) => (
    reports < 1 || Math.round(epsilon * 1e9) < Number(epsilonNanos) || mu === 0 || epsilonAtDelta === 0);
  const isOver = { all: left !== undefined && short(left), model: onModel?.left !== undefined && short(onModel.left) };
  if (!isOver.all && !isOver.model) {
    return null;
  }
  const last = refusals.find((refusal) => refusal.outcome === 'REFUSED_BUDGET' && refusal.modelId === modelId);
  return `the job's limits ${isOver.all ? 'on all models' : `on model ${modelId}`} admit no report of this person now`
    + (last === undefined ? '' : `; the last was refused: ${last.reason}`);
}

/**
 * One person's device: decides what to do in a round, draws one report, charges it, stores it, and sends it until it is
 * acknowledged. Calls are processed one after the other. While an earlier report can't be delivered, none is drawn.
 */
export class Device {
  #gateway;
  #ledger;
  #crypto;
  #now;
  #attempts;
  #onRefused;
  #releaseDelayMs;
  #sleep;
  #answers;
  #anonymous;
  #sending = new Map();
  #grants = new Map();
  #newest = new Map();
  #draws = Promise.resolve();
  #queue = Promise.resolve();
  #account = null;
  #askedFor = -1;
  #askedAtMs = -Infinity;

  constructor(parts) {
    check(parts?.ledger instanceof Ledger, 'new Device()', 'not for pages', 'Device.open()');
    const { gateway, ledger, epsilon, crypto, now, attempts, onRefused, releaseDelayMs, sleep, anonymous } = parts;
    this.#anonymous = anonymous;
    this.#gateway = gateway;
    this.#ledger = ledger;
    this.#crypto = crypto;
    this.#now = now;
    this.#attempts = attempts;
    this.#onRefused = onRefused;
    this.#releaseDelayMs = releaseDelayMs;
    this.#sleep = sleep;
    this.#answers = new RandomisedResponse({ epsilon, crypto });
    /** What each report spends, gradient or answer. */
    this.epsilon = this.#answers.epsilon;
    /** Resolves when the reports of earlier visits are settled; rejects if they can't be delivered now. */
    this.resent = this.#enqueue(() => this.#deliver());
    this.resent.catch(() => {});
  }

  /**
   * Opens the person's ledger, and begins to resend the reports that an earlier visit left behind.
   *
   * @param gateway a Gateway
   * @param epsilon what each report spends, from 1e-9 to 16
   * @param attempts how often a report is tried before the call fails; it is sent again later, the same bytes
   * @param onRefused called with (report, error) for a report of an earlier visit that the gateway refuses for ever
   * @param releaseDelayMs how long after the beginning of a release its report is sent, at least 0; if the draw takes
   *     longer, it is sent at the next whole multiple of the delay
   * @param anonymous for takePartAnonymously: {collector, longestWaitMs}. The collector is a Gateway without a token,
   *     through a relay; without one, the gateway sees this device's address. Reports wait uniformly between 0 and the
   *     longest wait, the model's shortest time between two publications
   * For the other parameters see Ledger.open.
   */
  static async open(options) {
    const {
      gateway, epsilon, attempts = DEFAULT_ATTEMPTS, onRefused = () => {}, releaseDelayMs = 0, now = () => Date.now(),
      sleep = sleepFor, crypto = globalThis.crypto, anonymous = null, ...storage
    } = optionsOf('Device.open', options, DEVICE_OPTIONS);
    checkInstance(gateway, Gateway, 'gateway');
    gateway.requireToken();
    epsilonUnits(epsilon);
    checkValue(Number.isSafeInteger(attempts) && attempts >= 1, 'attempts', attempts, 'a whole number of at least 1');
    checkFunction(onRefused, 'onRefused');
    checkFunction(now, 'now');
    checkValue(
      Number.isFinite(releaseDelayMs) && releaseDelayMs >= 0, 'releaseDelayMs', releaseDelayMs, 'a number of at least 0');
    checkValue(
      anonymous === null || isObject(anonymous),
      'anonymous', anonymous, 'null, or an object with collector and longestWaitMs');
    if (anonymous !== null) {
      const { collector, longestWaitMs } = optionsOf('anonymous', anonymous, ['collector', 'longestWaitMs']);
      checkInstance(collector, Gateway, 'anonymous.collector');
      checkValue(
        Number.isSafeInteger(longestWaitMs) && longestWaitMs > 0,
        'anonymous.longestWaitMs', longestWaitMs, 'an integer above 0, the same in all apps of the model');
    }
    const ledger = await Ledger.open({ crypto, sleep, ...storage });
    return new Device({ gateway, ledger, epsilon, crypto, now, attempts, onRefused, releaseDelayMs, sleep, anonymous });
  }

  /** Distinguishes this device from the person's others. */
  get deviceId() {
    return this.#ledger.deviceId;
  }

  /** Asks the browser not to evict the ledger by itself; returns whether it has promised that. */
  async persist() {
    return this.#ledger.persist();
  }

  /** {reports, epsilon, epsilonNanos}: what this device has spent. */
  async spent() {
    const account = await this.#ledger.spent();
    return withTexts({ ...account, epsilon: decimal(account.epsilonNanos) });
  }

  /** What the job has charged this person, over all devices, and what it refused; see Gateway.account. */
  async account() {
    return this.#gateway.account();
  }

  /**
   * Throws JobRefusedError if the job would refuse a report, as far as is known. Before the first report of a device
   * nothing is asked; without an answer it reports.
   */
  async #requireAdmission({ modelId }, epsilonNanos) {
    const last = (await this.#ledger.spent()).reports - 1;
    if (last < 0) {
      return;
    }
    const reasonNow = async () => (this.#askedFor === last && this.#account !== null
      ? this.#reasonOf(this.#account, modelId, last, epsilonNanos) : null);
    let reason = await reasonNow();
    const isKnown = this.#askedFor === last && this.#account?.devices.some(
      ({ deviceId, highestSequence }) => deviceId === this.deviceId && highestSequence >= last);
    const now = this.#now();
    if ((!isKnown || reason !== null) && Math.abs(now - this.#askedAtMs) >= ACCOUNT_PAUSE_MS) {
      this.#askedAtMs = now;
      this.#askedFor = last;
      this.#account = await this.#gateway.account({ signal: signalOf(undefined, ACCOUNT_TIMEOUT_MS) }).catch(() => null);
      reason = await reasonNow();
    }
    if (reason !== null) {
      throw new JobRefusedError(reason, this.#account);
    }
  }

  async #reasonOf(account, modelId, last, epsilonNanos) {
    if (account.stopped) {
      return 'the person is stopped: the job and its gateways take no report';
    }
    // Tokens may have been charged since the account was asked for.
    const end = (await this.#ledger.spent()).reports - 1;
    const judged = account.devices.find(({ deviceId }) => deviceId === this.deviceId)?.highestSequence;
    if (judged > end) {
      return `the job has judged report ${judged} of this device, and its ledger ends with report ${end}: it is an older`
        + ' copy, or one of several, and lacks what was spent since; use the newest one, or a new ledger with a limit lower by'
        + ' what the account shows as spent';
    }
    const onModel = account.models.find((model) => model.modelId === modelId);
    const lefts = [account.left, onModel?.left].filter((left) => left !== undefined);
    // Whether what is left of these two kinds admits a report, the job alone knows.
    const isShown = lefts.length > 0 && lefts.every(({ mu, epsilonAtDelta }) => (mu ?? epsilonAtDelta) === undefined);
    // A wrong sequence number is the device's; any other reason is one model's, but for a stop, which the account shows.
    // A limit's lasts until enough is left.
    const concerns = (refusal) => refusal.outcome === 'REFUSED_SEQUENCE'
      || (refusal.modelId === modelId && refusal.outcome !== 'REFUSED_STOPPED' && !(refusal.outcome === 'REFUSED_BUDGET' && isShown));
    const own = account.refusals.find((refusal) => (
      concerns(refusal) && refusal.deviceId === this.deviceId && refusal.sequence === last
      && account.asOfMs - refusal.appendedAtMs < REFUSED_MS));
    if (own !== undefined) {
      return `the job refused this device's report ${last}: ${own.reason}`;
    }
    return reasonOfLeft(account, onModel, epsilonNanos, modelId);
  }

  /** What the device does in the round of a snapshot, decided once; see Ledger.decide. */
  decide(snapshot) {
    checkSnapshot(snapshot);
    return this.#ledger.decide(snapshot.terms);
  }

  /** The randomiser of gradients of a dimension. */
  randomiser(dimension) {
    return new PrivUnit({ dimension, epsilon: this.epsilon, crypto: this.#crypto });
  }

  /** That of a level of anonymous reports, which states its candidates and top: all reports of a window have the same. */
  #randomiserOf(dimension, { epsilon, candidates = 0, top = 0 }) {
    return new PrivUnit({ dimension, epsilon, candidates, top, crypto: this.#crypto });
  }

  /**
   * Does in a round what it asks for: reports the gradient of the mean loss of the rows, or one randomised bit, or the
   * person's category in a statistic.
   *
   * @param rows the person's Rows; null for a model of statistics alone, whose terms have the dimension 0
   * @param categories the person's category, number or text in each statistic that this program knows, by the statistic's
   *     name; a value that is none of the categories, null for instance, counts as the last of them; where a number is asked
   *     for, what is none counts as the lower end of the range; where a text is, what is none of the alphabet as the empty text
   * @param key a text that names the data, such as their day or version; by default the data themselves. The ledger stores
   *     a digest under its secret, for ever
   * @param times how often these data may be reported to the model, by any kind of report; Infinity for no bound
   * @returns what was sent, as report() does; null if this device isn't chosen in that round, has reported it before, or
   *     is asked a question or for a statistic that its data can't answer, or for which its limit leaves nothing
   * @throws AlreadyReportedError if the data were reported as often as that. What is pending is sent first
   */
  async takePart(snapshot, rows, options = {}) {
    checkSnapshot(snapshot);
    check(rows === null || rows instanceof Rows, 'rows', kindOf(rows), 'Rows, or null for a model of statistics alone');
    const { categories = {}, ...given } = optionsOf('takePart', options, ['categories', ...DATA_OPTIONS]);
    check(
      isObject(categories), 'categories', kindOf(categories), "an object with the person's values by the statistics' names");
    const { terms, weights, average, modelId, round } = snapshot;
    const dimension = rows === null ? 0 : rows.dimension;
    check(dimension === terms.dimension, 'dimension of the rows', dimension, terms.dimension);
    check(
      terms.size !== 'FEATURES' || rows.hasBoundedSlope, 'slope of the loss of the rows', 'unbounded',
      "bounded, as that of every loss of this module but squared: the model's clip bounds features");
    const data = dataOf({ ...given, key: given.key ?? bytesOfData(rows, categories) });
    await this.#requireUnreported(modelId, data);
    const decision = this.decide(snapshot);
    if (decision.kind === 'none' || (await this.#ledger.hasReported(modelId, round))) {
      return null;
    }
    if (decision.kind !== 'gradient' && !(await this.#ledger.admitsAnswer(this.#answers.epsilonNanos))) {
      return null;
    }
    if (decision.kind === 'size') {
      requireKnownSize(terms);
      return this.#answer(terms, 'clip', data, isSizeAbove(rows.size(terms, weights), terms.gradientBound));
    }
    if (decision.kind === 'question') {
      if (!rows.canAnswer(decision.question)) {
        return null;
      }
      const row = new Words(this.#crypto).below(rows.count);
      return this.#answer(terms, decision.question.name, data, rows.answer(decision.question, row, average));
    }
    if (decision.kind === 'statistic') {
      const { name, kind, threshold } = decision.statistic;
      if (kind === 'unknown' || !Object.hasOwn(categories, name)) {
        return null;
      }
      const value = categories[name];
      return kind === 'quantiles'
        ? this.#answer(terms, name, data, typeof value === 'number' && value > threshold)
        : this.#vote(terms, decision.statistic, data, value);
    }
    return this.report(snapshot, rows.gradient(weights), rows.size(terms, weights), data);
  }

  async #requireUnreported(modelId, { key, times }) {
    const { charged, reported } = await this.#ledger.counts(modelId, key);
    const count = Math.max(charged, reported);
    if (count >= times) {
      await this.resend();
      requireAllowed(count, reported, times, modelId);
    }
  }

  /**
   * Clips and randomises a gradient, charges it, and sends it.
   *
   * @param snapshot at whose weights the gradient was evaluated
   * @param gradient d numbers; a value that is not finite makes it zero
   * @param size of the gradient as the moving clip bounds it; needed if that is FEATURES
   * @param data {key, times} as for takePart(), with a key; without data, reports of the same data aren't counted
   * @returns when it is acknowledged, an object with kind, sequence, bytes, epsilon, choice and randomiser
   * @throws NotChosenError, LimitReachedError, JobRefusedError, LedgerError: no noise was drawn, or nothing is sent
   * @throws GatewayError if it was not acknowledged: it is spent. If it is pending, it is sent again later
   */
  async report(snapshot, gradient, size, data = {}) {
    checkSnapshot(snapshot);
    const { terms } = snapshot;
    check(terms.size !== 'FEATURES' || size !== undefined, 'size', 'missing', 'given, since the clip bounds features');
    check(size === undefined || typeof size === 'number', 'size', kindOf(size), 'a number');
    checkVector(gradient, 'the gradient', terms.dimension);
    requireKnownSize(terms);
    this.#requireGradient(terms);
    const randomiser = this.randomiser(terms.dimension);
    // A copy: the caller may change its own until the report is drawn.
    const scaled =
      terms.size === null || size === undefined
        ? Float64Array.from(gradient)
        : Float64Array.from(scaledBy(gradient, size, terms.gradientBound));
    let choice;
    const sent = await this.#release(terms, randomiser.epsilonNanos, 'gradient', data, (sequence) => {
      choice = randomiser.choose(scaled, terms.gradientBound);
      return candidateReport(terms, this.deviceId, sequence, this.#now(), randomiser, choice);
    });
    return { kind: 'gradient', ...sent, epsilon: randomiser.epsilon, choice, randomiser };
  }

  /** Reports the person's category or text by a randomised group. */
  async #vote(terms, statistic, data, category) {
    const { texts, categories } = statistic;
    const randomiser = new HashedResponse({
      epsilon: this.epsilon, categories: texts?.count ?? categories.length, crypto: this.#crypto,
    });
    const index = categoryOf(statistic, category);
    let release;
    const sent = await this.#release(terms, randomiser.epsilonNanos, 'answer', data, (sequence) => {
      release = randomiser.release(index);
      return voteReport(terms, this.deviceId, sequence, this.#now(), randomiser, statistic.name, release);
    });
    return withTexts({ kind: 'vote', ...sent, epsilon: randomiser.epsilon, statistic: statistic.name, ...release });
  }

  /** Reports a randomised bit. */
  async #answer(terms, question, data, truth) {
    const randomiser = this.#answers;
    let bit;
    const sent = await this.#release(terms, randomiser.epsilonNanos, 'answer', data, (sequence) => {
      bit = randomiser.release(truth);
      return answerReport(terms, this.deviceId, sequence, this.#now(), randomiser, question, bit);
    });
    return { kind: 'answer', ...sent, epsilon: randomiser.epsilon, question, bit };
  }

  /**
   * Does in a publication what the model's anonymous windows ask of this device: asks for the token of a window that
   * begins, and sends the report if this is the publication at which its secret has it report. Call it with every update.
   *
   * @param data the person's Rows; or a function that computes the gradient, d numbers, at the published weights, and is
   *     called only if the device reports now
   * @param key as for takePart(), by default the rows themselves; a function needs one. A token is charged for these data,
   *     and they are reported as often as `times` states, by default once, whichever windows that takes
   * @returns null, or what was sent when it is accepted: {kind: 'anonymous', round, bytes, epsilon}
   * @throws AlreadyReportedError if tokens were charged for these data as often as that, and all their windows are over: an
   *     earlier end would reveal the publication of the report
   * @throws LimitReachedError if the token would exceed the limit; LedgerError: nothing is sent
   * @throws GatewayError if no token is granted, or the report isn't accepted. A later call sends the same bytes again, the
   *     report only while its publication is the newest
   */
  async takePartAnonymously(snapshot, data, options = {}) {
    check(this.#anonymous !== null, 'anonymous', 'missing', 'set at Device.open');
    checkSnapshot(snapshot);
    const { modelId, round, windows } = snapshot;
    const isRows = data instanceof Rows;
    const gradient = isRows ? () => data.gradient(snapshot.weights) : data;
    checkFunction(gradient, 'the data', 'Rows, or a function that computes the gradient');
    const given = optionsOf('takePartAnonymously', options, DATA_OPTIONS);
    const about = dataOf({ ...given, key: given.key ?? (isRows ? bytesOfData(data, {}) : undefined) });
    this.#newest.set(modelId, round);
    await this.#ledger.forgetTokens(modelId, round);
    // With identity: no report and no gradient may delay it, and it delays no report.
    const asked = this.#askForTokens(snapshot, about);
    asked.catch(() => {});
    let drawn = await this.#enqueueDraw(() => this.#drawDue(snapshot, gradient, about));
    if (drawn === null) {
      await asked;
      // A window that opens with this publication may have its report now.
      if (windows.some(({ firstRound }) => firstRound === round) && this.#newest.get(modelId) === round) {
        drawn = await this.#enqueueDraw(() => this.#drawDue(snapshot, gradient, about));
      }
    }
    if (drawn === null) {
      return null;
    }
    await this.#sendAnonymous(drawn);
    return { kind: 'anonymous', round: drawn.round, bytes: drawn.content, epsilon: this.epsilon };
  }

  /** Asks for the tokens of windows that begin, and again for those that aren't granted. */
  async #askForTokens(snapshot, about) {
    const { modelId, round, windows } = snapshot;
    const failures = [];
    for (const window of windows) {
      const tokens = await this.#ledger.tokens();
      const isKnown = tokens.some((token) => token.modelId === modelId && token.window === window.window);
      if (window.firstRound >= round && !isKnown) {
        await this.#askForToken(snapshot, window, about).catch((failure) => failures.push(failure));
      }
    }
    const asked = (tokens) => tokens.filter((token) => token.modelId === modelId && token.stage === 'asked');
    for (const token of asked(await this.#ledger.tokens())) {
      await this.#grantOnce(token).catch((failure) => failures.push(failure));
      // The ledger grants no window that precedes one that it has granted.
      if (asked(await this.#ledger.tokens()).some(({ sequence }) => sequence === token.sequence)) {
        break;
      }
    }
    const isWaiting = (await this.#ledger.tokens()).some((token) => token.modelId === modelId);
    const failure = failures.find((each) => !(isWaiting && each instanceof AlreadyReportedError));
    if (failure !== undefined) {
      throw failure;
    }
  }

  /** One request for a token at a time, however many calls wait for it. */
  #grantOnce(token) {
    const { sequence } = token;
    if (!this.#grants.has(sequence)) {
      this.#grants.set(sequence, this.#finishToken(token).finally(() => this.#grants.delete(sequence)));
    }
    return this.#grants.get(sequence);
  }

  /** Draws of anonymous reports, one after the other; they wait for no report with identity. */
  #enqueueDraw(task) {
    const done = this.#draws.then(task);
    this.#draws = done.catch(() => {});
    return done;
  }

  async #askForToken({ modelId, terms }, { window, firstRound, lastRound, levels }, about) {
    const place = levels.findIndex((level) => level?.epsilon === this.epsilon);
    check(place >= 0, 'epsilon', this.epsilon, `that of a level of priv_unit of model ${modelId}`);
    const level = levels[place];
    const randomiser = this.#randomiserOf(terms.dimension, level);
    return this.#ledger.chargeToken({
      modelId, window, firstRound, lastRound, level: place, modulus: level.modulus,
      digest: challengeDigest(modelId, window, level), content: drawTokenSecrets(this.#crypto, level.modulus),
    }, randomiser.epsilonNanos, terms.limits, about);
  }

  /** Asks for the signature of a token that is charged, and stores the token. */
  async #finishToken(token) {
    const request = await tokenRequest(this.#crypto, token.modulus, token.digest, token.content);
    const { modelId, window, level, sequence } = token;
    try {
      const signature = await this.#repeat(() => this.#gateway.grant({
        modelId, window: String(window), level, deviceId: this.deviceId, sequence: String(sequence),
        blinded: toBase64(request.blinded),
      }));
      const content = request.finish(signature);
      const isLate = this.#newest.get(modelId) > token.firstRound;
      await this.#ledger.advanceToken(token, isLate ? 'ended' : 'held', isLate ? new Uint8Array(0) : content);
    } catch (failure) {
      const isWrong = failure instanceof CroupierError && failure.constructor === CroupierError;
      if (failure instanceof StoppedError) {
        await this.#dropTokens();
      } else if (isWrong || (failure instanceof GatewayError && failure.isFinal)) {
        await this.#ledger.advanceToken(token, 'ended', new Uint8Array(0));
      }
      throw failure;
    }
  }

  /** Of a person who is stopped. */
  async #dropTokens() {
    for (const token of await this.#ledger.tokens()) {
      await this.#ledger.advanceToken(token, 'ended', new Uint8Array(0));
    }
  }

  /**
   * The report of a token: drawn now, or by an earlier visit, if this is its publication, or under way since an earlier one;
   * null if there is none.
   */
  async #drawDue(snapshot, gradient, about) {
    const { modelId, round, terms, windows } = snapshot;
    let earlier = null;
    for (const token of await this.#ledger.tokens()) {
      const slot = token.firstRound + this.#ledger.slot(token.digest, token.lastRound - token.firstRound + 1);
      if (token.modelId === modelId && token.stage === 'drawn') {
        const drawn = { ...token, round: slot };
        if (slot === round) {
          return drawn;
        }
        if (this.#sending.has(token.sequence)) {
          earlier ??= drawn;
        } else {
          // Left behind. It would leave with the requests by which the person returns.
          await this.#ledger.advanceToken(token, 'ended', new Uint8Array(0));
        }
      }
      const isDue = token.modelId === modelId && token.stage === 'held' && slot === round;
      // The token may have been charged for other data. In silence: an error at this publication would reveal it.
      if (isDue && (await this.#ledger.counts(modelId, about.key)).reported < about.times) {
        const served = servedWindow(windows, token);
        if (served === undefined) {
          throw new GatewayError(
            `the update has no key of window ${token.window} of model ${modelId} yet`, { status: 200 });
        }
        const values = gradient();
        checkVector(values, 'the gradient', terms.dimension);
        const randomiser = this.#randomiserOf(terms.dimension, served.levels[token.level]);
        const choice = randomiser.choose(values, terms.gradientBound);
        const content = anonymousReport(snapshot, token.content, randomiser, choice);
        if (!(await this.#ledger.advanceToken(token, 'drawn', content, about))) {
          throw new LedgerError('the report of the token is not stored; it is not sent');
        }
        return { ...token, stage: 'drawn', content, round: slot };
      }
    }
    return earlier;
  }

  /** Waits, and sends a drawn report until it is accepted; once, however many calls wait for it. */
  #sendAnonymous(drawn) {
    const { sequence } = drawn;
    if (!this.#sending.has(sequence)) {
      const sent = this.#deliverAnonymous(drawn);
      // A later call sends it again while its publication is the newest, unless it was refused.
      sent.catch(() => this.#sending.delete(sequence));
      this.#sending.set(sequence, sent);
    }
    return this.#sending.get(sequence);
  }

  async #deliverAnonymous(drawn) {
    const { collector, longestWaitMs } = this.#anonymous;
    const latest = this.#now() + longestWaitMs + LATEST_MS;
    await this.#sleep(new Words(this.#crypto).below(longestWaitMs));
    const { sequence } = drawn;
    if (!(await this.#ledger.tokens()).some((token) => token.sequence === sequence && token.stage === 'drawn')) {
      throw new CroupierError('the person is stopped, or the window is over: the report is dropped');
    }
    let refusal = await this.#refusalOf(drawn);
    try {
      if (refusal === null) {
        await this.#repeat(() => {
          if (this.#now() > latest) {
            throw new GatewayError("the report is too late, as after the device slept; it isn't sent", {
              status: 0, isFinal: true,
            });
          }
          return collector.sendAnonymous(drawn.content);
        });
      }
    } catch (failure) {
      const isForbidden = failure instanceof GatewayError && failure.status === 403 && failure.problem !== null;
      if (!isForbidden && !(failure instanceof GatewayError && failure.isFinal)) {
        throw failure;
      }
      refusal = failure;
    }
    await this.#ledger.advanceToken(drawn, 'ended', new Uint8Array(0));
    if (refusal !== null) {
      throw refusal;
    }
  }

  /**
   * Why a drawn report must not be sent; null if it may. A gateway that serves a person a window of their own, to recognise
   * their report, doesn't know whose request without identity this is.
   */
  async #refusalOf(drawn) {
    const { modelId, window } = drawn;
    const { round, windows } = await this.#repeat(() => this.#anonymous.collector.windows(modelId));
    if (isOver(drawn, round)) {
      return new CroupierError(`window ${window} of model ${modelId} is over`);
    }
    try {
      if (servedWindow(windows, drawn) !== undefined) {
        return null;
      }
    } catch (failure) {
      return failure;
    }
    throw new GatewayError(`the gateway serves no key of window ${window} of model ${modelId}`, { status: 200 });
  }

  /** Repeats a request while the gateway asks for that, up to the number of attempts. */
  async #repeat(request) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await request();
      } catch (failure) {
        if (attempt + 1 >= this.#attempts || !(await this.#gateway.waitFor(failure, attempt))) {
          throw failure;
        }
      }
    }
  }

  #requireGradient(terms) {
    if (this.#ledger.decide(terms).kind !== 'gradient') {
      throw new NotChosenError(`this device doesn't answer round ${terms.round} of model ${terms.modelId} by a gradient`);
    }
  }

  #enqueue(task) {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => {});
    return done;
  }

  #release(terms, epsilonNanos, kind, given, draw) {
    const data = Object.keys(optionsOf('the report', given, DATA_OPTIONS)).length === 0 ? null : dataOf(given);
    return this.#enqueue(async () => {
      await this.#deliver();
      await this.#requireAdmission(terms, epsilonNanos);
      const begin = this.#now();
      const report = await this.#ledger.release(terms, epsilonNanos, kind, draw, data);
      await this.#awaitRelease(begin);
      await this.#deliver(report.sequence);
      return { sequence: report.sequence, bytes: report.bytes };
    });
  }

  /**
   * Waits until a whole multiple of the delay has passed, so that the time of sending contains nothing of the draw but
   * how many delays it took.
   */
  async #awaitRelease(begin) {
    const delay = this.#releaseDelayMs;
    if (delay === 0) {
      return;
    }
    // The clock of the device may have been set back.
    const drawn = Math.max(0, this.#now() - begin);
    const due = Math.max(1, Math.ceil(drawn / delay)) * delay;
    await this.#sleep(due - drawn);
  }

  /** Sends the reports that are waiting for an acknowledgement again, in the order of their numbers. */
  resend() {
    return this.#enqueue(() => this.#deliver());
  }

  async #deliver(own = null) {
    for (const report of await this.#ledger.pending()) {
      const refusal = await this.#send(report).catch((failure) => {
        throw keptAfter(failure, report.sequence === own);
      });
      // If this mark is lost, the same bytes are sent once more, and the job counts them once.
      await this.#ledger.settle(report.sequence).catch(() => {});
      if (refusal !== null) {
        if (report.sequence === own) {
          throw refusal;
        }
        this.#onRefused(report, refusal);
      }
    }
  }

  /** Returns null after an acknowledgement, and the error after a refusal that is final. Throws any other error. */
  async #send(report) {
    let unknown = 0;
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#gateway.send(report.bytes);
        return null;
      } catch (failure) {
        if (failure instanceof StoppedError) {
          await this.#dropTokens();
        }
        if (failure instanceof GatewayError && failure.isFinal) {
          return failure;
        }
        if (isUnknownModel(failure)) {
          unknown += 1;
          if (unknown === UNKNOWN) {
            return new GatewayError(failure.message, { status: failure.status, problem: failure.problem, isFinal: true });
          }
          await this.#gateway.waitFor(failure, unknown - 1);
        } else if (attempt + 1 >= this.#attempts || !(await this.#gateway.waitFor(failure, attempt))) {
          throw failure;
        }
      }
    }
  }

  /** Closes the ledger, for another tab to open it. */
  close() {
    this.#ledger.close();
  }
}

/** The failure of a report that is charged, and stays in the ledger. */
function keptAfter(failure, isOwn) {
  const kept = isOwn
    ? 'the report is charged and kept: a later call or visit sends the same bytes'
    : 'an earlier report is kept, to be sent again, and nothing new is drawn before';
  return failure instanceof GatewayError ? new GatewayError(`${failure.message}; ${kept}`, failure) : failure;
}

/** A person's data as bytes, by which the ledger recognises them. */
function bytesOfData(rows, categories) {
  const entries = Object.entries(categories).sort(([a], [b]) => (a < b ? -1 : 1));
  const written = JSON.stringify(entries.map(([name, value]) => [name, categoryInJson(value)]));
  return concat(rows === null ? [] : rows.bytes(), new TextEncoder().encode(written));
}

/** What JSON can't write, as text in an array, other than any text. An object is no category, whatever it contains. */
function categoryInJson(value) {
  const isWritten = (value ?? null) === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
  return isWritten ? value : [typeof value === 'object' ? kindOf(value) : String(value)];
}

function requireKnownSize(terms) {
  check(terms.size !== 'UNKNOWN', 'size', 'one that this version does not know', 'FEATURES or GRADIENT');
}
