package io.croupier.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import org.junit.jupiter.api.Test;

class CurveTest {

  @Test
  void keepsBothEndsInBoundedMemory() {
    Curve curve = new Curve();
    for (int x = 0; x <= 100_000; x++) {
      curve.add(x, -x);
      assertThat(curve.newest().get(0).getAsInt()).isEqualTo(x);
    }

    JsonArray points = curve.json();
    assertThat(points.size()).isBetween(Curve.MOST_POINTS / 2, Curve.MOST_POINTS);
    assertThat(points.get(0).toString()).isEqualTo("[0,0]");
    assertThat(points.get(points.size() - 1).toString()).isEqualTo("[100000,-100000]");
    double widest = 0;
    for (int i = 1; i < points.size(); i++) {
      widest = Math.max(widest, x(points, i) - x(points, i - 1));
    }
    assertThat(widest).isLessThan(100_000 / 25.0);
  }

  @Test
  void replacesAPointAtTheSamePlace() {
    Curve curve = new Curve();
    curve.add(0, 1);
    curve.add(0, 2);
    curve.add(5, 3);

    assertThat(curve.json().toString()).isEqualTo("[[0,2],[5,3]]");
  }

  @Test
  void beginsAnewWithAModelThatStartsAgain() {
    Curve curve = new Curve();
    curve.add(7, 1);
    curve.add(2, 0.5);

    assertThat(curve.json().toString()).isEqualTo("[[2,0.5]]");
  }

  private static double x(JsonArray points, int i) {
    return points.get(i).getAsJsonArray().get(0).getAsDouble();
  }
}
