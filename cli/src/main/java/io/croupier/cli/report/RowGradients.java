package io.croupier.cli.report;

import io.croupier.cli.follow.PublishedModel;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.Rows;
import io.croupier.client.ledger.DataKey;
import java.util.List;
import java.util.function.Predicate;

/**
 * Gradients of one person's rows: of their mean loss, one for each published round, or one for each
 * row. Each gradient is evaluated at the newest weights and has their round. The ledger decides
 * later which rounds this device answers. They end early once all data were reported.
 */
final class RowGradients implements Gradients {
  private final List<Rows> parts;
  private final boolean eachRow;
  private final PublishedModel model;
  private final KeyOptions keys;
  private final Predicate<DataKey> isReported;
  private final long rounds;

  /** The update at which the last gradient was evaluated. */
  private ModelSnapshot round;

  private long roundsSeen;
  private int nextRow;

  /**
   * Prepares the gradients of {@code rows}.
   *
   * @param eachRow whether each row is reported separately
   * @param rounds number of published rounds to process, or of passes over the rows
   * @param isReported whether data were reported as often as their key allows
   */
  RowGradients(
      Rows rows,
      boolean eachRow,
      PublishedModel model,
      long rounds,
      KeyOptions keys,
      Predicate<DataKey> isReported) {
    this.parts = eachRow ? rows.each() : List.of(rows);
    this.eachRow = eachRow;
    this.model = model;
    this.rounds = rounds;
    this.keys = keys;
    this.isReported = isReported;
    nextRow = parts.size();
  }

  @Override
  public EvaluatedGradient next() {
    if (nextRow < parts.size()) {
      // A round may end before all rows are reported; reports at its weights would become stale.
      round = model.newest();
    } else if (roundsSeen == 0 || (roundsSeen < rounds && !isOver())) {
      // For a retired model, newest() throws.
      round = round == null ? model.newest() : another(round.round());
      roundsSeen++;
      nextRow = 0;
    } else {
      return null;
    }
    Rows rows = parts.get(nextRow++);
    return new EvaluatedGradient(round.terms(), rows.at(round, key(rows)));
  }

  private ModelSnapshot another(long known) {
    return model.after(update -> update.round() == known).orElseGet(model::newest);
  }

  private DataKey key(Rows rows) {
    return keys.of(rows.key());
  }

  /** Waiting for another round would be without effect. */
  private boolean isOver() {
    return parts.stream().map(this::key).allMatch(isReported);
  }

  @Override
  public String place() {
    return eachRow ? "row " + nextRow : "the answer to round " + round.round();
  }

  @Override
  public String left() {
    return "%d more".formatted(size() - (roundsSeen - 1) * parts.size() - nextRow);
  }

  @Override
  public long size() {
    return Math.multiplyExact(rounds, parts.size());
  }
}
