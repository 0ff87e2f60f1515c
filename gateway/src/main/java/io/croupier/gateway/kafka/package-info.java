/** What the gateway reads from and writes to Kafka. */
package io.croupier.gateway.kafka;
