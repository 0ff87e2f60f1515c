/**
 * {@code croupier replay}, which runs recorded reports through the ledger and the learners, without
 * Kafka or Flink.
 */
package io.croupier.cli.replay;
