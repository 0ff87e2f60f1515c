/**
 * What runs on a person's device: follow the newest model, randomise a gradient, report it.
 *
 * <p>Needs Kafka's client and Croupier's records; knows nothing of Flink.
 */
package io.croupier.client;
