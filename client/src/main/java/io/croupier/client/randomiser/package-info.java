/**
 * Randomisers: they clip one person's gradient, hide it in noise, and say what that is worth.
 *
 * <p>Sources: [CMS11] Chaudhuri, Monteleoni and Sarwate, JMLR 2011 (noise with density proportional
 * to exp(-c ||z||)); [CKS20] Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential
 * Privacy", arXiv:2004.00010 (NeurIPS 2020); [DRS22] Dong, Roth and Su, JRSS B 2022 (mu-GDP);
 * [Lem19] Lemire, "Fast Random Integer Generation in an Interval", ACM TOMACS 2019; [MT00]
 * Marsaglia and Tsang, ACM TOMS 2000 (gamma variates); [BM58] Box and Muller, Ann. Math. Stat.
 * 1958; [Mir12] Mironov, CCS 2012 (what floating-point noise leaks); [Ber17] Bernstein,
 * "Fast-key-erasure random-number generators", 2017.
 */
package io.croupier.client.randomiser;
