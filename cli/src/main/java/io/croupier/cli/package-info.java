/** The {@code croupier} command: one class per subcommand; the packages below implement them. */
package io.croupier.cli;
