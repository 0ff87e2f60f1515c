/**
 * What this person has released: charged, stored and made durable before it leaves the device.
 *
 * <p>Knows nothing of Kafka; {@link io.croupier.client.GradientReporter} sends what is kept here.
 */
package io.croupier.client.ledger;
