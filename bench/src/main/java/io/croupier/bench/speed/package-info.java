/**
 * How fast the whole job is, from Kafka to Kafka, exactly once: the job's own graph beside one that
 * passes the same bytes through.
 */
package io.croupier.bench.speed;
