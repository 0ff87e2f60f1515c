/** The settings of the gateway. */
package io.croupier.gateway.config;
