/**
 * The moving clip: how far gradients are clipped before their noise, found from randomised answers.
 * Pure mathematics on an explicit state.
 *
 * <p>A model that finds its clip asks some people, instead of for a gradient, whether the size of
 * their gradient is above the clip of the round. The answer is one bit, randomised with a
 * {@linkplain io.croupier.accounting.ResponseLaw#strength strength} h. The clip follows the 20 %
 * quantile of the sizes: a smaller clip always leaves more signal per noise, by at most 5 %, but
 * biases the mean further and takes the unit of gradients, which a learner's first step depends on,
 * away from them.
 */
package io.croupier.operators.clip;
