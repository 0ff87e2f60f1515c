/**
 * The mechanisms by which reports are randomised: for each its parameters, what a report costs, and
 * what learners may rely on. Devices, the ledger, replays and the commands use the same classes.
 *
 * <p>Neighbouring relation: replace-one. G is the model's gradient bound, d its dimension.
 *
 * <p>Sources: [BS16] Bun and Steinke, TCC 2016; [JO19] Jun and Orabona, Parameter-Free Locally
 * Differentially Private Stochastic Subgradient Descent, arXiv:1911.09564 (BANCO, which needs
 * sub-exponential variances).
 */
package io.croupier.accounting.mechanism;
