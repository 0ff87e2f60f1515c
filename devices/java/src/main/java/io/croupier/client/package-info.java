/**
 * The library for a person's device: it follows the newest model, randomises gradients and reports
 * them.
 *
 * <p>Reports travel over Kafka or over a gateway's HTTP API. Only {@link
 * io.croupier.client.KafkaReportTransport} and {@link io.croupier.client.ModelSubscriber} require
 * Kafka's client; nothing here requires Flink.
 *
 * <p>The public API is this package, its packages {@code ledger}, {@code loss} and {@code
 * randomiser}, and the key of {@code ohttp}. A method that another package needs, and a program
 * doesn't, says so.
 */
package io.croupier.client;
