/**
 * {@code croupier report} and {@code croupier follow}: what takes part without being written in
 * Java. Gradients come in, on standard input or as data with a named loss, and leave as reports;
 * published weights come out. What is raw never shows in a message, a file or a bar.
 */
package io.croupier.cli.report;
