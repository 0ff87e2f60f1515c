package io.croupier.studies;

import io.croupier.bench.Figure;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.IOException;
import java.nio.file.Path;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Curves over logarithmic axes. */
final class Plot implements Figure {
  private static final BasicStroke SOLID = new BasicStroke(1.8f);

  private static final Marker[] MARKS = {
    SeriesMarkers.CIRCLE,
    SeriesMarkers.SQUARE,
    SeriesMarkers.TRIANGLE_UP,
    SeriesMarkers.DIAMOND,
    SeriesMarkers.TRIANGLE_DOWN,
  };

  private final XYChart chart;

  Plot(String title, String xTitle, String yTitle) {
    this(title, xTitle, yTitle, ChartStyle.WIDTH, ChartStyle.HEIGHT);
  }

  private Plot(String title, String xTitle, String yTitle, int width, int height) {
    chart =
        new XYChartBuilder()
            .width(width)
            .height(height)
            .title(title)
            .xAxisTitle(xTitle)
            .yAxisTitle(yTitle)
            .build();
    ChartStyle.apply(chart.getStyler());
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(ChartStyle::tick);
  }

  /**
   * A small plot for {@link Panels}, its legend in the lower left corner.
   *
   * @param lowest lower end of the vertical axis
   * @param highest its upper end; curves leave the plot there
   */
  static Plot panel(String title, String xTitle, String yTitle, double lowest, double highest) {
    Plot plot = new Plot(title, xTitle, yTitle, ChartStyle.PANEL_WIDTH, ChartStyle.PANEL_HEIGHT);
    plot.chart
        .getStyler()
        .setYAxisMin(lowest)
        .setYAxisMax(highest)
        .setLegendPosition(Styler.LegendPosition.InsideSW)
        .setLegendPadding(3)
        .setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 10));
    return plot;
  }

  @Override
  public String title() {
    return chart.getTitle();
  }

  XYChart chart() {
    return chart;
  }

  /** Makes the vertical axis a linear one. */
  Plot shares() {
    chart
        .getStyler()
        .setYAxisLogarithmic(false)
        .setYAxisTickLabelsFormattingFunction(share -> NumberLabels.fixed(share, 2));
    return this;
  }

  /** Makes the vertical axis a linear one, from 0. */
  Plot linear() {
    chart.getStyler().setYAxisLogarithmic(false).setYAxisMin(0.0);
    return this;
  }

  /** A learner's curve, a mark at every point. */
  Plot learner(String learner, double[] x, double[] y) {
    return curve(learner, x, y, ChartStyle.colour(learner), 0);
  }

  /** Any curve; curves of one colour differ in their marks. */
  Plot curve(String label, double[] x, double[] y, Color colour, int kind) {
    add(label, x, y, colour, SOLID).setMarker(MARKS[kind]).setMarkerColor(colour);
    return this;
  }

  /** Marks alone; those of one colour differ in their kind. */
  Plot points(String label, double[] x, double[] y, Color colour, int kind) {
    add(label, x, y, colour, SeriesLines.NONE).setMarker(MARKS[kind]).setMarkerColor(colour);
    return this;
  }

  /** A learner's curve without marks. */
  Plot line(String learner, double[] x, double[] y) {
    add(learner, x, y, ChartStyle.colour(learner), SOLID);
    return this;
  }

  /** Any curve without marks. */
  Plot line(String label, double[] x, double[] y, Color colour) {
    add(label, x, y, colour, SOLID);
    return this;
  }

  /** The best tuned competitor. */
  Plot oracle(double[] x, double[] y) {
    add("best tuned LDP-ASGD", x, y, Color.DARK_GRAY, SeriesLines.DASH_DASH);
    return this;
  }

  /** Doing nothing. */
  Plot zero(double[] x, double[] y) {
    add("never moving", x, y, Color.DARK_GRAY, SeriesLines.DOT_DOT);
    return this;
  }

  private XYSeries add(String label, double[] x, double[] y, Color colour, BasicStroke stroke) {
    XYSeries series = chart.addSeries(label, x, y);
    series.setLineColor(colour);
    series.setLineStyle(stroke);
    series.setMarker(SeriesMarkers.NONE);
    return series;
  }

  @Override
  public void save(Path file) throws IOException {
    ChartStyle.save(chart, file);
  }
}
