package io.croupier.cli.report;

import io.croupier.cli.InputException;
import io.croupier.cli.follow.PublishedModel;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.client.Sizes;
import io.croupier.client.ledger.DataKey;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.FileErrors;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;

/** Gradients on standard input, one per line; blank lines are skipped. */
final class LineGradients implements Gradients {
  private final BufferedReader lines;
  private final PublishedModel model;
  private final KeyOptions keys;

  /** How often lines without a key occurred, by their numbers: equal ones are different data. */
  private final Map<List<Double>, Integer> seen = new HashMap<>();

  private long number;

  LineGradients(BufferedReader lines, PublishedModel model, KeyOptions keys) {
    this.lines = lines;
    this.model = model;
    this.keys = keys;
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
      RoundTerms terms = model.published(line.roundOr(newest.round()));
      return new EvaluatedGradient(
          terms, new GivenGradient(key(line), line.gradient(), size(line, terms)));
    } catch (InputException e) {
      throw new InputException("Standard input, %s: %s".formatted(place(), e.getMessage()), e);
    }
  }

  private DataKey key(GradientLine line) {
    if (line.key().isPresent()) {
      return keys.of(line.key().get());
    }
    double[] numbers =
        DoubleStream.concat(
                DoubleStream.of((double) line.roundOr(-1), line.size().orElse(-1)),
                Arrays.stream(line.gradient()))
            .toArray();
    int count = seen.merge(Arrays.stream(numbers).boxed().toList(), 1, Integer::sum);
    return keys.of(
        DataKey.digestOf(
            DoubleStream.concat(DoubleStream.of(count), Arrays.stream(numbers)).toArray()));
  }

  /** The norm of the gradient, unless the line has another size. */
  private static double size(GradientLine line, RoundTerms terms) {
    if (line.size().isEmpty()
        && terms.clip().size().equals(Optional.of(AdaptiveClip.Size.FEATURES))) {
      throw new InputException(
          ("'size' is missing; the clip of model '%s' bounds FEATURES, so a line must have the"
                  + " size: slopeBound of the update times the norm of the features")
              .formatted(terms.modelId()));
    }
    return line.size().orElseGet(() -> Sizes.norm(line.gradient()));
  }

  private String read() {
    try {
      return lines.readLine();
    } catch (IOException e) {
      throw new InputException("Standard input: " + FileErrors.unreadable(e), e);
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
    return waiting == 0 ? "what follows" : "at least %d more".formatted(waiting);
  }

  @Override
  public long size() {
    return -1;
  }
}
