/** {@code croupier topics}, which creates the topics of a job. */
package io.croupier.cli.topics;
