package io.croupier.operators.learner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Reference values computed independently with at least 50 digits. */
public final class Golden {
  private Golden() {}

  public static JsonNode cases(String file) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/" + file)) {
      return new ObjectMapper().readTree(in).get("cases");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static double[] vector(JsonNode node) {
    double[] v = new double[node.size()];
    for (int i = 0; i < v.length; i++) {
      v[i] = node.get(i).asDouble();
    }
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
    for (int i = 0; i < v.length; i++) {
      difference[i] = v[i] - w[i];
    }
    return norm(difference);
  }
}
