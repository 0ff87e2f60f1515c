/** The {@code gateway} and {@code relay} commands. */
package io.croupier.cli.gateway;
