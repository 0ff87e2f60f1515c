package io.croupier.operators.learner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Reference values computed independently with at least 50 digits. */
public final class Golden {
  private Golden() {}

  /** The cases of a file, whose number the test states. */
  public static JsonNode cases(String file, int count) {
    JsonNode cases = read(file).get("cases");
    assertThat(cases).hasSize(count);
    return cases;
  }

  public static JsonNode read(String file) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/" + file)) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The prior of a case. */
  static Prior prior(JsonNode c) {
    return TestLearners.prior(c.get("prior").asText(), c.path("b").asDouble());
  }

  public static double[] vector(JsonNode node) {
    double[] v = new double[node.size()];
    Arrays.setAll(v, i -> node.get(i).asDouble());
    return v;
  }

  /** The largest norm among the rows: trajectories are compared relative to it. */
  public static double largestNorm(JsonNode rows) {
    double largest = 0;
    for (JsonNode row : rows) {
      largest = Math.max(largest, norm(vector(row)));
    }
    return largest;
  }

  public static double norm(double[] v) {
    double norm = 0;
    for (double x : v) {
      norm = Math.hypot(norm, x);
    }
    return norm;
  }

  public static double distance(double[] v, double[] w) {
    double[] difference = new double[v.length];
    Arrays.setAll(difference, i -> v[i] - w[i]);
    return norm(difference);
  }
}
