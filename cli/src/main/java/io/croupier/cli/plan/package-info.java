/**
 * {@code croupier plan}, which computes what people would teach a model, and what it costs them.
 */
package io.croupier.cli.plan;
