/**
 * The {@code croupier} command, and what all subcommands share; each subcommand has a package
 * below.
 */
package io.croupier.cli;
