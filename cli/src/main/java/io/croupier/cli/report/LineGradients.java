package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.client.ModelSnapshot;
import java.io.BufferedReader;
import java.io.IOException;

/** Gradients on standard input, one a line; empty lines don't count. */
final class LineGradients implements Gradients {
  private final BufferedReader lines;
  private final PublishedModel model;
  private long number;

  LineGradients(BufferedReader lines, PublishedModel model) {
    this.lines = lines;
    this.model = model;
  }

  @Override
  public EvaluatedGradient next() {
    String text;
    do {
      text = read();
      number++;
    } while (text != null && text.isBlank());
    if (text == null) {
      return null;
    }
    // Asked for only now: while the line was waited for, a newer one may have come.
    ModelSnapshot newest = model.newest();
    try {
      GradientLine line = GradientLine.parse(text, newest.dimension());
      long round = line.roundOr(newest.round());
      model.requirePublished(round);
      return new EvaluatedGradient(newest, round, line.gradient());
    } catch (InputException e) {
      throw new InputException("Standard input, %s: %s".formatted(place(), e.getMessage()), e);
    }
  }

  private String read() {
    try {
      return lines.readLine();
    } catch (IOException e) {
      throw new InputException("Standard input can't be read: " + e.getMessage(), e);
    }
  }

  @Override
  public String place() {
    return "line " + number;
  }

  /** Of a file all lines; of a program, which may never end, those that it has written. */
  @Override
  public String left() {
    long waiting = 0;
    try {
      while (lines.ready() && lines.readLine() != null) {
        waiting++;
      }
    } catch (IOException e) {
      // What can't be read is not counted.
      return "what follows";
    }
    return "at least %d more".formatted(waiting);
  }

  @Override
  public long size() {
    return -1;
  }
}
