/**
 * A browser's storage, locks and network in memory, and a gateway, for tests. These are mocks: they follow the rules of
 * IndexedDB and Web Locks that the ledger relies on, and have nothing of a browser's implementation.
 *
 * Everything happens in tasks, one after the other, and promises are settled between them, as in a browser. A
 * transaction is active only while it is created and in the callbacks of its requests, and commits when it has none left.
 * A page may be killed, or an operation may fail, before any of the operations that a page makes; operations are counted.
 */

function clone(value) {
  if (value instanceof Uint8Array) {
    return value.slice();
  }
  if (Array.isArray(value)) {
    return value.map(clone);
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, clone(part)]));
  }
  if (typeof value === 'function' || typeof value === 'symbol') {
    throw new Error('DataCloneError');
  }
  return value;
}

function cloneStores(stores) {
  return new Map([...stores].map(([name, entries]) => [name, new Map(entries)]));
}

class Transaction {
  error = null;
  #page;
  #database;
  #mode;
  #names;
  #requests = [];
  #stores = null;
  #isActive = true;
  #isOver = false;

  constructor(page, database, names, mode) {
    this.#page = page;
    this.#database = database;
    this.#names = names;
    this.#mode = mode;
    database.queue.push(this);
    page.task(() => {
      this.#isActive = false;
      database.pump();
    });
  }

  get isOfLivingPage() {
    return this.#page.isAlive;
  }

  start() {
    this.#stores = cloneStores(this.#database.stores);
    this.#continue();
  }

  #continue() {
    this.#page.task(() => {
      if (this.#isOver) {
        return;
      }
      const request = this.#requests.shift();
      if (request === undefined) {
        this.#commit();
        return;
      }
      try {
        this.#page.step(request.name);
        request.result = clone(request.run(this.#stores.get(request.store)));
      } catch (failure) {
        request.error = failure;
        this.#fail(failure, request);
        return;
      }
      this.#isActive = true;
      request.onsuccess?.({ target: request });
      // Promises are settled before the next task.
      this.#page.task(() => {
        this.#isActive = false;
      });
      this.#continue();
    });
  }

  #commit() {
    try {
      this.#page.step('commit');
    } catch (failure) {
      this.#fail(failure);
      return;
    }
    if (this.#mode === 'readwrite') {
      this.#database.stores = this.#stores;
    }
    this.#end();
    // Another kind of failure doesn't follow a commit.
    this.#page.step('complete', false);
    this.#page.task(() => this.oncomplete?.({}));
  }

  #end() {
    this.#isOver = true;
    this.#isActive = false;
    this.#database.queue.splice(this.#database.queue.indexOf(this), 1);
    this.#database.running = null;
    this.#database.pump();
  }

  #fail(failure, request = null) {
    this.error = failure;
    this.#end();
    this.#page.task(() => {
      request?.onerror?.({ target: request });
      this.onabort?.({});
    });
  }

  abort() {
    if (this.#isOver) {
      throw new Error('InvalidStateError');
    }
    this.#end();
    this.#page.task(() => this.onabort?.({}));
  }

  request(store, name, run) {
    if (!this.#isActive || this.#isOver) {
      throw new Error(`TransactionInactiveError: ${name}`);
    }
    const request = { store, name, run, result: undefined, error: null };
    this.#requests.push(request);
    return request;
  }

  objectStore(name) {
    if (!this.#names.includes(name)) {
      throw new Error(`NotFoundError: ${name}`);
    }
    const mustWrite = () => {
      if (this.#mode !== 'readwrite') {
        throw new Error('ReadOnlyError');
      }
    };
    const sorted = (entries) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      get: (key) => this.request(name, `get ${name}`, (entries) => entries.get(key)),
      getAll: () => this.request(name, `getAll ${name}`, (entries) => sorted(entries).map(([, value]) => value)),
      getAllKeys: (query, count) =>
        this.request(name, `getAllKeys ${name}`, (entries) => sorted(entries).map(([key]) => key).slice(0, count)),
      put: (value, key) => {
        mustWrite();
        const stored = clone(value);
        return this.request(name, `put ${name}`, (entries) => void entries.set(key, stored));
      },
      add: (value, key) => {
        mustWrite();
        const stored = clone(value);
        return this.request(name, `add ${name}`, (entries) => {
          if (entries.has(key)) {
            throw new Error('ConstraintError');
          }
          entries.set(key, stored);
        });
      },
      delete: (key) => {
        mustWrite();
        return this.request(name, `delete ${name}`, (entries) => void entries.delete(key));
      },
    };
  }
}

class Database {
  stores = new Map();
  queue = [];
  running = null;

  /** One transaction at a time, in their order; those of pages that were killed never end, and are left out. */
  pump() {
    this.queue = this.queue.filter((transaction) => transaction.isOfLivingPage);
    if (this.running !== null && this.running.isOfLivingPage) {
      return;
    }
    this.running = this.queue[0] ?? null;
    this.running?.start();
  }
}

/** One opening of a page. */
export class Page {
  isAlive = true;
  operations = [];

  #world;
  #stopAt;
  #isFailure;

  /**
   * @param stopAt number of the operation before which the page is killed, from 1; 0: never
   * @param isFailure whether that operation fails instead
   */
  constructor(world, stopAt = 0, isFailure = false) {
    this.#world = world;
    this.#stopAt = stopAt;
    this.#isFailure = isFailure;
    this.sleep = (ms) => new Promise((resolve) => {
      world.waits.push(ms);
      this.task(resolve, ms);
    });
    this.now = () => world.now;
    this.indexedDB = { open: (name) => this.#open(name) };
    this.locks = { request: (name, options, callback) => this.#lock(name, callback) };
    this.fetch = (url, options) => this.#fetch(url, options);
  }

  kill() {
    this.isAlive = false;
    for (const [name, holder] of this.#world.locks) {
      if (holder === this) {
        this.#world.locks.delete(name);
      }
    }
    for (const database of this.#world.databases.values()) {
      database.pump();
    }
  }

  task(run, delay = 0) {
    this.#world.schedule(() => {
      if (this.isAlive) {
        run();
      }
    }, delay);
  }

