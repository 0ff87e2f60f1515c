/**
 * What randomised answers of some people imply about all: estimates of fractions, free of Flink.
 *
 * <p>Sources: [Bar72] Barlow, Bartholomew, Bremner and Brunk, "Statistical Inference under Order
 * Restrictions", 1972 (isotonic regression); [Ber24] Bernstein, 1924, as in Boucheron, Lugosi and
 * Massart, "Concentration Inequalities", 2013, section 2.8 (how far a sum of bounded variables is
 * from its mean); [BNST17] Bassily, Nissim, Stemmer and Thakurta, NeurIPS 2017 (a trie of frequent
 * prefixes); [HRMS21] Howard, Ramdas, McAuliffe and Sekhon, Ann. Statist. 2021 (bounds that hold at
 * all times); [HWC74] Held, Wolfe and Crowder, Math. Programming 1974 (the nearest point of a
 * simplex); [Kis65] Kish, "Survey Sampling", 1965 (the effective size of a weighted sample);
 * [Rob70] Robbins, Ann. Math. Statist. 1970 (a mixture of bounds); [Vil39] Ville, 1939 (how large a
 * supermartingale ever is); [War65] Warner, JASA 1965 (randomised response); [WASKR24]
 * Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Ann. Statist. 2024 (bounds for all times, as
 * samples grow); [Wil27] Wilson, JASA 1927 (the score interval); [ZKM20] Zhu, Kairouz, McMahan, Sun
 * and Li, AISTATS 2020 (a trie of frequent prefixes by interactive votes).
 */
package io.croupier.operators.evaluation;
