/**
 * The learner operator: models in keyed state, their publications and timeouts, the journal of what
 * enters them, and metrics.
 */
package io.croupier.operators.flink.learner;
