/**
 * Randomisers: they clip one person's gradient, hide it in noise, and say what that is worth.
 *
 * <p>Sources: [CMS11] Chaudhuri, Monteleoni and Sarwate, JMLR 2011 (noise with density proportional
 * to exp(-c ||z||)); [DRS22] Dong, Roth and Su, JRSS B 2022 (mu-GDP); [MT00] Marsaglia and Tsang,
 * ACM TOMS 2000 (gamma variates); [BM58] Box and Muller, Ann. Math. Stat. 1958; [Mir12] Mironov,
 * CCS 2012 (what floating-point noise leaks); [Ber17] Bernstein, "Fast-key-erasure random-number
 * generators", 2017.
 */
package io.croupier.client.randomiser;
