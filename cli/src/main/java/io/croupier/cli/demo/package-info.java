/**
 * The demonstration: every person of a data set reports to one model per learner, over Kafka, and a
 * table and a page say what came of it.
 */
package io.croupier.cli.demo;
