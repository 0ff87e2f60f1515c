/**
 * {@code croupier report} and {@code croupier follow}, through which programs in any language take
 * part. The commands read gradients, or data with a named loss, and send reports; they print
 * published weights. No message, file or progress bar contains raw values.
 */
package io.croupier.cli.report;
