/**
 * Randomisers clip one person's gradient, add noise, and state the resulting guarantee.
 *
 * <p>Sources: [CMS11] Chaudhuri, Monteleoni and Sarwate, JMLR 2011 (noise with density proportional
 * to exp(-c ||z||)); [CKS20] Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy", arXiv:2004.00010 (NeurIPS 2020); [DRS22] Dong, Roth and Su, JRSS B 2022 (mu-GDP);
 * [Mir12] Mironov, CCS 2012 (the information that floating-point noise leaks).
 */
package io.croupier.client.randomiser;
