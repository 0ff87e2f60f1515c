/**
 * The library for a person's device: it follows the newest model, randomises gradients and reports
 * them.
 *
 * <p>Requires Kafka's client and Croupier's records, but not Flink.
 */
package io.croupier.client;
