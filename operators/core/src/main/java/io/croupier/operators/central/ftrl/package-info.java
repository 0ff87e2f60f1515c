/**
 * DP-FTRL's updates: pure mathematics from noisy prefix sums to weights. Noise and guarantee of the
 * sums are outside of this package; everything in it is post-processing.
 *
 * <p>Notation: d is the dimension, s_t the noisy sum of the gradients of rounds 1 to t, theta_t the
 * weights that round t is evaluated at (theta_(t+1) follows from s_t), theta_0 the initial weights.
 * A mechanism that restarts continues from its last sum, so a learner is independent of restarts.
 * Papers are cited as
 *
 * <ul>
 *   <li>[K21] Kairouz, McMahan, Song, Thakkar, Thakurta and Xu, Practical and Private (Deep)
 *       Learning without Sampling or Shuffling, ICML 2021;
 *   <li>[MS83] More and Sorensen, Computing a Trust Region Step, SIAM J. Sci. Stat. Comput. 1983;
 *   <li>[P94] Pinelis, Optimum Bounds for the Distributions of Martingales in Banach Spaces, Ann.
 *       Probab. 1994;
 *   <li>[vdH19] and [OP16] as in {@code io.croupier.operators.learner}.
 * </ul>
 */
package io.croupier.operators.central.ftrl;
