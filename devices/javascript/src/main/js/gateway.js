// The gateway

import { VERSION } from './version.js';
import { CroupierError, GatewayError, StoppedError } from './errors.js';
import {
  check, checkBytes, checkFunction, checkModelId, checkValue, isObject, kindOf, numberOf, optionsOf,
} from './checks.js';
import { fromBase64 } from './bytes.js';
import { Words } from './random.js';
import { windowOf } from './windows.js';
import { readUpdate } from './update.js';
import { REQUEST_TYPE, binaryRequest, encapsulate, obliviousKeyOf, readBinaryResponse } from './oblivious.js';
import {
  FINAL, FIRST_WAIT_MS, LONGEST_RETRY_MS, Tries, backOffMs, isOfGateway, isUnknownModel, retryAfterMs, sleepFor,
} from './retries.js';

const DEFAULT_POLL_SECONDS = 25;
const REQUEST_TIMEOUT_MS = 60_000;

/** The gateway sends something every ten seconds, so a connection that is silent for so long is dead. */
const SILENCE_MS = 30_000;

/** Nothing that recognises the person, but for what a request's header contains. */
const PRIVATE_REQUEST = {
  cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
};

const SAFE_URL = /^(https:\/\/[^/?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^?#]*)?$/;

function checkUrl(url, name, why = '') {
  checkValue(typeof url === 'string' && SAFE_URL.test(url), name, url, `https, or http on this machine${why}`);
}

function checkFollowing(where, options, more = []) {
  const { signal, onRetry, waitSeconds = 0 } = optionsOf(where, options, ['signal', 'onRetry', ...more]);
  checkSignal(signal);
  checkFunction(onRetry ?? (() => {}), 'onRetry');
  checkValue(Number.isFinite(waitSeconds) && waitSeconds >= 0, 'waitSeconds', waitSeconds, 'a number of at least 0');
}

function checkSignal(signal) {
  const isSignal = (signal ?? null) === null || typeof signal.addEventListener === 'function';
  check(isSignal, 'signal', kindOf(signal), 'an AbortSignal');
}

/** What reads an update of a model: a device would report to another one. */
function updateOf(modelId) {
  return (body) => {
    const snapshot = readUpdate(body);
    check(snapshot.modelId === modelId, 'modelId of the update', snapshot.modelId, modelId);
    return snapshot;
  };
}

/** An update; null if its gateway lags behind another one. A model that starts again publishes later. */
function newerOf(snapshot, newest) {
  const publishedAt = ({ update }) => numberOf(update.publishedAtMs);
  const isOutdated = snapshot.round < newest?.round && publishedAt(snapshot) < publishedAt(newest);
  return isOutdated ? null : snapshot;
}

const CHANGING = new Set([
  'used', 'open', 'answers', 'droppedStale', 'droppedUnpublished', 'droppedBound', 'waitsFor', 'diagnostics', 'publishedAtMs',
  'estimates', 'statistics',
]);

/** What an update of a round has in common with its later publications, which have other counts, times and estimates. */
function lastingOf(update) {
  const { estimates = [], statistics = [] } = update;
  return JSON.stringify([
    Object.entries(update).filter(([name]) => !CHANGING.has(name)),
    estimates.map(({ question }) => question),
    statistics.map(({ statistic, threshold, texts }) => [statistic, threshold, texts?.prefixes, texts?.texts]),
  ]);
}

const NO_REASON = ' without a reason, as another server at its url would';
const TOO_LARGE = 'a server in front of the gateway takes no request of this size';

/**
 * The gateway's HTTP API.
 */
export class Gateway {
  #base;
  #token;
  #fetch;
  #sleep;
  #now;
  #words;
  #crypto;
  #relay;

  /**
   * @param url base of the API, without /v1: absolute, and https except on this machine
   * @param token function that returns the bearer token, or a promise of it; after an answer of 401 it is called with
   *     {refresh: true}. Null if requests need no token
   * @param relay for anonymous reports, and to follow their model: {url, key}. Requests go to the relay's URL, which can't
   *     read them, and the gateway doesn't see this device's address (Oblivious HTTP, RFC 9458). key is the Base64 of the
   *     gateway's key, which the app contains: one that a device fetched could be its own, and the gateway would recognise
   *     its requests by it
   */
  constructor(options) {
    const {
      url, token = null, fetch = (...request) => globalThis.fetch(...request), sleep = sleepFor, now = () => Date.now(),
      crypto = globalThis.crypto, relay = null,
    } = optionsOf('Gateway', options, ['url', 'token', 'fetch', 'sleep', 'now', 'crypto', 'relay']);
    checkUrl(url, 'url', ': it is sent a token');
    if (token !== null) {
      checkFunction(
        token, 'token', 'a function that returns the bearer token, or a promise of it; null if no request needs one');
    }
    Object.entries({ fetch, sleep, now }).forEach(([name, value]) => checkFunction(value, name));
    check(relay === null || token === null, 'token', 'set', 'null with a relay, which is for requests without identity');
    checkValue(relay === null || isObject(relay), 'relay', relay, 'null, or an object with url and key');
    if (relay !== null) {
      checkUrl(optionsOf('relay', relay, ['url', 'key']).url, 'relay.url');
    }
    this.#relay = relay === null ? null : { url: relay.url, key: obliviousKeyOf(relay.key) };
    this.#crypto = crypto;
    this.#base = url.replace(/\/+$/, '');
    this.#token = token;
    this.#fetch = fetch;
    this.#sleep = sleep;
    this.#now = now;
    this.#words = new Words(crypto);
  }

  /** The models, as the gateway lists them: an object for each. */
  async models(options = {}) {
    const { signal } = optionsOf('models', options, ['signal']);
    checkSignal(signal);
    const response = await this.#request('/v1/models', { signal });
    return this.#read(response, (body) => {
      if (!Array.isArray(body.models)) {
        throw new Error('no list of models');
      }
      return body.models;
    });
  }

  /** The newest update of a model. */
  async newest(modelId, options = {}) {
    const { signal } = optionsOf('newest', options, ['signal']);
    checkSignal(signal);
    const response = await this.#request(this.#path(modelId), { signal });
    return this.#read(response, updateOf(modelId));
  }

  #path(modelId) {
    checkModelId(modelId);
    return `/v1/models/${modelId}`;
  }

  /**
   * The updates of a model by long polls: the newest one, then each newer one that is read. While the gateway is away, an
   * answer is cut off, or the token can't be had, waits and tries again. Answers that another server may have given are
   * repeated as well: a body that is no update, and, once an update was read, 404; the sixth in a row is an error.
   * Through a relay, polls don't wait, and the pauses between them are random, so that they don't recognise a device.
   *
   * @param waitSeconds how long a gateway may wait for a newer update; through a relay the longest pause between two polls,
   *     for which the longest wait of anonymous reports is right: a longer one misses publications
   * @param onRetry called with (error, ms) before each wait: why, and how long, until the next try
   * @throws GatewayError if the gateway refuses, as for a model that isn't published, or is retired
   */
  async *follow(modelId, options = {}) {
    checkFollowing('follow', options, ['waitSeconds']);
    const { signal, waitSeconds = DEFAULT_POLL_SECONDS, onRetry = () => {} } = options;
    const path = this.#path(modelId);
    const tries = new Tries();
    let newest = null;
    let etag = null;
    while (!signal?.aborted) {
      const began = this.#now();
      let response;
      let snapshot;
      try {
        const isWaiting = newest !== null && this.#relay === null;
        const query = isWaiting ? `?after=${newest.round}&wait=${waitSeconds}` : '';
        const timeoutMs = REQUEST_TIMEOUT_MS + (isWaiting ? Math.min(1000 * waitSeconds, LONGEST_RETRY_MS) : 0);
        const headers = etag === null ? {} : { 'If-None-Match': etag };
        response = await this.#request(path + query, { signal, headers, timeoutMs, alsoFine: [204, 304] });
        snapshot = response.status === 200 ? newerOf(await this.#read(response, updateOf(modelId)), newest) : null;
        tries.succeed();
      } catch (failure) {
        await this.#waitAfter(failure, tries, signal, onRetry);
        continue;
      }
      const newer = snapshot === null ? etag : response.headers.get('ETag');
      // A gateway that doesn't wait must not be asked without a pause.
      let pauseMs = this.#now() - began < FIRST_WAIT_MS ? FIRST_WAIT_MS : 0;
      // A model that started again may have the same round with another tag.
      if (snapshot !== null && (snapshot.round !== newest?.round || newer !== etag)) {
        // Gateways that disagree about the tag must not be asked in turn without a pause.
        pauseMs = snapshot.round === newest?.round ? FIRST_WAIT_MS : 0;
        newest = snapshot;
        etag = newer;
        yield snapshot;
      }
      if (this.#relay !== null) {
        pauseMs = this.#words.below(Math.ceil(1000 * waitSeconds) + 1);
      }
      if (pauseMs > 0) {
        await this.#pause(pauseMs, signal);
      }
    }
  }

  /** The longest wait is far below the 31 bits of browsers' timers, which run a longer one without a pause. */
  async #pause(ms, signal) {
    if (!signal?.aborted) {
      await this.#sleep(Math.min(ms, LONGEST_RETRY_MS), signal);
    }
  }

  /** Waits as a failure asks for, or throws it, if trying again is useless; an aborted caller needs neither. */
  async #waitAfter(failure, tries, signal, onRetry) {
    if (signal?.aborted) {
      return;
    }
    if (!tries.mayPass(failure)) {
      throw failure;
    }
    const wait = Math.min(Math.max(failure.retryAfterMs ?? 0, backOffMs(tries.fail(), this.#words)), LONGEST_RETRY_MS);
    onRetry(failure, wait);
    await this.#pause(wait, signal);
  }

  /** What a function makes of the JSON of an answer; GatewayError if the answer is cut off, or another server's. */
  async #read(response, of) {
    let body;
    try {
      body = await response.json();
    } catch (failure) {
      throw failure instanceof SyntaxError ? this.#unreadable('no JSON') : this.#unreachable(failure);
    }
    return this.#parsed(body, of);
  }

  #parsed(body, of) {
    try {
      return of(body);
    } catch (failure) {
      throw this.#unreadable(failure.message);
    }
  }

  #unreadable(reason) {
    return new GatewayError(`the gateway answered 200, and the body can't be read: ${reason}`, { status: 200 });
  }

  /**
   * The updates of a model by server-sent events, until the model is retired. If the stream ends otherwise, opens it
   * again, as follow polls again. (The browser's EventSource can't send a token.)
   */
  async *events(modelId, options = {}) {
    checkFollowing('events', options);
    const { signal, onRetry = () => {} } = options;
    const path = `${this.#path(modelId)}/events`;
    const tries = new Tries();
    let newest = null;
    let announced = null;
    while (!signal?.aborted) {
      try {
        const headers = { Accept: 'text/event-stream' };
        const silence = new Silence(signal);
        const response = await this.#request(path, { headers, silence });
        if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
          throw this.#unreadable('no stream of events');
        }
        for await (const event of eventsOf(response.body, silence)) {
          if (event.type === 'retired') {
            return;
          }
          if (event.type !== 'message' && event.type !== 'update') {
            continue;
          }
          const snapshot = newerOf(this.#parsed(event.data, (data) => updateOf(modelId)(JSON.parse(data))), newest);
          tries.succeed();
          // A round is announced again with other terms, the keys of a window, or another average.
          const lasting = snapshot === null ? announced : lastingOf(snapshot.update);
          if (lasting !== announced) {
            newest = snapshot;
            announced = lasting;
            yield snapshot;
          }
        }
        await this.#pause(backOffMs(tries.fail(), this.#words), signal);
      } catch (failure) {
        const ofNetwork = failure instanceof GatewayError ? failure : this.#unreachable(failure);
        await this.#waitAfter(ofNetwork, tries, signal, onRetry);
      }
    }
  }

  /**
   * The job's account of the person whose token it is: what is spent, what the limits leave, and which reports were
   * refused. The job answers with its next checkpoint.
   */
  async account(options = {}) {
    const { signal } = optionsOf('account', options, ['signal']);
    checkSignal(signal);
    this.requireToken();
    const response = await this.#request('/v1/account', { signal });
    return this.#read(response, jobAccountOf);
  }

  /**
   * Sends a report's bytes, once. Returns when the gateway has acknowledged them.
   *
   * @throws GatewayError otherwise
   */
  async send(bytes) {
    checkBytes(bytes, 'the report');
    this.requireToken();
    await this.#post('/v1/reports', bytes);
  }

  /** Sends an anonymous report, once, as send() does, without a token. */
  async sendAnonymous(bytes) {
    checkBytes(bytes, 'the report');
    check(this.#token === null, 'token', 'set', 'null for anonymous reports');
    await this.#post('/v1/anonymous-reports', bytes);
  }

  /**
   * The windows of a model for anonymous reports that are open, as this gateway serves them to requests without identity.
   *
   * @returns the model's newest round, and windows as a snapshot's
   */
  async windows(modelId) {
    check(this.#token === null, 'token', 'set', 'null for anonymous reports');
    const response = await this.#request(`${this.#path(modelId)}/windows`, {});
    return this.#read(response, (body) => ({
      round: numberOf(body.round ?? 0), windows: (body.windows ?? []).map(windowOf),
    }));
  }

  /**
   * Asks for the blind signature of a token, once.
   *
   * @param request an object of the JSON that the gateway takes
   * @returns the bytes of the blind signature
   */
  async grant(request) {
    check(
      isObject(request), 'the request', kindOf(request),
      'an object with modelId, window, level, deviceId, sequence and blinded');
    this.requireToken();
    const response = await this.#request('/v1/tokens', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    });
    return this.#read(response, (body) => fromBase64(body.blindSignature));
  }

  /** Without a token, every report would be charged, and refused; and a person's account is theirs alone. */
  requireToken() {
    check(
      this.#token !== null, 'token of the Gateway', 'missing',
      'a function that returns the bearer token of the person who reports');
  }

  async #post(path, bytes) {
    const response = await this.#request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-protobuf' },
      body: bytes,
      keepalive: true,
      alsoFine: [202],
    });
    if (response.status !== 202) {
      throw new GatewayError(`the gateway answered ${response.status} to a report; it must answer 202`, {
        status: response.status,
      });
    }
  }

  /** Waits before the next try of a report; false if trying again now is useless. */
  async waitFor(failure, attempt) {
    if (isUnknownModel(failure)) {
      await this.#pause(backOffMs(attempt, this.#words));
      return true;
    }
    const isRepeatable = failure instanceof GatewayError && failure.retryAfterMs !== null;
    if (!isRepeatable || failure.retryAfterMs > LONGEST_RETRY_MS) {
      return false;
    }
    await this.#pause(Math.max(failure.retryAfterMs, backOffMs(attempt, this.#words)));
    return true;
  }

  #unreachable(cause) {
    if (globalThis.navigator?.onLine === false) {
      return new GatewayError('this device is offline', { status: 0, retryAfterMs: 0, cause });
    }
    // A browser doesn't disclose to a page whether it refused an answer.
    const origin = globalThis.location?.origin ?? this.#base;
    const isForeign = !`${this.#base}/`.startsWith(`${origin}/`);
    const hint = isForeign ? `, or its cors.origins don't allow this page's origin, ${origin}` : '';
    return new GatewayError(`the gateway could not be reached${hint}`, { status: 0, retryAfterMs: 0, cause });
  }

  async #request(path, { headers = {}, alsoFine = [], timeoutMs = REQUEST_TIMEOUT_MS, signal, silence, ...options }) {
    for (let refresh = false; ; refresh = true) {
      const authorization = await this.#authorization(refresh);
      let response;
      try {
        const sent = () => this.#send(path, {
          headers: { Accept: 'application/json, application/problem+json', ...headers, ...authorization },
          signal: silence?.signal ?? signalOf(signal, timeoutMs),
          ...PRIVATE_REQUEST,
          ...options,
        });
        response = await (silence?.limit(sent) ?? sent());
      } catch (failure) {
        throw failure instanceof CroupierError ? failure : this.#unreachable(failure);
      }
      if (response.status === 200 || alsoFine.includes(response.status)) {
        return response;
      }
      if (response.status !== 401 || refresh || this.#token === null) {
        throw await this.#refusal(response);
      }
    }
  }

  async #send(path, request) {
    return this.#relay === null ? this.#fetch(this.#base + path, request) : this.#throughRelay(path, request);
  }

  /**
   * Only what the gateway encrypted for the request is its answer; anything else is a failure of the way, which may pass.
   * All browsers encrypt the same header.
   */
  async #throughRelay(path, { method = 'GET', headers, body = [], ...options }) {
    const { url, key } = this.#relay;
    const header = method === 'GET'
      ? ['accept', 'application/json'] : ['content-type', headers['Content-Type']];
    const message = binaryRequest(method, this.#base.split('/')[2], path, header, body);
    const subtle = this.#crypto?.subtle;
    let exchange;
    try {
      exchange = await encapsulate(subtle, key, message, await subtle.generateKey('X25519', false, ['deriveBits']));
    } catch (cause) {
      throw new CroupierError(
        'nothing can be encrypted for the gateway: a relay needs crypto.subtle with X25519, in a secure context, and a'
        + ' key of large order', { cause });
    }
    let response;
    let sealed;
    try {
      response = await this.#fetch(url, {
        ...options, method: 'POST', headers: { 'Content-Type': REQUEST_TYPE }, body: exchange.request,
      });
      sealed = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new GatewayError('the relay could not be reached', { status: 0, retryAfterMs: 0, cause });
    }
    if (response.status !== 200) {
      const wait = retryAfterMs(response.headers, this.#now());
      throw new GatewayError(`the relay answered ${response.status}`, { status: 0, retryAfterMs: wait ?? 0 });
    }
    try {
      return readBinaryResponse(await exchange.open(sealed));
    } catch (cause) {
      throw new GatewayError(
        "the relay's answer is not what the gateway encrypted for the request", { status: 0, retryAfterMs: 0, cause });
    }
  }

  /**
   * What requests with identity carry. A token that can't be had now, as without a network, is a failure that may pass. The
   * version isn't sent without a token: across origins it would cost a further request, and anonymous reports look alike.
   */
  async #authorization(refresh) {
    if (this.#token === null) {
      return {};
    }
    let token;
    try {
      token = await this.#token({ refresh });
    } catch (cause) {
      const reason = cause?.message ?? cause;
      throw new GatewayError(`the bearer token could not be had: ${reason}`, { status: 0, retryAfterMs: 0, cause });
    }
    const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
    if (!isToken) {
      const what = typeof token === 'string' ? 'an empty text, or one with blanks or line ends' : kindOf(token);
      throw new GatewayError(`token returned ${what}; it must return the bearer token alone, a text`, { status: 0 });
    }
    return { Authorization: `Bearer ${token}`, 'Croupier-Client': `javascript/${VERSION}` };
  }

  async #refusal(response) {
    const { status } = response;
    const isProblem = (response.headers.get('Content-Type') ?? '').startsWith('application/problem+json');
    let problem = null;
    if (isProblem) {
      problem = await response.json().catch(() => null);
    }
    const wait = retryAfterMs(response.headers, this.#now());
    // A gateway that has not read the newest round yet answers 409 with Retry-After.
    const isLater = wait !== null || status === 408 || status === 429 || status >= 500;
    const reason = problem?.detail ?? problem?.title ?? (status === 413 ? TOO_LARGE : NO_REASON);
    const isStop = status === 403 && problem?.type === 'urn:croupier:problem:stopped';
    return new (isStop ? StoppedError : GatewayError)(`the gateway answered ${status}${reason === NO_REASON ? '' : ': '}${reason}`, {
      status,
      problem,
      // Without the gateway's problem document the answer may be that of another server, at a wrong address; but the
      // same bytes stay too large for a proxy.
      isFinal: !isLater && (status === 413 || isStop || (isOfGateway(problem) && FINAL.has(status))),
      retryAfterMs: isLater ? wait ?? 0 : null,
    });
  }
}

