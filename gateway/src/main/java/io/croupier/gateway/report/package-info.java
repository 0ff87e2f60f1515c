/** From the body of a request to a report on Kafka. */
package io.croupier.gateway.report;
