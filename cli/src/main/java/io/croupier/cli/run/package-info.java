/** {@code croupier run}, which runs the job in its own process. */
package io.croupier.cli.run;
