package io.croupier.cli.plan;

import io.croupier.cli.account.Digits;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The loss of a plan by the number of people. */
final class PlanPlot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 540;

  /** 72 would be one pixel a point. */
  private static final int DPI = 108;

  private static final Color BLUE = new Color(0x0072B2);
  private static final BasicStroke THICK = new BasicStroke(2.4f);
  private static final BasicStroke THIN = new BasicStroke(1.2f);

  /** On each side of the number of people. */
  private static final double DECADES = 2;

  private static final int STEPS = 80;

  private final XYChart chart;
  private final double[] people;

  PlanPlot(Plan plan, double reporting) {
    people =
        IntStream.rangeClosed(-STEPS, STEPS)
            .mapToDouble(i -> reporting * Math.pow(10, DECADES * i / STEPS))
            .toArray();
    chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title("%d features, epsilon %s".formatted(plan.features(), Digits.all(plan.epsilon())))
            .xAxisTitle("people")
            .yAxisTitle("loss")
            .build();
    chart
        .getStyler()
        .setChartBackgroundColor(Color.WHITE)
        .setPlotBackgroundColor(Color.WHITE)
        .setLegendBorderColor(Color.WHITE)
        .setChartTitleBoxVisible(false)
        .setLegendPosition(Styler.LegendPosition.InsideNE);
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setXAxisTickLabelsFormattingFunction(Plan::count);
    line("likely", number -> plan.loss(number).likely(), BLUE, THICK);
    line("upper limit of 9 in 10 cases", number -> plan.loss(number).high(), BLUE, THIN);
    line("lower limit", number -> plan.loss(number).low(), BLUE, SeriesLines.DASH_DASH);
    line("no model", number -> plan.untrained(), Color.DARK_GRAY, SeriesLines.DOT_DOT);
    line("raw data", number -> plan.best(), Color.GRAY, SeriesLines.DOT_DOT);
    point(
        "%s people".formatted(Digits.count((long) reporting)),
        reporting,
        plan.loss(reporting).likely());
  }

  private void line(String label, DoubleUnaryOperator loss, Color colour, BasicStroke stroke) {
    double[] losses = new double[people.length];
    for (int i = 0; i < losses.length; i++) {
      losses[i] = loss.applyAsDouble(people[i]);
    }
    XYSeries series = chart.addSeries(label, people, losses);
    series.setLineColor(colour).setLineStyle(stroke);
    series.setMarker(SeriesMarkers.NONE);
  }

  private void point(String label, double x, double y) {
    XYSeries series = chart.addSeries(label, new double[] {x}, new double[] {y});
    series.setLineStyle(SeriesLines.NONE);
    series.setMarker(SeriesMarkers.CIRCLE);
    series.setMarkerColor(BLUE);
  }

  /** Writes a PNG file. */
  void save(Path file) throws IOException {
    BitmapEncoder.saveBitmapWithDPI(chart, file.toString(), BitmapFormat.PNG, DPI);
  }
}
