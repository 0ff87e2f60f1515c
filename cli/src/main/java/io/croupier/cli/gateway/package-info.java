/** The {@code gateway} command. */
package io.croupier.cli.gateway;
