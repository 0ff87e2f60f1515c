// Checks of arguments

import { CroupierError } from './errors.js';

export function check(condition, name, value, right) {
  if (!condition) {
    throw new CroupierError(`${name} is ${String(value)}; it must be ${right}`);
  }
}

/** What a value is, without its content. */
export function kindOf(value) {
  if (value === null || value === undefined) {
    return String(value);
  }
  const kinds = { string: 'a text', boolean: 'true or false', bigint: 'a BigInt', object: 'an object' };
  return Array.isArray(value) ? 'an array' : kinds[typeof value] ?? `a ${typeof value}`;
}

function shown(value) {
  switch (typeof value) {
    case 'string': return `the text '${value}'`;
    case 'bigint': return `the BigInt ${value}`;
    case 'number':
    case 'boolean': return String(value);
    default: return kindOf(value);
  }
}

/** Checks a value that is no secret of a person. */
export function checkValue(condition, name, value, right) {
  if (!condition) {
    check(false, name, shown(value), right);
  }
}

export function checkInstance(value, type, name) {
  check(value instanceof type, name, kindOf(value), `a ${type.name} of this module`);
}

export function checkFunction(value, name, right = 'a function') {
  check(typeof value === 'function', name, kindOf(value), right);
}

export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The options of a call, whose names are all known: a misspelt one would be ignored. */
export function optionsOf(where, options, names) {
  check(isObject(options), `the argument of ${where}`, kindOf(options), `an object with ${names.join(', ')}`);
  const other = Object.keys(options).find((name) => !names.includes(name));
  check(other === undefined, `option '${other}' of ${where}`, 'unknown', `one of ${names.join(', ')}`);
  return options;
}

/** An array of numbers, or a typed one. Its values may be a person's, and are checked elsewhere. */
export function checkVector(values, name, length = values?.length) {
  const isVector = (Array.isArray(values) || ArrayBuffer.isView(values)) && Number.isInteger(values.length)
    && typeof values[0] !== 'bigint';
  check(isVector, name, kindOf(values), 'an array of numbers');
  check(values.length === length, `length of ${name}`, values.length, length);
}

/** Lets JSON.stringify write the BigInts of an object as texts. */
export function withTexts(object) {
  return Object.defineProperty(object, 'toJSON', {
    value: () => Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])),
  });
}

export function isPositive(value) {
  return typeof value === 'number' && value > 0 && value <= Number.MAX_VALUE;
}

export function checkBytes(bytes, name) {
  check(bytes instanceof Uint8Array, name, kindOf(bytes), 'a Uint8Array');
}

export const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** Number of the JSON mapping of Protobuf, where 64-bit integers and special values are strings. */
export function numberOf(value) {
  return typeof value === 'string' && value !== '' ? Number(value) : value;
}

export function requireUpdate(condition, otherwise) {
  if (!condition) {
    throw new CroupierError(`not a usable ModelUpdate: ${otherwise}`);
  }
}

export function checkModelId(modelId) {
  checkValue(
    typeof modelId === 'string' && NAME.test(modelId) && modelId !== '.' && modelId !== '..', 'modelId', modelId,
    "1 to 100 letters, digits, '.', '_' or '-', and neither '.' nor '..'");
}
