/**
 * {@code croupier report}, through which programs in any language take part: it reads gradients, or
 * data with a named loss, and sends reports. No message, file or progress bar contains raw values.
 */
package io.croupier.cli.report;
