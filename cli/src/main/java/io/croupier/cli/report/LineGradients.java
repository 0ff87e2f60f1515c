package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.client.ModelSnapshot;
import java.io.BufferedReader;
import java.io.IOException;

/** Gradients on standard input, one per line; blank lines are skipped. */
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
    // A newer update may have arrived while this thread waited for the line.
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

  /** Counts all remaining lines of a file, but only those that a running program has written. */
  @Override
  public String left() {
    long waiting = 0;
    try {
      while (lines.ready() && lines.readLine() != null) {
        waiting++;
      }
    } catch (IOException e) {
      // Unreadable lines are not counted.
      return "what follows";
    }
    return "at least %d more".formatted(waiting);
  }

  @Override
  public long size() {
    return -1;
  }
}
