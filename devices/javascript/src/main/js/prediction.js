// What a model predicts, as its spec names it

import { VERSION } from './version.js';
import { check, checkInstance, isObject, numberOf, requireUpdate } from './checks.js';
import { Features } from './features.js';
import { highest, hinge, logistic, pinball, softmax, squared } from './losses.js';
import { probabilityOf } from './portable.js';
import { Rows } from './rows.js';

function rangeOf(range) {
  const { from, to } = { from: numberOf(range?.from), to: numberOf(range?.to) };
  requireUpdate(Number.isFinite(from) && from < to && to < Infinity, 'the range of the label is missing or malformed');
  return { from, to };
}

/** Its feature, the loss, the rows' target of the label's values, and the prediction of the loss's. */
function labelOf({ label: name, logistic: isLogistic, hinge: isHinge, softmax: classed, squared: ofMean, pinball: ofLevel }) {
  if (isLogistic !== undefined) {
    return { name, yesNo: {}, loss: logistic, predicted: ([p]) => probabilityOf(p) };
  }
  if (isHinge !== undefined) {
    return { name, yesNo: {}, loss: hinge, predicted: ([p]) => p > 0 };
  }
  if (classed !== undefined) {
    const categories = classed.classes ?? [];
    requireUpdate(categories.length >= 2, 'it predicts fewer than 2 classes');
    return {
      name, oneHot: { categories }, loss: softmax(categories.length), predicted: (scores) => categories[highest(scores)],
    };
  }
  check(
    ofMean !== undefined || ofLevel !== undefined, `the loss of label '${name}'`, `unknown to croupier.js ${VERSION}`,
    'one that this version knows');
  const range = rangeOf((ofMean ?? ofLevel).range);
  const { from, to } = range;
  return {
    name, range, loss: ofMean !== undefined ? squared : pinball(numberOf(ofLevel.level)),
    predicted: ([p]) => Math.max(from, Math.min(to, from + ((p + 1) / 2) * (to - from))),
  };
}

/** The place of a class, or the value of any other label. */
function targetOf({ name, oneHot }, values) {
  if (oneHot === undefined) {
    return values[0];
  }
  const place = values.indexOf(1);
  check(place >= 0, `label '${name}'`, "none of the model's classes", `one of ${oneHot.categories.join(', ')}`);
  return place;
}

/** The label of a snapshot, if its features are those that are given. */
function predictionOf({ update, modelId, features }, given) {
  checkInstance(given, Features, 'features');
  check(given.equals(features), 'features', 'those of another model', `made from those of a snapshot of model ${modelId}`);
  check(
    isObject(update.predicts), `predicts of model ${modelId}`, 'missing',
    'in its spec, or this page make Rows of a loss of its own');
  requireUpdate(typeof update.predicts.label === 'string', 'the label has no name');
  return labelOf(update.predicts);
}

/** See Snapshot.participant. */
export function rowsOf(snapshot, row, features) {
  const label = predictionOf(snapshot, features);
  const values = features.vector(row, label);
  const target = targetOf(label, values.subarray(features.size));
  return new Rows({ features: [values.subarray(0, features.size)], targets: [target], loss: label.loss });
}

/** See Snapshot.predict. */
export function predicted(snapshot, row, features) {
  const { loss, predicted: of } = predictionOf(snapshot, features);
  const rows = new Rows({ features: [features.vector(row)], targets: [0], loss });
  requireUpdate(
    snapshot.average.length === rows.dimension,
    `it has ${snapshot.average.length} weights; the features and the loss of its spec need ${rows.dimension}`);
  return of(rows.predictions(0, snapshot.average));
}
