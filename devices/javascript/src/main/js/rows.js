// A person's rows

import { check, checkValue, checkVector, isObject, kindOf, optionsOf } from './checks.js';
import { doubles } from './bytes.js';
import { highest, huber, norm, pinball, softmax } from './losses.js';

/** A loss of this module, or one of the page with the same members. */
function checkLoss(loss) {
  const right = 'logistic, hinge, softmax(k), squared, absolute, pinball(level) or huber(), as this module exports them, without quotes';
  check(loss !== softmax, 'loss', 'softmax without its number of classes', 'softmax(k), such as softmax(3)');
  check(loss !== pinball, 'loss', 'pinball without its level', 'pinball(level), such as pinball(0.9)');
  check(loss !== huber, 'loss', 'huber without its call', 'huber()');
  checkValue(
    isObject(loss) && typeof loss.value === 'function' && typeof loss.steepest === 'number'
      && typeof (loss.classes === undefined ? loss.slope : loss.slopes) === 'function',
    'loss', loss, right);
}

/**
 * One person's rows, with predictions <x, w>, or k scores <x, w_c>. Checks them when they are created: an error later would disclose
 * something of the data.
 */
export class Rows {
  #features;
  #targets;
  #importance;
  #loss;
  #scores;

  /**
   * @param features rows of finite numbers, as many in each; the model has as many weights, for each class of softmax
   * @param targets one for each row, finite; 0 or 1 for the logistic and the hinge loss, 0 to k - 1 for softmax(k)
   * @param loss logistic, hinge, softmax(k), squared, absolute, pinball(level), or huber(...)
   * @param importance factor of each row's loss, not negative; by default 1
   */
  constructor(options) {
    const { features, targets, loss, importance } =
      optionsOf('Rows', options, ['features', 'targets', 'loss', 'importance']);
    checkLoss(loss);
    check(Array.isArray(features) && features.length > 0, 'features', kindOf(features), 'an array of rows, at least one');
    const count = features.length;
    checkVector(targets, 'targets');
    const weights = importance ?? Array.from(targets, () => 1);
    checkVector(weights, 'importance');
    check(
      targets.length === count && weights.length === count,
      'number of targets or weights', `${targets.length}, ${weights.length}`, `that of the rows, ${count}`);
    features.forEach((row) => checkVector(row, 'a row of the features', features[0]?.length));
    const width = features[0].length;
    const areFinite = features.every((row) => Array.from(row).every(Number.isFinite));
    check(width >= 1 && areFinite, 'a row', 'malformed', 'as long as the others, of finite numbers');
    check(Array.from(weights).every((u) => Number.isFinite(u) && u >= 0), 'a weight', 'malformed', 'at least 0');
    const classes = loss.classes ?? 2;
    const isTarget = (y) => Number.isFinite(y) && (!loss.hasClasses || (Number.isInteger(y) && y >= 0 && y < classes));
    const right = classes === 2 ? '0 or 1' : `a whole number from 0 to ${classes - 1}`;
    const wrong = Array.from(targets).findIndex((y) => !isTarget(y));
    check(
      wrong < 0, 'a target', typeof targets[wrong] === 'number' ? 'malformed' : kindOf(targets[wrong]),
      (loss.hasClasses ? right : 'a finite number') + (typeof targets[wrong] === 'boolean' ? ': Number(true) is 1' : ''));
    this.#features = features.map((row) => Float64Array.from(row));
    this.#targets = Float64Array.from(targets);
    this.#importance = Float64Array.from(weights);
    this.#loss = loss;
    this.#scores = loss.classes ?? 1;
    this.dimension = width * this.#scores;
    this.count = count;
    Object.freeze(this);
  }

  /** The predictions for one row. */
  predictions(row, weights) {
    const features = this.#features[row];
    const predictions = new Float64Array(this.#scores);
    for (let c = 0; c < this.#scores; c++) {
      for (let j = 0; j < features.length; j++) {
        predictions[c] += features[j] * weights[c * features.length + j];
      }
    }
    return predictions;
  }

  #slopes(row, weights) {
    const predictions = this.predictions(row, weights);
    const target = this.#targets[row];
    return this.#scores === 1 ? [this.#loss.slope(predictions[0], target)] : this.#loss.slopes(predictions, target);
  }

  /** The gradient of the mean loss of all rows. */
  gradient(weights) {
    checkVector(weights, 'the weights', this.dimension);
    const mean = new Float64Array(this.dimension);
    for (let row = 0; row < this.count; row++) {
      const features = this.#features[row];
      this.#slopes(row, weights).forEach((slope, c) => {
        const factor = this.#importance[row] * slope;
        for (let j = 0; j < features.length; j++) {
          mean[c * features.length + j] += (factor * features[j]) / this.count;
        }
      });
    }
    return mean;
  }

  #checkRow(row) {
    checkValue(
      Number.isInteger(row) && row >= 0 && row < this.count, 'row', row, `a whole number from 0 to ${this.count - 1}`);
  }

  /** The loss of one row. */
  loss(row, weights) {
    this.#checkRow(row);
    checkVector(weights, 'the weights', this.dimension);
    const predictions = this.predictions(row, weights);
    const value = this.#loss.value(this.#scores === 1 ? predictions[0] : predictions, this.#targets[row]);
    return this.#importance[row] * value;
  }

  /** The size of the gradient of the mean loss, as the clip of a round bounds it. */
  size(terms, weights) {
    check(isObject(terms), 'terms', kindOf(terms), 'those of a snapshot');
    checkVector(weights, 'the weights', this.dimension);
    if (terms.size !== 'FEATURES') {
      return norm(this.gradient(weights));
    }
    let mean = 0;
    for (let row = 0; row < this.count; row++) {
      mean += (terms.slopeBound * (this.#importance[row] * norm(this.#features[row]))) / this.count;
    }
    return mean;
  }

  /** Whether these data can answer a question; that doesn't depend on their values. */
  canAnswer(question) {
    check(isObject(question), 'question', kindOf(question), "one of a snapshot's terms");
    return question.kind === 'accuracy' ? this.#loss.hasClasses : question.kind === 'lossAbove';
  }

  /** The true answer of one row to a question about the published average. */
  answer(question, row, average) {
    this.#checkRow(row);
    check(this.canAnswer(question), 'question', question.name, 'one that these data can answer');
    if (question.kind === 'accuracy') {
      checkVector(average, 'the average', this.dimension);
      const predictions = this.predictions(row, average);
      const label = this.#scores === 1 ? Number(predictions[0] > 0) : highest(predictions);
      return label === this.#targets[row];
    }
    return this.loss(row, average) > question.threshold;
  }

  /** The rows' numbers as bytes. */
  bytes() {
    const rows = this.#features.flatMap((row, i) => [...row, this.#targets[i], this.#importance[i]]);
    return doubles([this.count, this.dimension].concat(rows));
  }

  /** Whether the loss has a bounded slope, which a clip of FEATURES requires. */
  get hasBoundedSlope() {
    return this.#loss.steepest <= Number.MAX_VALUE;
  }
}
