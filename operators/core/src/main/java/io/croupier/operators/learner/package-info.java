/**
 * Online learners: pure mathematics on explicit states.
 *
 * <p>Notation: d is the dimension, g~ a noisy subgradient, G the bound on the norm of its mean, w
 * the weights. Learners move against subgradients. Papers are cited as
 *
 * <ul>
 *   <li>[vdH19] van der Hoeven, User-Specified Local Differential Privacy in Unconstrained Adaptive
 *       Online Learning, NeurIPS 2019;
 *   <li>[JO19] Jun and Orabona, Parameter-Free Locally Differentially Private Stochastic
 *       Subgradient Descent, arXiv:1911.09564 (BANCO);
 *   <li>[CO18] Cutkosky and Orabona, Black-Box Reductions for Parameter-free Online Learning in
 *       Banach Spaces, COLT 2018;
 *   <li>[Cut19] Cutkosky, Combining Online Learning Guarantees, COLT 2019;
 *   <li>[OP16] Orabona and Pal, Coin Betting and Parameter-Free Online Learning, NeurIPS 2016;
 *   <li>[OP18] Orabona and Pal, Scale-free Online Learning, TCS 2018;
 *   <li>[dR14] de Rooij, van Erven, Gr&uuml;nwald and Koolen, Follow the Leader If You Can, Hedge
 *       If You Must, JMLR 2014;
 *   <li>[LDP] Non-asymptotic analysis of locally private stochastic gradient descent with
 *       user-specific budgets, eq. 2.
 * </ul>
 */
package io.croupier.operators.learner;
