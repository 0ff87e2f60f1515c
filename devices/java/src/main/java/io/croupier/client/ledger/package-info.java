/**
 * The device's ledger: every report is charged, stored and made durable before it leaves the
 * device.
 *
 * <p>Independent of Kafka; {@link io.croupier.client.GradientReporter} sends the stored reports.
 */
package io.croupier.client.ledger;
