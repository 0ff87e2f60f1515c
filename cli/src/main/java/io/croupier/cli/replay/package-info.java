/**
 * {@code croupier replay}: recorded reports through ledger and learners, with no Kafka and no
 * Flink.
 */
package io.croupier.cli.replay;
