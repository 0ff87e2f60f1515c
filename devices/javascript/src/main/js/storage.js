// The ledger's lock and database

import { CroupierError, LedgerBusyError, LedgerError } from './errors.js';
import { accountOf } from './accounts.js';

const SECRET_BYTES = 32;
const LOCK_ATTEMPTS = 5;
const LOCK_WAIT_MS = 200;
const ID_BYTES = 16;
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 16 random bytes in base64url: 22 characters. */
export function randomId(crypto) {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  let bits = 0n;
  for (const byte of bytes) {
    bits = (bits << 8n) | BigInt(byte);
  }
  // 128 bits and four zeros are 22 groups of six.
  bits <<= 4n;
  let id = '';
  for (let i = 21n; i >= 0n; i--) {
    id += BASE64URL[Number((bits >> (6n * i)) & 63n)];
  }
  return id;
}

/** The result of one request; only requests are awaited inside of a transaction, so that it stays active. */
export function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export function completionOf(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new CroupierError('the transaction was aborted'));
  });
}

export const GONE = "the browser closed the ledger, as it does when the site's data are cleared; opened again, it may begin anew";

/**
 * Takes the lock of a ledger until the returned function is called. Where there is no Web Locks API, the newest tab
 * takes the ledger over, and the others find that out in their next transaction.
 */
const openHere = new Set();

export async function lockOf(name, locks, sleep) {
  if (typeof locks?.request !== 'function') {
    return () => {};
  }
  // A page that is reloaded may hold its lock for a moment.
  for (let attempt = 1; ; attempt++) {
    try {
      const release = await tryLock(name, locks);
      openHere.add(name);
      return () => {
        openHere.delete(name);
        release();
      };
    } catch (failure) {
      if (!(failure instanceof LedgerBusyError) || attempt === LOCK_ATTEMPTS) {
        throw failure;
      }
      await sleep(LOCK_WAIT_MS);
    }
  }
}

function tryLock(name, locks) {
  return new Promise((resolve, reject) => {
    const held = locks.request(name, { mode: 'exclusive', ifAvailable: true }, (lock) => {
      if (lock === null) {
        throw new LedgerBusyError(
          openHere.has(name)
            ? 'this page has the ledger open; close() that device, or use it'
            : 'another tab has the ledger open; close that tab, or use it');
      }
      return new Promise((release) => {
        resolve(release);
      });
    });
    Promise.resolve(held).catch(reject);
  });
}

export function databaseOf(name, indexedDB) {
  if (indexedDB === undefined || indexedDB === null) {
    throw new LedgerError('this browser has no IndexedDB, without which nothing is reported');
  }
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('state');
      request.result.createObjectStore('reports');
    };
    request.onsuccess = () => {
      const db = request.result;
      // If the site's data is deleted, this tab must not block it.
      db.onversionchange = () => {
        db.close();
        db.onclose?.();
      };
      resolve(db);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new LedgerBusyError('another tab blocks the ledger; close that tab'));
  });
}

/** The device's record, created by the first opening; every opening enters a new mark, by which it is recognised. */
export async function deviceOf(db, crypto) {
  const transaction = db.transaction(['state'], 'readwrite', { durability: 'strict' });
  const completion = completionOf(transaction);
  completion.catch(() => {});
  const state = transaction.objectStore('state');
  let device = await resultOf(state.get('device'));
  const account = await resultOf(state.get('account'));
  if (device === undefined && account === undefined) {
    device = { deviceId: randomId(crypto), secret: crypto.getRandomValues(new Uint8Array(SECRET_BYTES)) };
    await resultOf(state.put({ reports: 0, epsilonNanos: '0' }, 'account'));
  } else {
    accountOf(account);
    if (typeof device?.deviceId !== 'string' || device.secret?.length !== SECRET_BYTES) {
      throw new LedgerError('the ledger is damaged: its device is missing or malformed');
    }
  }
  device = { ...device, opening: randomId(crypto) };
  await resultOf(state.put(device, 'device'));
  await completion;
  return device;
}