  /** Counts an operation, and stops there if the test wants that. */
  step(name, canFail = true) {
    this.operations.push(name);
    if (this.operations.length !== this.#stopAt) {
      return;
    }
    if (!this.#isFailure) {
      this.kill();
    } else if (canFail) {
      throw new Error(`QuotaExceededError before ${name}`);
    }
  }

  #open(name) {
    const request = { result: null, error: null };
    this.task(() => {
      try {
        this.step('open');
      } catch (failure) {
        request.error = failure;
        request.onerror?.({});
        return;
      }
      if (!this.isAlive) {
        return;
      }
      let database = this.#world.databases.get(name);
      const isNew = database === undefined;
      if (isNew) {
        database = new Database();
        this.#world.databases.set(name, database);
      }
      let isClosed = false;
      request.result = {
        createObjectStore: (store) => void database.stores.set(store, new Map()),
        transaction: (names, mode, options) => {
          if (isClosed) {
            throw new Error('InvalidStateError: the connection is closed');
          }
          this.#world.durabilities.push(`${mode} ${options?.durability}`);
          return new Transaction(this, database, names, mode);
        },
        close: () => {
          isClosed = true;
        },
      };
      this.#world.connections.push(request.result);
      if (isNew) {
        request.onupgradeneeded?.({});
      }
      request.onsuccess?.({});
    });
    return request;
  }

  #lock(name, callback) {
    return new Promise((resolve, reject) => {
      this.task(() => {
        const locks = this.#world.locks;
        const isFree = !locks.has(name);
        if (isFree) {
          locks.set(name, this);
        }
        Promise.resolve()
          .then(() => callback(isFree ? { name } : null))
          .finally(() => isFree && locks.delete(name))
          .then(resolve, reject);
      });
    });
  }

  #fetch(url, options) {
    if (url.endsWith('/v1/account')) {
      return this.#world.accounts(options);
    }
    const body = options.body === undefined ? null : clone(options.body);
    return new Promise((resolve, reject) => {
      this.task(() => {
        try {
          this.step('request');
        } catch (failure) {
          reject(new TypeError(failure.message));
          return;
        }
        if (!this.isAlive) {
          return;
        }
        let response;
        try {
          response = this.#world.gateway(url, { ...options, body });
        } catch (failure) {
          reject(new TypeError(failure.message));
          return;
        }
        this.task(() => {
          try {
            this.step('response');
          } catch (failure) {
            reject(new TypeError(failure.message));
            return;
          }
          resolve(response);
        });
      });
    });
  }
}

/** An answer of the gateway. */
export function answer(status, { body = null, headers = {} } = {}) {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    status,
    headers: { get: (name) => lower.get(name.toLowerCase()) ?? null },
    json: async () => (typeof body === 'string' ? JSON.parse(body) : body),
    arrayBuffer: async () => new TextEncoder().encode(JSON.stringify(body)).buffer,
    body: { getReader: () => readerOf(body) },
  };
}

/** The chunks of a stream, arrays of bytes. */
function readerOf(chunks) {
  let next = 0;
  return {
    read: async () => (next < chunks.length ? { done: false, value: chunks[next++] } : { done: true }),
    cancel: async () => {},
  };
}

export function problem(status, detail, headers = {}) {
  const body = { type: `urn:croupier:problem:${status}`, status, detail };
  return answer(status, { body, headers: { 'Content-Type': 'application/problem+json', ...headers } });
}

/** What survives a page: the disk, and the gateway. */
export class World {
  databases = new Map();
  locks = new Map();
  /** Bodies of the reports that the gateway received, in their order. */
  received = [];
  /** All requests: {url, method, headers, body}. */
  requests = [];
  /** Answers that the gateway gives before it accepts: functions of the request. */
  answers = [];
  /** Answers of the gateway to requests that a relay brings, before it accepts. */
  answersInside = [];
  /** What the job answers to a person who asks for their account, in JSON; null: the gateway is an old one. */
  account = null;
  asked = 0;
  waits = [];
  durabilities = [];
  /** Connections to databases, which the browser may close. */
  connections = [];
  now = 1_800_000_123_456;

  #tasks = [];
  #count = 0;

  /** The answer to a request for an account. */
  async accounts({ headers }) {
    this.asked += 1;
    this.askedWith = headers.Authorization;
    return this.account === null ? answer(404) : answer(200, { body: this.account });
  }

  schedule(run, delay = 0) {
    this.#tasks.push({ run, at: this.now + delay, number: this.#count++ });
  }

  /** Runs the next task; false if there is none. Promises are settled when this returns to Java. */
  step() {
    if (this.#tasks.length === 0) {
      return false;
    }
    let next = this.#tasks[0];
    for (const task of this.#tasks) {
      if (task.at < next.at || (task.at === next.at && task.number < next.number)) {
        next = task;
      }
    }
    this.#tasks.splice(this.#tasks.indexOf(next), 1);
    this.now = Math.max(this.now, next.at);
    next.run();
    return true;
  }

  gateway(url, request) {
    this.requests.push({ url, method: request.method ?? 'GET', headers: request.headers, body: request.body });
    const scripted = this.answers.shift();
    if (scripted !== undefined) {
      return scripted(request, this);
    }
    return this.accept(request);
  }

  accept(request) {
    this.received.push(request.body);
    return answer(202);
  }
}
