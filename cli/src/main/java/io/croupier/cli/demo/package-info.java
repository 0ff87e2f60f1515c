/**
 * The demonstration: every person of a data set reports to one model per learner through Kafka; a
 * table and a page show the results.
 */
package io.croupier.cli.demo;
