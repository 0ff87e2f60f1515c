/**
 * Measurements of the whole job from Kafka to Kafka, exactly once: the job's own graph, compared
 * with one that passes the same bytes through.
 */
package io.croupier.bench.speed;
