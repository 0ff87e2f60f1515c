package io.croupier.cli.replay;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
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
            "%,d reports in %.1f s: %,.0f per second",
            counts.reports(),
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
    List<ColumnData<ReplayedModel>> columns = new ArrayList<>();
    columns.add(text("model", Summary::id));
    columns.add(
        text("learner", model -> model.spec().getLearnerCase().name().toLowerCase(Locale.ROOT)));
    columns.add(number("rounds", ReplayedModel::round));
    columns.add(number("admitted", model -> counts.of(id(model)).admitted()));
    columns.add(number("used", ReplayedModel::used));
    if (models.stream().anyMatch(model -> model.answers() > 0)) {
      columns.add(number("answers", ReplayedModel::answers));
    }
    columns.add(number("open", ReplayedModel::open));
    columns.add(number("too old", ReplayedModel::droppedStale));
    columns.add(number("unpublished", ReplayedModel::droppedUnpublished));
    if (models.stream().anyMatch(model -> model.droppedBound() > 0)) {
      columns.add(number("other bound", ReplayedModel::droppedBound));
    }
    columns.add(number("refused", model -> counts.of(id(model)).refused()));
    columns.add(number("duplicates", model -> counts.of(id(model)).duplicates()));
    return AsciiTable.getTable(
        AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS_NO_OUTSIDE_BORDER, models, columns);
  }

  private static String id(ReplayedModel model) {
    return model.spec().getModelId();
  }

  private static ColumnData<ReplayedModel> text(
      String header, Function<ReplayedModel, String> cell) {
    return new Column()
        .header(header)
        .headerAlign(HorizontalAlign.LEFT)
        .dataAlign(HorizontalAlign.LEFT)
        .with(cell);
  }

  private static ColumnData<ReplayedModel> number(
      String header, ToLongFunction<ReplayedModel> cell) {
    return new Column()
        .header(header)
        .headerAlign(HorizontalAlign.RIGHT)
        .dataAlign(HorizontalAlign.RIGHT)
        .with(model -> String.format(Locale.ROOT, "%,d", cell.applyAsLong(model)));
  }
}
