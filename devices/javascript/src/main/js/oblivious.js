// Oblivious HTTP (RFC 9458): binary messages (RFC 9292) that only the gateway can read, and its answers to them

import { check, checkValue } from './checks.js';
import { ascii, concat, fromBase64, fromHex, toHex } from './bytes.js';
import { hmac } from './hashes.js';

/** A key as a gateway serves it: length, id, X25519, public key, and one pair of HKDF-SHA256 and AES-128-GCM. */
const OBLIVIOUS_KEY = /^0029(..)0020(.{64})000400010001$/;

const KEM_SUITE = fromHex('4b454d0020');
const HPKE_SUITE = fromHex('48504b45002000010001');
const SUITE_IN_HEADER = fromHex('002000010001');
const HPKE_VERSION = ascii('HPKE-v1');
const HASH_BYTES = 32;
const AEAD_KEY_BYTES = 16;
const AEAD_NONCE_BYTES = 12;

/** Bytes of all requests before they are encrypted, whatever the device. */
const MESSAGE_BYTES = 2560;

export const REQUEST_TYPE = 'message/ohttp-req';

/** HKDF-Expand (RFC 5869) to at most one hash; HKDF-Extract is the HMAC. */
function expand(key, info, length) {
  return hmac(key, concat(info, [1])).subarray(0, length);
}

function labelledExtract(suite, salt, label, key) {
  return hmac(salt, concat(HPKE_VERSION, suite, ascii(label), key));
}

function labelledExpand(suite, key, label, info, length) {
  return expand(key, concat([0, length], HPKE_VERSION, suite, ascii(label), info), length);
}

/** AES-128-GCM: encrypts or decrypts. */
export async function aesGcm(subtle, operation, key, iv, bytes) {
  const imported = await subtle.importKey('raw', key, 'AES-GCM', false, [operation]);
  return new Uint8Array(await subtle[operation]({ name: 'AES-GCM', iv }, imported, bytes));
}

/** HPKE in base mode, the sender's side, for one message (RFC 9180, sections 4 and 5). */
export async function hpkeSender(subtle, ephemeral, recipient, info) {
  const encapsulated = new Uint8Array(await subtle.exportKey('raw', ephemeral.publicKey));
  const peer = await subtle.importKey('raw', recipient, 'X25519', true, []);
  const agreed = await subtle.deriveBits({ name: 'X25519', public: peer }, ephemeral.privateKey, 8 * HASH_BYTES);
  const shared = labelledExpand(
    KEM_SUITE, labelledExtract(KEM_SUITE, [], 'eae_prk', new Uint8Array(agreed)), 'shared_secret',
    concat(encapsulated, recipient), HASH_BYTES);
  const schedule = concat(
    [0], labelledExtract(HPKE_SUITE, [], 'psk_id_hash', []), labelledExtract(HPKE_SUITE, [], 'info_hash', info));
  const secret = labelledExtract(HPKE_SUITE, shared, 'secret', []);
  const derived = (label, length) => labelledExpand(HPKE_SUITE, secret, label, schedule, length);
  return {
    encapsulated,
    seal: (message) => aesGcm(
      subtle, 'encrypt', derived('key', AEAD_KEY_BYTES), derived('base_nonce', AEAD_NONCE_BYTES), message),
    exported: (context, length) =>
      labelledExpand(HPKE_SUITE, derived('exp', HASH_BYTES), 'sec', ascii(context), length),
  };
}

/** {id, publicKey} of a gateway's key, from its Base64. */
export function obliviousKeyOf(text) {
  const [, id, publicKey] = OBLIVIOUS_KEY.exec(toHex(fromBase64(typeof text === 'string' ? text : ''))) ?? [];
  checkValue(
    publicKey !== undefined, 'relay.key', text,
    'the Base64 of what a gateway serves at /v1/ohttp-keys: one key of X25519, HKDF-SHA256 and AES-128-GCM');
  return { id: fromHex(id), publicKey: fromHex(publicKey) };
}

/**
 * {request, open}: a message, encrypted for a gateway under a key pair that is used once, and what opens its answer;
 * rejects if that is another one's.
 */
export async function encapsulate(subtle, { id, publicKey }, message, ephemeral) {
  const header = concat(id, SUITE_IN_HEADER);
  const context = await hpkeSender(subtle, ephemeral, publicKey, concat(ascii('message/bhttp request'), [0], header));
  return {
    request: concat(header, context.encapsulated, await context.seal(message)),
    open: (sealed) => {
      const random = sealed.subarray(0, AEAD_KEY_BYTES);
      const key = hmac(
        concat(context.encapsulated, random), context.exported('message/bhttp response', AEAD_KEY_BYTES));
      return aesGcm(
        subtle, 'decrypt', expand(key, ascii('key'), AEAD_KEY_BYTES), expand(key, ascii('nonce'), AEAD_NONCE_BYTES),
        sealed.subarray(AEAD_KEY_BYTES));
    },
  };
}

/** A part of a binary message after its length, below 2^14, in the encoding of QUIC (RFC 9000, section 16). */
function messagePart(bytes) {
  const { length } = bytes;
  return concat(length < 0x40 ? [length] : [0x40 | (length >> 8), length & 0xff], bytes);
}

/** A request of known length with one line of header, padded. */
export function binaryRequest(method, authority, path, [name, value], content) {
  const texts = [method, 'https', authority, path].map((text) => messagePart(ascii(text)));
  const header = concat(messagePart(ascii(name)), messagePart(ascii(value)));
  const message = concat([0], ...texts, messagePart(header), messagePart(content), [0]);
  check(message.length <= MESSAGE_BYTES, 'the request', `of ${message.length} bytes`, `of at most ${MESSAGE_BYTES}`);
  return concat(message, new Uint8Array(MESSAGE_BYTES - message.length));
}

/** Reads the numbers and parts of a binary message, one after the other. */
class MessageReader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get isAtEnd() {
    return this.#at === this.#bytes.length;
  }

  #take(length) {
    const end = this.#at + length;
    check(end <= this.#bytes.length, 'a part of the answer', 'cut off', 'whole');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number() {
    const [first] = this.#take(1);
    const rest = this.#take((1 << (first >> 6)) - 1);
    return rest.reduce((value, byte) => 256 * value + byte, first & 0x3f);
  }

  part() {
    return this.#take(this.number());
  }

  text() {
    return String.fromCharCode(...this.part());
  }
}

/** What a binary response of known length contains, as fetch returns it. */
export function readBinaryResponse(message) {
  const reader = new MessageReader(message);
  check(reader.number() === 1, 'the answer', 'another message', 'a response of known length');
  const status = reader.number();
  check(status >= 200, 'status', status, 'that of a final answer');
  const fields = new Map();
  for (const header = new MessageReader(reader.part()); !header.isAtEnd;) {
    fields.set(header.text(), header.text());
  }
  const content = reader.part();
  return {
    status,
    headers: { get: (name) => fields.get(name.toLowerCase()) ?? null },
    json: async () => JSON.parse(new TextDecoder().decode(content)),
  };
}
