/**
 * The privacy cost of tree aggregation: combinatorics of a binary tree of noise, exact in integers,
 * and the resulting Gaussian mechanism.
 *
 * <p>Notation, as in the papers' appendix D: a tree has one leaf per step; node (h, i) covers the
 * leaves [i 2^h, (i+1) 2^h), counted from 0, and is released with noise N(0, (L sigma)^2) per
 * coordinate when it is complete; L is the clipping norm, sigma the noise multiplier. If the number
 * of steps is not a power of two, nodes that are not complete are never released, unless virtual
 * steps complete the tree. E is the largest number of participations of one user, xi the least
 * number of steps strictly between two of them (after step t, the next is t + xi + 1 at the
 * earliest).
 *
 * <p>zeta is the squared Euclidean sensitivity of the released nodes in units of L^2, under the
 * zero-out relation: the sum over nodes of the squared number of one user's contributions below the
 * node. The release is one Gaussian mechanism with mu = sqrt(zeta) / sigma. Under replace-one, mu
 * is doubled.
 *
 * <p>[KMSTTX21] Kairouz, McMahan, Song, Thakkar, Thakurta and Xu, Practical and Private (Deep)
 * Learning without Sampling or Shuffling, ICML 2021, arXiv:2103.00039. Departures from it, each
 * because the printed text is wrong:
 *
 * <ul>
 *   <li>Theorem C.3: two trees of n steps have 2 ceil(lg(n+1)) nodes above a leaf, not 2 ceil(lg
 *       n);
 *   <li>Algorithm 4, line 3: contributions to the leaves add up (the text assigns 1);
 *   <li>equation 18: infeasible placements come before the base case without contributions;
 *   <li>Theorems 4.1, C.3 and D.1: their closed forms of sigma are too small for the stated
 *       guarantee; noise is calibrated to the exact trade-off of the Gaussian mechanism instead.
 * </ul>
 */
package io.croupier.accounting.tree;
