// A published update

import { CroupierError } from './errors.js';
import { NAME, check, isObject, isPositive, kindOf, numberOf, requireUpdate } from './checks.js';
import { textsOf } from './statistics.js';
import { featuresOf } from './features.js';
import { predicted, rowsOf } from './prediction.js';
import { windowOf } from './windows.js';

function vectorOf(values, field) {
  requireUpdate(Array.isArray(values) && values.length > 0, `${field} is missing`);
  const vector = Float64Array.from(values, numberOf);
  requireUpdate(vector.every(Number.isFinite), `${field} has a value that is not finite`);
  return vector;
}

/** floor(log2 bound) - 16, of a positive double. */
export function gridExponentOf(bound) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, bound);
  return ((view.getUint32(0) >>> 20) & 0x7ff) - 1023 - 16;
}

function questionOf(estimate) {
  const question = estimate.question ?? {};
  const kind = question.accuracy !== undefined ? 'accuracy' : question.lossAbove !== undefined ? 'lossAbove' : 'unknown';
  const name = question.name ?? '';
  requireUpdate(NAME.test(name), 'a question has no valid name');
  return Object.freeze({ name, kind, threshold: kind === 'lossAbove' ? numberOf(question.lossAbove.threshold) : null });
}

function statisticOf(estimate) {
  const statistic = estimate.statistic ?? {};
  const kind = ['choice', 'quantiles', 'prefixes'].find((each) => statistic[each] !== undefined) ?? 'unknown';
  const name = statistic.name ?? '';
  requireUpdate(NAME.test(name), 'a statistic has no valid name');
  const categories = Object.freeze([...(statistic.choice?.categories ?? [])]);
  requireUpdate(kind !== 'choice' || categories.length >= 2, 'a choice has fewer than 2 categories');
  const threshold = kind === 'quantiles' ? numberOf(estimate.threshold) : null;
  requireUpdate(kind !== 'quantiles' || Number.isFinite(threshold), 'a statistic of quantiles has no threshold');
  const texts = kind === 'prefixes' ? textsOf(statistic.prefixes, estimate.texts ?? {}) : null;
  requireUpdate(kind !== 'prefixes' || texts.prefixes[0] === '', 'a statistic of prefixes has no empty prefix');
  return Object.freeze({ name, kind, categories, threshold, texts });
}

function isProbability(p) {
  return p >= 0 && p <= 1;
}

/**
 * What the job lets a person spend on a model over all time, as far as a device can compare it with its own reports.
 */
function limitsOf({ epsilon = Infinity, reports = Infinity, delta, perDays }) {
  const isForLife = perDays === undefined;
  // With a delta, the sum of epsilons may exceed the epsilon that the job computes.
  const limits = {
    epsilon: isForLife && delta === undefined ? numberOf(epsilon) : Infinity,
    reports: isForLife ? numberOf(reports) : Infinity,
  };
  requireUpdate(Object.values(limits).every(limit => typeof limit === 'number' && limit > 0), 'a limit is no number above 0');
  return Object.freeze(limits);
}

/**
 * The terms on which a round takes reports.
 *
 * size: what the clip bounds, 'FEATURES' or 'GRADIENT', if it moves; null if it is fixed; 'UNKNOWN' if this version
 * doesn't know it.
 */
