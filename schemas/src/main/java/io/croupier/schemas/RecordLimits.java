package io.croupier.schemas;

import java.util.ArrayList;
import java.util.List;

/**
 * What the brokers accept of a model's records.
 *
 * @param reportBytes largest record of the gradient topics, in bytes
 * @param updateBytes largest record of the updates topic, in bytes
 */
public record RecordLimits(int reportBytes, int updateBytes) {

  /** Returns why the records of a valid spec don't fit, each with the remedy; empty if they do. */
  public List<String> obstacles(ModelSpec spec) {
    List<String> obstacles = new ArrayList<>();
    String dimension = "dimension is " + spec.getDimension();
    check(obstacles, dimension, "reports", ModelSpecs.reportBytes(spec), "gradient", reportBytes);
    check(
        obstacles,
        dimension + described(spec),
        "updates",
        ModelSpecs.updateBytes(spec),
        "updates",
        updateBytes);
    return obstacles;
  }

  private static void check(
      List<String> obstacles, String reason, String what, long needed, String topic, int taken) {
    if (needed > taken) {
      obstacles.add(
          ("%s: its %s take up to %d bytes, and the %s topic accepts %d; raise"
                  + " max.message.bytes of the topic, or message.max.bytes of the brokers, to at"
                  + " least %d")
              .formatted(reason, what, needed, topic, taken, needed));
    }
  }

  /** What updates have besides numbers of the model: features and statistics, with their bytes. */
  private static String described(ModelSpec spec) {
    StringBuilder described = new StringBuilder();
    if (spec.getFeaturesCount() > 0) {
      described.append(", features take %d bytes".formatted(ModelSpecs.featureBytes(spec)));
    }
    if (spec.getStatisticsCount() > 0) {
      int estimates = spec.getStatisticsList().stream().mapToInt(Statistics::size).sum();
      described.append(
          ", %d categories and levels of statistics take %d bytes"
              .formatted(estimates, ModelSpecs.statisticBytes(spec)));
    }
    return described.toString();
  }
}
