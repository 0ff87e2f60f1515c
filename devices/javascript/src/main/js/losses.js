// Losses of a linear prediction, and sizes of gradients

import { check, checkValue, checkVector, isPositive, kindOf, optionsOf } from './checks.js';
import { portableExp, portableLog1p, probabilityOf } from './portable.js';

/** Huber's constant, with 95 % of the efficiency of least squares for normal residuals. */
export const HUBER_C = 1.345;

/** The cross-entropy log(1 + e^p) - y p of a prediction p (log odds) and a target of 0 or 1. */
export const logistic = Object.freeze({
  name: 'logistic',
  hasClasses: true,
  steepest: 1,
  value(prediction, target) {
    const wrong = target > 0.5 ? -prediction : prediction;
    return Math.max(wrong, 0) + portableLog1p(portableExp(-Math.abs(wrong)));
  },
  slope(prediction, target) {
    return target > 0.5 ? -probabilityOf(-prediction) : probabilityOf(prediction);
  },
});

/** The place of the highest score, the first one of several. */
export function highest(scores) {
  let place = 0;
  for (let c = 1; c < scores.length; c++) {
    place = scores[c] > scores[place] ? c : place;
  }
  return place;
}

/**
 * The cross-entropy of the softmax of k scores <x, w_c> and a target from 0 to k - 1. The weights w of the model
 * are the w_c, one after the other.
 *
 * @param classes the number k, at least 2
 */
export function softmax(classes) {
  checkValue(Number.isInteger(classes) && classes >= 2, 'number of classes', classes, 'a whole number of at least 2');
  return Object.freeze({
    name: 'softmax',
    hasClasses: true,
    classes,
    steepest: Math.SQRT2,
    value(scores, target) {
      checkVector(scores, 'the scores', classes);
      const place = highest(scores);
      const others = scores.reduce((sum, score, c) => (c === place ? sum : sum + portableExp(score - scores[place])), 0);
      return scores[place] - scores[target] + portableLog1p(others);
    },
    /** The scores of the classes at weights of the model. */
    scores(weights, x) {
      checkVector(weights, 'the weights');
      checkVector(x, 'the features');
      check(
        weights.length === classes * x.length, 'number of weights', weights.length,
        `${classes} times that of the features, ${x.length}`);
      return Float64Array.from({ length: classes }, (_, c) => {
        let score = 0;
        for (let j = 0; j < x.length; j++) {
          score += weights[c * x.length + j] * x[j];
        }
        return score;
      });
    },
    probabilities(scores) {
      checkVector(scores, 'the scores', classes);
      const place = highest(scores);
      const powers = scores.map((score) => portableExp(score - scores[place]));
      const sum = powers.reduce((total, power) => total + power, 0);
      return powers.map((power) => power / sum);
    },
    /** The class of the highest score, the first one of several. */
    predicted(scores) {
      checkVector(scores, 'the scores', classes);
      return highest(scores);
    },
    slopes(scores, target) {
      const slopes = this.probabilities(scores);
      // The sum of the others, since 1 - p would cancel.
      slopes[target] = -slopes.reduce((total, slope, c) => (c === target ? total : total + slope), 0);
      return slopes;
    },
  });
}

/** Half the square of the residual. Its slope has no bound. */
export const squared = Object.freeze({
  name: 'squared',
  hasClasses: false,
  steepest: Infinity,
  value(prediction, target) {
    const residual = prediction - target;
    return (residual * residual) / 2;
  },
  slope(prediction, target) {
    return prediction - target;
  },
});

/** The absolute value of the residual; where it is 0, the slope is 0. */
export const absolute = Object.freeze({
  name: 'absolute',
  hasClasses: false,
  steepest: 1,
  value(prediction, target) {
    return Math.abs(prediction - target);
  },
  slope(prediction, target) {
    return Math.sign(prediction - target);
  },
});

/** max(0, 1 - y p), where y is 1 for a target of 1, and -1 for one of 0; at y p = 1, the slope is 0. */
export const hinge = Object.freeze({
  name: 'hinge',
  hasClasses: true,
  steepest: 1,
  value(prediction, target) {
    return Math.max(0, 1 - (target > 0.5 ? 1 : -1) * prediction);
  },
  slope(prediction, target) {
    const sign = target > 0.5 ? 1 : -1;
    return sign * prediction < 1 ? -sign : 0;
  },
});

/**
 * level (y - p) for targets y above the prediction, otherwise (1 - level) (p - y); where they are equal, the slope is 0.
 *
 * @param level of the quantile that the prediction estimates, above 0, below 1
 */
export function pinball(level) {
  checkValue(typeof level === 'number' && level > 0 && level < 1, 'level', level, 'above 0 and below 1');
  return Object.freeze({
    name: 'pinball',
    hasClasses: false,
    steepest: Math.max(level, 1 - level),
    value(prediction, target) {
      return this.slope(prediction, target) * (prediction - target);
    },
    slope(prediction, target) {
      return target > prediction ? -level : target < prediction ? 1 - level : 0;
    },
  });
}

/**
 * Huber's loss: quadratic up to residuals of c times the scale, and linear from there.
 *
 * @param c in units of the scale
 * @param scale of the residuals
 */
export function huber(options = {}) {
  const { c = HUBER_C, scale = 1 } = optionsOf('huber', options, ['c', 'scale']);
  checkValue(isPositive(c), 'c', c, 'positive and finite');
  checkValue(isPositive(scale), 'scale', scale, 'positive and finite');
  return Object.freeze({
    name: 'huber',
    hasClasses: false,
    steepest: c,
    value(prediction, target) {
      const residual = Math.abs(prediction - target) / scale;
      return scale * (residual <= c ? (residual * residual) / 2 : c * (residual - c / 2));
    },
    slope(prediction, target) {
      return Math.max(-c, Math.min(c, (prediction - target) / scale));
    },
  });
}

/** The L2 norm, without overflow or underflow of the squares; NaN or infinite if a coordinate is. */
export function norm(vector) {
  checkVector(vector, 'the vector');
  let largest = 0;
  for (const value of vector) {
    largest = Math.max(largest, Math.abs(value));
  }
  if (!(largest > 0 && largest <= Number.MAX_VALUE)) {
    return largest;
  }
  let sum = 0;
  for (const value of vector) {
    const ratio = value / largest;
    sum += ratio * ratio;
  }
  return largest * Math.sqrt(sum);
}

/**
 * Mallows weights min(1, k / ||x||) of rows. With Huber's loss and k = G / c, no gradient is longer than G.
 *
 * @param features the rows
 * @param k the norm above which a row is weighted down; positive
 */
export function mallowsWeights(features, k) {
  check(Array.isArray(features), 'features', kindOf(features), 'an array of rows');
  checkValue(isPositive(k), 'k', k, 'positive and finite');
  return features.map((row) => {
    const length = norm(row);
    return length > k ? k / length : 1;
  });
}

/** Whether a size is above the clip. A size that is no number of at least 0 counts as infinite. */
export function isSizeAbove(size, clip) {
  return !(size >= 0 && size <= clip);
}

/** The gradient times min(1, clip / size). */
export function scaledBy(gradient, size, clip) {
  if (!isSizeAbove(size, clip)) {
    return gradient;
  }
  const factor = size > clip ? clip / size : 0;
  return Float64Array.from(gradient, (value) => factor * value);
}
