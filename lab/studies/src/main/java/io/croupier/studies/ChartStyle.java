package io.croupier.studies;

import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;

/**
 * The common style of all pictures: dark on white, a legend at the side, one colour per learner.
 */
final class ChartStyle {
  static final int WIDTH = 900;
  static final int HEIGHT = 540;
  static final int PANEL_WIDTH = 500;
  static final int PANEL_HEIGHT = 400;

  /** 72 would be one pixel a point. */
  private static final int DPI = 108;

  /** Distinguishable with most kinds of colour blindness (Okabe and Ito, 2008). */
  private static final Color[] COLOURS = {
    new Color(0x0072B2), new Color(0xD55E00), new Color(0x009E73), new Color(0xCC79A7),
    new Color(0xE69F00), new Color(0x56B4E9), new Color(0x7F7F00), new Color(0x882255),
  };

  private static final Map<String, Color> OWN =
      Map.of(
          CandidateLearners.BANCO,
          COLOURS[0],
          CandidateLearners.IMPROPER,
          COLOURS[1],
          CandidateLearners.TUNED,
          COLOURS[2],
          CandidateLearners.CONJUGATE,
          COLOURS[3],
          CandidateLearners.ADA_GRAD,
          COLOURS[4],
          CandidateLearners.sgdLabel(1),
          COLOURS[6],
          CandidateLearners.COORDINATE_WISE,
          COLOURS[7]);

  private ChartStyle() {}

  static void apply(AxesChartStyler styler) {
    styler
        .setSeriesColors(COLOURS)
        .setChartBackgroundColor(Color.WHITE)
        .setPlotBackgroundColor(Color.WHITE)
        .setLegendPosition(Styler.LegendPosition.OutsideE)
        .setLegendBorderColor(Color.WHITE)
        .setChartTitleBoxVisible(false)
        .setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 15));
    styler.setPlotGridLinesColor(new Color(0xDDDDDD));
    styler.setYAxisLogarithmic(true);
    styler.setMarkerSize(7);
    styler.setYAxisTickLabelsFormattingFunction(ChartStyle::tick);
  }

  /** Powers of ten as such; other ticks of a logarithmic axis would crowd it. */
  static String tick(double value) {
    return (value >= 1e-2 && value <= 1e3) || value == 0
        ? NumberLabels.short3(value)
        : String.format(Locale.ROOT, "%.0e", value).replaceAll("e\\+?(-?)0*", "e$1");
  }

  /** The colour of a learner, the same in every picture; grey for all others. */
  static Color colour(String learner) {
    return OWN.getOrDefault(learner, Color.DARK_GRAY);
  }

  /** Colours for curves that aren't learners. */
  static Color colour(int kind) {
    return COLOURS[kind];
  }

  /** Saves several charts of one size as one picture with {@code columns} charts per row. */
  static void save(List<? extends Chart<?, ?>> charts, int columns, Path file) throws IOException {
    int rows = (charts.size() + columns - 1) / columns;
    BitmapEncoder.saveBitmap(charts, rows, columns, file.toString(), BitmapFormat.PNG);
  }

  static void save(Chart<?, ?> chart, Path file) throws IOException {
    BitmapEncoder.saveBitmapWithDPI(chart, file.toString(), BitmapFormat.PNG, DPI);
  }
}
