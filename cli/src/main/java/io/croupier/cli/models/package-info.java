/**
 * {@code croupier models}, and model specs: files of specs, and the topic from which the job reads
 * them.
 */
package io.croupier.cli.models;
