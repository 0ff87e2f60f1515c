// Categories and texts of statistics

import { requireUpdate } from './checks.js';
import { MOST_CATEGORIES } from './responses.js';

/** The most letters of an alphabet. */
const MOST_LETTERS = 128;

/** The letters of an alphabet, in its order: abc of a-c. */
function lettersOf(alphabet) {
  let letters = '';
  for (let i = 0; i < alphabet.length; i++) {
    const isRange = i + 2 < alphabet.length && alphabet[i + 1] === '-';
    const last = alphabet.charCodeAt(isRange ? i + 2 : i);
    for (let c = alphabet.charCodeAt(i); c <= last; c++) {
      requireUpdate(letters.length < MOST_LETTERS, `an alphabet has more than ${MOST_LETTERS} letters`);
      letters += String.fromCharCode(c);
    }
    i += isRange ? 2 : 0;
  }
  return letters;
}

/** What the devices of a round vote for in a statistic of prefixes: docs/theory/counting.md. */
export function textsOf({ alphabet = '', length = 0, top = 0 }, { prefixes = [], texts = [] }) {
  const letters = lettersOf(alphabet);
  const places = Math.floor((MOST_CATEGORIES - top) / (letters.length + 1));
  return Object.freeze({
    letters, length, top, prefixes: Object.freeze([...prefixes]), texts: Object.freeze([...texts]),
    count: top + places * (letters.length + 1),
  });
}

/** The number of a text's candidate; what is no text of the alphabet counts as the empty text. */
export function candidateOf({ letters, length, top, prefixes, texts }, value) {
  const isValid =
    typeof value === 'string' && value.length <= length && value.split('').every((letter) => letters.includes(letter));
  const text = isValid ? value : '';
  const place = text === '' ? -1 : texts.indexOf(text);
  if (place >= 0) {
    return place;
  }
  let longest = 0;
  for (let i = 1; i < prefixes.length; i++) {
    if (prefixes[i].length > prefixes[longest].length && text.startsWith(prefixes[i])) {
      longest = i;
    }
  }
  const next = prefixes[longest].length;
  const letter = next === text.length ? letters.length : letters.indexOf(text[next]);
  return top + longest * (letters.length + 1) + letter;
}

/** The number of a category; a value that is none of them counts as the last one. */
export function categoryOf(statistic, value) {
  if (statistic.kind === 'prefixes') {
    return candidateOf(statistic.texts, value);
  }
  const index = statistic.categories.indexOf(value);
  return index >= 0 ? index : statistic.categories.length - 1;
}
