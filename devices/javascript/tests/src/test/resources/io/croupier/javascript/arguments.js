/** Calls every export with values that a page may pass by mistake, for ArgumentsTest. */
import { open, rows, update } from './scenarios.js';

const WRONG = [undefined, null, 5, -1, NaN, Infinity, 'text', '', true, 5n, {}, [], [null], new Uint8Array(1), [5n], () => 5, Symbol('s')];

/** These concern no argument. */
const OTHERS = ['GatewayError', 'AlreadyReportedError'];

/** What is wrong with the error of a call that should name its argument; null if nothing is. */
function complaint(call, name, value, failure) {
  const of = `${call}, ${name}, ${typeof value}: ${failure.name}: ${failure.message}`;
  // An object of another shape is named by its wrong member.
  const isNamed = failure.message.toLowerCase().includes(name.toLowerCase())
    || (typeof value === 'object' && failure.message.includes('; it must be '));
  return OTHERS.includes(failure.name) || (['CroupierError', 'LedgerError'].includes(failure.name) && isNamed) ? null : of;
}

/** Every call: its name, what an error names, and the call with one wrong value. */
async function calls(module, page, crypto) {
  const { fetch, sleep, now, indexedDB, locks } = page;
  const list = [];
  const add = (call, name, run) => list.push({ call, name, run });
  const addOptions = (call, valid, run) => {
    add(call, call.replace('new ', ''), run);
    Object.keys(valid).forEach((name) => add(call, name, (value) => run({ ...valid, [name]: value })));
  };

  const words = { crypto };
  addOptions('new PrivUnit', { dimension: 1, epsilon: 1, candidates: 256, top: 1, ...words }, (o) => new module.PrivUnit(o));
  addOptions('new RandomisedResponse', { epsilon: 1, ...words }, (o) => new module.RandomisedResponse(o));
  addOptions('new HashedResponse', { epsilon: 1, categories: 3, ...words }, (o) => new module.HashedResponse(o));
  addOptions('new Rows', { features: [[1]], targets: [1], loss: module.logistic, importance: [1] }, (o) => new module.Rows(o));
  addOptions('huber', { c: 1, scale: 1 }, (o) => module.huber(o));
  const network = { url: 'https://gateway.example', token: async () => 'bearer', fetch, sleep, now, crypto };
  addOptions('new Gateway', { ...network, relay: null }, (o) => new module.Gateway(o));
  const relay = { url: 'https://relay.example', key: '' };
  addOptions('relay', relay, (o) => new module.Gateway({ url: 'https://gateway.example', fetch, crypto, relay: o }));
  const gateway = new module.Gateway(network);
  const storage = { person: 'bob', limit: { epsilon: 9 }, indexedDB, locks, storage: null, crypto, sleep };
  const opened = (opening) => async (o) => (await opening(o)).close();
  addOptions('Ledger.open', storage, opened((o) => module.Ledger.open(o)));
  addOptions(
    'Device.open', { gateway, epsilon: 1, attempts: 1, onRefused: () => {}, releaseDelayMs: 0, now, anonymous: null, ...storage },
    opened((o) => module.Device.open(o)));
  addOptions('anonymous', { collector: gateway, longestWaitMs: 1 }, opened((o) =>
    module.Device.open({ gateway, epsilon: 1, anonymous: o, ...storage })));
  addOptions('limit', { epsilon: 1, reports: 1, answers: 1 }, opened((o) => module.Ledger.open({ ...storage, limit: o })));
  ['Ledger', 'Device'].forEach((name) => add(`new ${name}`, name, (value) => new module[name](value)));

  const unit = new module.PrivUnit({ dimension: 1, epsilon: 1, crypto });
  add('choose', 'gradient', (v) => unit.choose(v, 1));
  add('choose', 'gradientBound', (v) => unit.choose([0.1], v));
  ['seed', 'index', 'length', 'dimension'].forEach((name, i) => add('expandCandidate', name, (v) =>
    module.expandCandidate(...[1n, 0, 1, 1].with(i, v))));
  add('RandomisedResponse.release', 'answer', (v) => new module.RandomisedResponse({ epsilon: 1, crypto }).release(v));
  add('HashedResponse.release', 'category', (v) =>
    new module.HashedResponse({ epsilon: 1, categories: 3, crypto }).release(v));
  add('new Features', 'feature', (v) => new module.Features(v));
  const features = new module.Features([
    { name: 'x', range: { from: 0, to: 1 } }, { name: 'e', encoder: { digest: '', length: 1 } }]);
  add('vector', 'row', (v) => features.vector(v));
  add('vector', 'x', (v) => new module.Features([{ name: 'x', range: { from: 0, to: 1 } }]).vector({ x: v }));
  add('withEncoder', 'feature', (v) => features.withEncoder(v, new Uint8Array(1), () => [1]));
  add('withEncoder', 'encoder', (v) => features.withEncoder('e', v, () => [1]));
  add('withEncoder', 'enco', (v) => features.withEncoder('e', new Uint8Array(1), v));
  add('pinball', 'level', (v) => module.pinball(v));
  add('softmax', 'classes', (v) => module.softmax(v));
  ['probabilities', 'predicted'].forEach((name) => add(name, 'scores', (v) => module.softmax(2)[name](v)));
  add('value', 'scores', (v) => module.softmax(2).value(v, 0));
  add('slopes', 'scores', (v) => module.softmax(2).slopes(v, 0));
  add('scores', 'weights', (v) => module.softmax(2).scores(v, [1]));
  add('scores', 'features', (v) => module.softmax(2).scores([1, 1], v));
  add('norm', 'vector', (v) => module.norm(v));
  add('mallowsWeights', '', (v) => module.mallowsWeights(v, 1));
  add('mallowsWeights', 'k', (v) => module.mallowsWeights([[1]], v));
  add('readUpdate', 'ModelUpdate', (v) => module.readUpdate(v));
  const valid = update(1);
  [...Object.keys(valid), 'estimates', 'statistics', 'windows', 'limits', 'size'].forEach((name) =>
    add('readUpdate', 'ModelUpdate', (v) => module.readUpdate({ ...valid, [name]: v })));
  const predicting = module.readUpdate({ ...valid, features: [{ name: 'x', range: { from: 0, to: 1 } }], predicts: { label: 'y', hinge: {} } });
  ['participant', 'predict'].forEach((name) => {
    add(name, 'row', (v) => predicting[name](v));
    add(name, 'x', (v) => predicting[name]({ x: v, y: true }));
    add(name, 'features', (v) => predicting[name]({ x: 1, y: true }, v));
  });
  add('participant', 'y', (v) => predicting.participant({ x: 1, y: v }));
  add('features', '', (v) => module.readUpdate({ ...valid, features: v }).features);

  const own = rows(module);
  const snapshot = () => module.readUpdate(update(1));
  ['gradient'].forEach((name) => add(name, 'weights', (v) => own[name](v)));
  add('loss', 'row', (v) => own.loss(v, [1]));
  add('loss', 'weights', (v) => own.loss(0, v));
  add('size', 'terms', (v) => own.size(v, [1]));
  add('size', 'weights', (v) => own.size(snapshot().terms, v));
  add('canAnswer', 'question', (v) => own.canAnswer(v));
  add('answer', 'question', (v) => own.answer(v, 0, [1]));
  add('answer', 'row', (v) => own.answer({ kind: 'accuracy', name: 'q' }, v, [1]));
  add('answer', 'average', (v) => own.answer({ kind: 'accuracy', name: 'q' }, 0, v));

  add('models', 'models', (v) => gateway.models(v));
  add('newest', 'modelId', (v) => gateway.newest(v));
  add('newest', 'newest', (v) => gateway.newest('m', v));
  ['follow', 'events'].forEach((name) => {
    add(name, 'modelId', (v) => gateway[name](v).next());
    add(name, name, (v) => gateway[name]('m', v).next());
    ['signal', 'onRetry'].forEach((option) => add(name, option, (v) => gateway[name]('m', { [option]: v }).next()));
  });
  add('follow', 'waitSeconds', (v) => gateway.follow('m', { waitSeconds: v }).next());
  add('account', 'account', (v) => gateway.account(v));
  add('account', 'signal', (v) => gateway.account({ signal: v }));
  add('send', 'report', (v) => gateway.send(v));
  add('sendAnonymous', '', (v) => gateway.sendAnonymous(v));
  add('grant', 'request', (v) => gateway.grant(v));
  add('windows', '', (v) => gateway.windows(v));

  const device = await open(module, page, crypto, { limit: { epsilon: Infinity } });
  let round = 2;
  const next = (changes) => module.readUpdate(update(round++, changes));
  ['decide', 'takePart', 'report'].forEach((name) =>
    add(name, 'snapshot', (v) => device[name](v, null)));
  add('randomiser', 'dimension', (v) => device.randomiser(v));
  add('takePart', 'rows', (v) => device.takePart(next(), v));
  add('takePart', 'takePart', (v) => device.takePart(next(), own, v));
  ['key', 'times', 'categories'].forEach((name) => add('takePart', name, (v) => device.takePart(next(), own, { [name]: v })));
  add('report', 'gradient', (v) => device.report(next(), v));
  add('report', 'size', (v) => device.report(next(), [0.1], v));
  add('report', 'report', (v) => device.report(next(), [0.1], undefined, v));
  add('takePartAnonymously', 'anonymous', (v) => device.takePartAnonymously(v, v));

  const { epsilon, ...others } = storage;
  const ledger = await module.Ledger.open({ ...others, person: 'eve', limit: { epsilon: Infinity } });
  const limits = snapshot().terms.limits;
  add('Ledger.decide', 'terms', (v) => ledger.decide(v));
  add('hasReported', 'modelId', (v) => ledger.hasReported(v, 1));
  add('hasReported', 'round', (v) => ledger.hasReported('m', v));
  add('counts', 'modelId', (v) => ledger.counts(v, 'k'));
  add('counts', 'key', (v) => ledger.counts('m', v));
  add('Ledger.release', 'terms', (v) => ledger.release(v, 1n, 'gradient', () => new Uint8Array(1)));
  add('Ledger.release', 'epsilonNanos', (v) => ledger.release(next().terms, v, 'gradient', () => new Uint8Array(1)));
  add('Ledger.release', 'kind', (v) => ledger.release(next().terms, 1n, v, () => new Uint8Array(1)));
  add('Ledger.release', 'draw', (v) => ledger.release(next().terms, 1n, 'gradient', v));
  add('Ledger.release', '', (v) => ledger.release(next().terms, 1n, 'gradient', () => new Uint8Array(1), v));
  add('admitsAnswer', 'epsilonNanos', (v) => ledger.admitsAnswer(v));
  add('settle', 'sequence', (v) => ledger.settle(v));
  add('chargeToken', 'token', (v) => ledger.chargeToken(v, 1n, limits));
  add('chargeToken', 'epsilonNanos', (v) => ledger.chargeToken({ modelId: 'm', window: 1 }, v, limits));
  add('chargeToken', 'limits', (v) => ledger.chargeToken({ modelId: 'm', window: 1 }, 1n, v));
  add('advanceToken', 'token', (v) => ledger.advanceToken(v, 'held', new Uint8Array(1)));
  add('advanceToken', 'stage', (v) => ledger.advanceToken({ modelId: 'm', window: 1 }, v, new Uint8Array(1)));
  add('advanceToken', 'content', (v) => ledger.advanceToken({ modelId: 'm', window: 1 }, 'held', v));
  add('forgetTokens', 'modelId', (v) => ledger.forgetTokens(v, 1));
  add('forgetTokens', 'round', (v) => ledger.forgetTokens('m', v));
  add('slot', 'digest', (v) => ledger.slot(v, 1));
  add('slot', 'publications', (v) => ledger.slot(new Uint8Array(1), v));
  add('Ledger.spent', '', () => ledger.spent());
  add('givenSection', 'account', (v) => module.givenSection(v));
  const account = { spent: {}, models: [], refusals: [] };
  const document = { createElement: () => ({ append() {} }) };
  add('givenSection', 'document', (v) => module.givenSection(account, { document: v }));
  add('givenSection', 'words', (v) => module.givenSection(account, { document, words: v }));
  return list;
}

/** {names, complaints}: the calls that were made, and what is wrong with their errors. */
export async function callAll(module, page, crypto) {
  const complaints = [];
  const list = await calls(module, page, crypto);
  for (const { call, name, run } of list) {
    for (const value of WRONG) {
      try {
        await run(value);
      } catch (failure) {
        const found = complaint(call, name, value, failure);
        if (found !== null) {
          complaints.push(found);
        }
      }
    }
  }
  return { calls: list.map(({ call }) => call), complaints };
}