const TEXTS_OF_ACCOUNT = new Set(['modelId', 'deviceId', 'outcome', 'reason']);

/** An account in Protobuf's JSON mapping, in which some numbers are texts. */
function jobAccountOf(body) {
  const account = {
    erased: false, stopped: false, models: [], devices: [], refusals: [],
    ...JSON.parse(JSON.stringify(body), (key, value) => (
      typeof value === 'string' && !TEXTS_OF_ACCOUNT.has(key) ? Number(value) : value)),
  };
  const has = (part, type, ...names) => isObject(part) && names.every((name) => typeof part[name] === type);
  const isLeft = (left) => left === undefined || has(left, 'number', ...Object.keys(left ?? {}));
  const areAll = (parts, isPart) => Array.isArray(parts) && parts.every(isPart);
  const isAccount = isObject(account.spent) && has(account, 'number', 'asOfMs') && isLeft(account.left)
    && areAll(account.models, (model) => has(model, 'string', 'modelId') && isLeft(model.left))
    && areAll(account.devices, (device) => has(device, 'string', 'deviceId') && has(device, 'number', 'highestSequence'))
    && areAll(account.refusals, (refusal) => (
      has(refusal, 'string', 'modelId', 'deviceId', 'reason') && has(refusal, 'number', 'sequence', 'appendedAtMs')));
  if (!isAccount) {
    throw new Error('no account');
  }
  return account;
}

