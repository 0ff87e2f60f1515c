/**
 * What randomised answers of some people imply about all: estimates of fractions, free of Flink.
 *
 * <p>Sources: [Bar72] Barlow, Bartholomew, Bremner and Brunk, "Statistical Inference under Order
 * Restrictions", 1972 (isotonic regression); [Fie54] Fieller, JRSS B 1954 (where a fitted line has
 * a given height); [HWC74] Held, Wolfe and Crowder, Math. Programming 1974 (the nearest point of a
 * simplex); [War65] Warner, JASA 1965 (randomised response); [Wil27] Wilson, JASA 1927 (the score
 * interval); [Kis65] Kish, "Survey Sampling", 1965 (the effective size of a weighted sample).
 */
package io.croupier.operators.evaluation;
