/** A server in front of Kafka, to which people's devices report over HTTP. */
package io.croupier.gateway;
