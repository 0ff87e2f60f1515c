package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;
import java.util.Arrays;

/**
 * All reports between two publications, in parts: one for each publication that they name, oldest
 * first. With omega the weight of a report, a power of two:
 *
 * <pre>
 *   s_j = sum of omega g~;  Omega_j = sum of omega;  Omega = sum of the Omega_j
 *   n = Omega^2 / sum of omega^2, the effective number of reports
 * </pre>
 *
 * <p>Its owner reuses it from round to round. It doesn't depend on the order of the reports.
 */
public final class Round {

  /** The reports of a round that name one publication. */
  public static final class Part {
    /** The publication that the reports name. */
    public long publication;

    /** Omega_j, positive. */
    public double weight;

    /** Sum of omega^2, positive. */
    public double squaredWeight;

    /**
     * Sum of omega^2 sigma1^2, sigma1^2 the variance that a report declares along one direction.
     */
    public double variance;

    /** G of the publication: the bound on the norm of the gradients without noise; positive. */
    public double gradientBound;

    /**
     * s_j, shape [d], or of a sparse part its values at {@link #coordinates}; longer arrays are
     * allowed.
     */
    public double[] sum = {};

    /** Of a sparse part, the coordinates that its reports touch, ascending; else null. */
    public int[] coordinates;

    /** Number of {@link #coordinates}. */
    public int count;

    /** Of sparse reports: at each value of {@link #sum}, the sums of omega and omega^2; or null. */
    public double[] touching;

    public double[] touchingSquared;

    /** The weights of the dense reports, which touch every coordinate. */
    public double denseWeight;

    public double denseSquaredWeight;

    /** Returns whether only the listed coordinates may differ from 0. */
    public boolean isSparse() {
      return coordinates != null;
    }

    /** Adds {@code factor} times s_j to {@code into}, shape [d]. */
    void addTo(double[] into, double factor) {
      if (!isSparse()) {
        Vectors.addScaled(factor, sum, into);
        return;
      }
      for (int i = 0; i < count; i++) {
        into[coordinates[i]] += factor * sum[i];
      }
    }

    /** Returns the inner product of s_j and a vector of shape [d]. */
    double dot(double[] vector) {
      if (!isSparse()) {
        return Vectors.dot(sum, vector);
      }
      double dot = 0;
      for (int i = 0; i < count; i++) {
        dot += sum[i] * vector[coordinates[i]];
      }
      return dot;
    }

    private void clear() {
      weight = 0;
      squaredWeight = 0;
      variance = 0;
      coordinates = null;
      touching = null;
      touchingSquared = null;
      denseWeight = 0;
      denseSquaredWeight = 0;
      count = 0;
    }
  }

  private Part[] parts = {};
  private int size;

  /** Number of reports, at least 1. */
  public long reports;

  /** The largest omega of a report. */
  public double largestWeight;

  /** Removes all parts. */
  public void clear() {
    size = 0;
    reports = 0;
    largestWeight = 0;
  }

  /** Adds an empty part, whose publication must be newer than those of the others. */
  public Part add(long publication) {
    if (size == parts.length) {
      parts = Arrays.copyOf(parts, 2 * size + 1);
    }
    if (parts[size] == null) {
      parts[size] = new Part();
    }
    Part part = parts[size++];
    part.clear();
    part.publication = publication;
    return part;
  }

  /** Returns the number of parts. */
  public int size() {
    return size;
  }

  /** Returns a part. */
  public Part part(int i) {
    return parts[i];
  }

  /** Returns Omega. */
  public double weight() {
    double weight = 0;
    for (int i = 0; i < size; i++) {
      weight += parts[i].weight;
    }
    return weight;
  }

  /** Returns n, the effective number of reports, at least 1. */
  public double effectiveReports() {
    double weight = weight();
    double squares = 0;
    for (int i = 0; i < size; i++) {
      squares += parts[i].squaredWeight;
    }
    return Math.max(1, weight * weight / squares);
  }

  /** Returns the mean of the parts' gradient bounds, by weight. */
  public double gradientBound() {
    double bound = parts[0].gradientBound;
    boolean isFixed = true;
    double sum = 0;
    for (int i = 0; i < size; i++) {
      isFixed &= parts[i].gradientBound == bound;
      sum += parts[i].weight * parts[i].gradientBound;
    }
    return isFixed ? bound : sum / weight();
  }

  /** Returns sum of omega^2 sigma1^2 over Omega^2: the declared variance of the weighted mean. */
  double variance() {
    double variance = 0;
    for (int i = 0; i < size; i++) {
      variance += parts[i].variance;
    }
    double weight = weight();
    return variance / weight / weight;
  }

  /** Returns whether every part is sparse. */
  boolean isSparse() {
    for (int i = 0; i < size; i++) {
      if (!parts[i].isSparse()) {
        return false;
      }
    }
    return true;
  }
}
