/** The {@code croupier} command. Each command is a class; what they do is in the packages below. */
package io.croupier.cli;
