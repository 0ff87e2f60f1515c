/**
 * The library for a person's device: it follows the newest model, randomises gradients and reports
 * them.
 *
 * <p>Reports travel over Kafka or over a gateway's HTTP API. Only {@link
 * io.croupier.client.KafkaReportTransport} and {@link io.croupier.client.ModelSubscriber} require
 * Kafka's client; nothing here requires Flink.
 */
package io.croupier.client;
