// Bytes, as texts and integers

import { check } from './checks.js';

export function concat(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Names of models, devices and questions are of these characters alone. */
export function ascii(text) {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    check(code < 0x80, 'a name', 'not ASCII', 'of ASCII characters');
    return code;
  });
}

/** Numbers as big-endian doubles. */
export function doubles(numbers) {
  const view = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((number, i) => view.setFloat64(8 * i, number));
  return new Uint8Array(view.buffer);
}

export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The bytes of a text in Base64; none if it is another text. */
export function fromBase64(text) {
  if (!/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) {
    return new Uint8Array(0);
  }
  const digits = text.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor(digits.length * 6 / 8));
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const digit of digits) {
    value = ((value << 6) | BASE64.indexOf(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = value >> bits;
    }
  }
  return bytes;
}

export function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const group = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = [18, 12, 6, 0].map((shift) => BASE64[(group >> shift) & 63]).join('');
    text += digits.slice(0, Math.min(4, bytes.length - i + 1)).padEnd(4, '=');
  }
  return text;
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A big-endian number. */
export function integerOf(bytes) {
  return BigInt(`0x0${toHex(bytes)}`);
}

export function bytesOf(integer, length) {
  return fromHex(integer.toString(16).padStart(2 * length, '0'));
}

export function isEqual(bytes, others) {
  return bytes.length === others.length && bytes.every((byte, i) => byte === others[i]);
}
