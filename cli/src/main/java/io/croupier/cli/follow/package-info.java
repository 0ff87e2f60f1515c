/** {@code croupier follow}, which prints the published updates of a model. */
package io.croupier.cli.follow;
