// What a person has given, for a page

import { check, isObject, kindOf, optionsOf } from './checks.js';

/** The texts of the section, which an app may translate. */
const WORDS = Object.freeze({
  title: 'What you have given',
  nothing: 'Nothing so far.',
  stopped: 'You are stopped: nothing that you send is taken or counted.',
  erased: 'Your history was erased; the totals are left.',
  all: 'all together',
  columns: ['model', 'reports', 'epsilon', 'left'],
  unlimited: 'no limit',
  /** `times` is exp(epsilon), in words for a person who knows no epsilon. */
  meaning: (times) => `All of it together is at most ${times} times as likely with your data as with anybody else's.`,
  /** Where Gaussian noise, or noise that isn't known, is among it. */
  otherNoise: 'Some of it has a guarantee of another kind, which this number does not state.',
  refused: (modelId, reason) => `${modelId}: ${reason}`,
});

/** What is left of a limit, by the first of these that has one. */
const LIMITED = ['epsilon', 'epsilonAtDelta', 'mu', 'reports', 'participations'];

/** Three digits, rounded up: what is given is never shown as less. */
function upwards(value) {
  if (!(value < 1e15)) {
    return '10^' + (Number.isFinite(value) ? Math.ceil(Math.log10(value)) : '∞');
  }
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(value, 1))) - 2);
  const rounded = value < 100 ? Math.ceil(value * 10) / 10 : Math.ceil(value / unit) * unit;
  return String(rounded).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/**
 * A section that shows a person's account: what was spent on each model, what is left, what it means, and what was refused.
 * All texts are set as text, so nothing of an account is markup. Its class is croupier-given; the page styles it.
 *
 * @param account what Gateway.account() or Device.account() answered
 * @param document of the page
 * @param words replace the English texts: title, nothing, stopped, erased, all, columns, unlimited, meaning(times),
 *     otherNoise, refused(modelId, reason)
 * @returns an element that the page appends where it likes
 */
export function givenSection(account, options = {}) {
  const { document = globalThis.document, words = {} } = optionsOf('givenSection', options, ['document', 'words']);
  check(isObject(account) && isObject(account.spent), 'the account', 'another value', 'what account() answered');
  check(typeof document?.createElement === 'function', 'document', kindOf(document), 'that of the page');
  check(isObject(words), 'words', kindOf(words), 'an object of texts');
  const texts = { ...WORDS, ...words };
  const element = (name, ...children) => {
    const made = document.createElement(name);
    made.append(...children);
    return made;
  };
  const section = element('section', element('h2', texts.title));
  section.className = 'croupier-given';
  const sentence = (text) => section.append(element('p', text));
  if (account.stopped) {
    sentence(texts.stopped);
  }
  if (account.erased) {
    sentence(texts.erased);
  }
  if (!(account.spent.reports > 0)) {
    sentence(texts.nothing);
  } else {
    const { epsilon = 0, mu, undisclosed, unbounded } = account.spent;
    const isPure = [mu, undisclosed, unbounded].every((other) => !(Number(other) > 0));
    sentence(isPure && epsilon > 0 ? texts.meaning(upwards(Math.exp(epsilon))) : texts.otherNoise);
    const row = (cell, ...values) => element('tr', ...values.map((value) => element(cell, String(value))));
    const left = ({ left: rest = {} }) => {
      const limited = LIMITED.find((name) => rest[name] !== undefined);
      return limited === undefined ? texts.unlimited : `${rest[limited]}${limited === 'epsilon' ? '' : ` (${limited})`}`;
    };
    const cells = (name, part) => [name, part.spent.reports ?? 0, part.spent.epsilon ?? 0, left(part)];
    section.append(element(
      'table',
      element('thead', row('th', ...texts.columns)),
      element(
        'tbody', ...account.models.map((model) => row('td', ...cells(model.modelId, model))),
        row('td', ...cells(texts.all, account)))));
  }
  if (account.refusals.length > 0) {
    section.append(element(
      'ul', ...account.refusals.map(({ modelId, reason }) => element('li', texts.refused(modelId, reason)))));
  }
  return section;
}