export function signalOf(signal, timeoutMs) {
  return eitherOf(signal, globalThis.AbortSignal?.timeout?.(timeoutMs));
}

function eitherOf(signal, other) {
  return signal && other && AbortSignal.any ? AbortSignal.any([signal, other]) : signal ?? other;
}

/** Aborts the request of a stream that is silent for too long. */
class Silence {
  #controller = globalThis.AbortController && new AbortController();

  constructor(signal) {
    this.signal = eitherOf(signal, this.#controller?.signal);
  }

  /** What is sent or read, within the time. */
  async limit(next) {
    const timer = this.#controller && setTimeout(() => this.#controller.abort(), SILENCE_MS);
    try {
      return await next();
    } finally {
      globalThis.clearTimeout?.(timer);
    }
  }
}

/** The events of a stream of server-sent events: {type, data}. */
export async function* eventsOf(body, silence = new Silence()) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = '';
  let type = '';
  let data = [];
  try {
    for (;;) {
      const { done, value } = await silence.limit(() => reader.read());
      if (done) {
        return;
      }
      buffer += decoder.decode(value, { stream: true });
      // A line ends with \r\n, \n or \r; a \r at the end may be the first half of \r\n.
      const lines = buffer.split(/\r\n|\n|\r(?!$)/);
      buffer = lines.pop();
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) {
            yield { type: type === '' ? 'message' : type, data: data.join('\n') };
          }
          type = '';
          data = [];
        } else if (!line.startsWith(':')) {
          const [, field, text] = /^([^:]*)(?:: ?(.*))?$/s.exec(line);
          if (field === 'event') {
            type = text ?? '';
          } else if (field === 'data') {
            data.push(text ?? '');
          }
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