function termsOf(update, modelId, round, dimension) {
  const gradientBound = dimension === 0 ? 0 : numberOf(update.gradientBound);
  requireUpdate(dimension === 0 || isPositive(gradientBound), 'gradientBound is missing, or not positive and finite');
  const gridExponent = dimension === 0 ? 0 : update.gridExponent;
  requireUpdate(Number.isInteger(gridExponent), 'gridExponent is missing');
  const questions = Object.freeze((update.estimates ?? []).map(questionOf));
  const statistics = Object.freeze((update.statistics ?? []).map(statisticOf));
  const hasSize = update.size !== undefined && update.size !== null;
  const size = !hasSize ? null : ['FEATURES', 'GRADIENT'].includes(update.size) ? update.size : 'UNKNOWN';
  const answerProbability = numberOf(update.answerProbability ?? 1);
  const isAsking = questions.length > 0 || statistics.length > 0 || hasSize;
  const questionProbability = isAsking ? numberOf(update.questionProbability ?? 0) : 0;
  requireUpdate(isProbability(answerProbability), 'answerProbability is not from 0 to 1');
  requireUpdate(isProbability(questionProbability), 'questionProbability is not from 0 to 1');
  requireUpdate(dimension > 0 || questionProbability === 1, 'questionProbability is not 1, without weights');
  const slopeBound = size === 'FEATURES' ? numberOf(update.slopeBound) : 0;
  requireUpdate(size !== 'FEATURES' || isPositive(slopeBound), 'slopeBound is missing, with size FEATURES');
  requireUpdate(!hasSize || gridExponent === gridExponentOf(gradientBound), "gridExponent isn't that of gradientBound");
  return Object.freeze({
    modelId, round, dimension, gradientBound, gridExponent, answerProbability, questionProbability, questions, statistics,
    size, slopeBound, isScouting: hasSize && questionProbability >= 1, limits: limitsOf(update.limits ?? {}),
  });
}

/** Terms as a snapshot contains them. */
export function checkTerms(terms) {
  check(
    isObject(terms) && NAME.test(terms.modelId) && Number.isSafeInteger(terms.round) && isObject(terms.limits),
    'terms', isObject(terms) ? 'another object' : kindOf(terms), 'those of a snapshot, of gateway.follow() or newest()');
}

export function checkSnapshot(snapshot) {
  const isSnapshot = isObject(snapshot) && isObject(snapshot.terms) && Array.isArray(snapshot.windows);
  check(
    isSnapshot, 'snapshot', isObject(snapshot) ? 'another object' : kindOf(snapshot), 'one of gateway.follow() or newest()');
  checkTerms(snapshot.terms);
}

/**
 * Reads a ModelUpdate in the JSON mapping of Protobuf.
 *
 * @returns modelId, round, weights, average, averageRound, terms, windows with tokens, features, the update itself, and with the label and
 *     the loss of its spec: participant(row), a person's Rows, and predict(row), what the average predicts
 * @throws CroupierError if it lacks a value, or one is out of range
 */
export function readUpdate(update) {
  requireUpdate(isObject(update), `it is ${kindOf(update)}; it must be an object`);
  try {
    return snapshotOf(update);
  } catch (failure) {
    throw failure instanceof CroupierError
      ? failure
      : new CroupierError('not a usable ModelUpdate: a field is malformed', { cause: failure });
  }
}

function snapshotOf(update) {
  const modelId = update.modelId ?? '';
  requireUpdate(NAME.test(modelId), 'modelId is missing');
  const round = numberOf(update.round);
  requireUpdate(Number.isSafeInteger(round) && round >= 0, 'round is missing, negative or too large');
  // A model of statistics alone has no learner, and so no weights and no gradientBound.
  const isAlone = update.gradientBound === undefined && (update.statistics ?? []).length > 0;
  const weights = isAlone ? new Float64Array() : vectorOf(update.weights, 'weights');
  const average = isAlone ? new Float64Array() : vectorOf(update.average, 'average');
  requireUpdate(average.length === weights.length, 'average and weights differ in length');
  const averageRound = update.averageRound === undefined ? null : numberOf(update.averageRound);
  requireUpdate(averageRound === null || (Number.isSafeInteger(averageRound) && averageRound >= 0), 'averageRound is malformed');
  const snapshot = Object.freeze({
    modelId, round, weights, average, averageRound, terms: termsOf(update, modelId, round, weights.length),
    windows: Object.freeze((update.windows ?? []).map(windowOf)), update,
    // Only devices that use them need to know their kinds.
    get features() {
      return featuresOf(update, weights.length);
    },
    participant(row, features = snapshot.features) {
      return rowsOf(snapshot, row, features);
    },
    predict(row, features = snapshot.features) {
      return predicted(snapshot, row, features);
    },
  });
  return snapshot;
}
