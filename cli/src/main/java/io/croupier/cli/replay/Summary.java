package io.croupier.cli.replay;

import io.croupier.cli.io.Table;
import io.croupier.schemas.ModelSpecs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** The summary of a replay: a row for each model, and sentences about unused records. */
final class Summary {

  private Summary() {}

  /**
   * Formats the summary.
   *
   * @param notInJournal number of admitted reports that are in no bundle of the journal
   */
  static String of(
      RecordCounts counts, Collection<ReplayedModel> models, long notInJournal, double seconds) {
    List<String> text = new ArrayList<>();
    text.add(table(counts, models));
    text.add("");
    text.add(
        String.format(
            Locale.ROOT,
            "%,d report%s in %.1f s: %,.0f per second",
            counts.reports(),
            counts.reports() == 1 ? "" : "s",
            seconds,
            counts.reports() / seconds));
    if (counts.ofOtherModels() > 0) {
      text.add(
          String.format(
              Locale.ROOT,
              "%,d of them are for models that are not in the models file",
              counts.ofOtherModels()));
    }
    if (notInJournal > 0) {
      text.add(String.format(Locale.ROOT, "%,d of them are not in the journal", notInJournal));
    }
    if (counts.unreadable() > 0) {
      text.add(
          String.format(
              Locale.ROOT,
              "%,d records are not reports; the first is %s",
              counts.unreadable(),
              counts.firstUnreadable()));
    }
    return String.join(System.lineSeparator(), text);
  }

  private static String table(RecordCounts counts, Collection<ReplayedModel> models) {
    List<CountColumn> columns = new ArrayList<>();
    columns.add(new CountColumn("rounds", ReplayedModel::round));
    columns.add(new CountColumn("admitted", model -> counts.of(id(model)).admitted()));
    columns.add(new CountColumn("used", ReplayedModel::used));
    if (models.stream().anyMatch(model -> model.answers() > 0)) {
      columns.add(new CountColumn("answers", ReplayedModel::answers));
    }
    columns.add(new CountColumn("open", ReplayedModel::open));
    columns.add(new CountColumn("too old", ReplayedModel::droppedStale));
    columns.add(new CountColumn("unpublished", ReplayedModel::droppedUnpublished));
    if (models.stream().anyMatch(model -> model.droppedBound() > 0)) {
      columns.add(new CountColumn("other bound", ReplayedModel::droppedBound));
    }
    columns.add(new CountColumn("refused", model -> counts.of(id(model)).refused()));
    columns.add(new CountColumn("duplicates", model -> counts.of(id(model)).duplicates()));

    List<String> header = new ArrayList<>(List.of("model", "learner"));
    columns.forEach(column -> header.add(column.header));
    Table table = new Table(header.toArray(String[]::new)).words("learner");
    for (ReplayedModel model : models) {
      List<String> row = new ArrayList<>();
      row.add(id(model));
      row.add(ModelSpecs.learner(model.spec()));
      columns.forEach(column -> row.add(column.text(model)));
      table.row(row);
    }
    return table.text();
  }

  /** A column of numbers. */
  private record CountColumn(String header, ToLongFunction<ReplayedModel> cell) {
    String text(ReplayedModel model) {
      return String.format(Locale.ROOT, "%,d", cell.applyAsLong(model));
    }
  }

  private static String id(ReplayedModel model) {
    return model.spec().getModelId();
  }
}
