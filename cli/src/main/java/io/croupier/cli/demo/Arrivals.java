package io.croupier.cli.demo;

/** The people of a demonstration while they report. */
interface Arrivals {

  /** The number of people who have come, whether or not a model has asked them. */
  long reported();

  /** The number of reports sent so far, including raw ones, and of tokens asked for. */
  long sent();

  /** The number that {@link #sent} will be, less the reports that are known not to come. */
  long due();

  /** The total number of people. */
  long size();
}
