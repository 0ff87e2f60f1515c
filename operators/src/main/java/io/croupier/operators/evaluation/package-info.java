/**
 * What randomised answers of some people imply about all: estimates of fractions, free of Flink.
 *
 * <p>Sources: [HWC74] Held, Wolfe and Crowder, Math. Programming 1974 (the nearest point of a
 * simplex); [War65] Warner, JASA 1965 (randomised response); [Wil27] Wilson, JASA 1927 (the score
 * interval); [Kis65] Kish, "Survey Sampling", 1965 (the effective size of a weighted sample).
 */
package io.croupier.operators.evaluation;
