package io.croupier.studies;

import io.croupier.bench.Figure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** A logarithmic value per learner in each of several cases; lines only guide the eye. */
final class DotPlot implements Figure {
  private final CategoryChart chart;
  private final List<String> cases;

  DotPlot(String title, String xTitle, String yTitle, List<String> cases) {
    this.cases = cases;
    chart =
        new CategoryChartBuilder()
            .width(ChartStyle.WIDTH)
            .height(ChartStyle.HEIGHT)
            .title(title)
            .xAxisTitle(xTitle)
            .yAxisTitle(yTitle)
            .build();
    ChartStyle.apply(chart.getStyler());
    chart
        .getStyler()
        .setDefaultSeriesRenderStyle(CategorySeries.CategorySeriesRenderStyle.Line)
        .setOverlapped(true)
        .setXAxisLabelRotation(25);
  }

  @Override
  public String title() {
    return chart.getTitle();
  }

  /** One dot per case, in the colour of {@code learner}. */
  DotPlot dots(String label, List<Double> values, String learner) {
    chart
        .addSeries(label, cases, values)
        .setMarker(SeriesMarkers.CIRCLE)
        .setMarkerColor(ChartStyle.colour(learner))
        .setLineColor(ChartStyle.colour(learner));
    return this;
  }

  @Override
  public void save(Path file) throws IOException {
    ChartStyle.save(chart, file);
  }
}
