/** The job's topics on Kafka: their settings and rights, sources, sink, and readers. */
package io.croupier.job.kafka;
