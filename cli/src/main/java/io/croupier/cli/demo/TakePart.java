package io.croupier.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.croupier.accounting.privunit.PrivUnitLaw;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.cli.data.DataSet;
import io.croupier.cli.demo.ComparedLearner.LearnerKind;
import io.croupier.cli.watch.PageSection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The section of the live page in which a visitor's browser is one of the devices: it reports to
 * one model, by {@code priv_unit} and randomised bits of the demonstration's epsilon.
 */
final class TakePart {
  /** Reports after which a browser stops. */
  private static final int MOST_REPORTS = 5;

  private static final String CENSUS = "census";

  private TakePart() {}

  /**
   * The section; none if the data are not the census, whose questions it contains, or there is no
   * model that takes such reports.
   */
  static PageSection section(
      DataSet data, List<ComparedLearner> learners, DemoParameters parameters) {
    Optional<ComparedLearner> model = model(learners);
    if (!data.name().equals(CENSUS) || model.isEmpty()) {
      return PageSection.NONE;
    }
    return new PageSection(
        read("take-part.html"),
        Map.of(
            "take-part.js",
            read("take-part.js"),
            "take-part.css",
            read("take-part.css"),
            "census.js",
            read("census.js"),
            "take-part.json",
            settings(data, model.get(), parameters).toString()));
  }

  /** The one that finds its clip, or another one that any noise suits. */
  private static Optional<ComparedLearner> model(List<ComparedLearner> learners) {
    return learners.stream()
        .filter(ComparedLearner::findsClip)
        .findFirst()
        .or(
            () ->
                learners.stream()
                    .filter(learner -> !learner.isCentral() && learner.kind() != LearnerKind.BANCO)
                    .findFirst());
  }

  private static JsonObject settings(
      DataSet data, ComparedLearner model, DemoParameters parameters) {
    double epsilon = Math.min(PrivUnitLaw.MOST_EPSILON, parameters.epsilon());
    JsonArray features = new JsonArray();
    data.features().forEach(features::add);
    JsonObject settings = new JsonObject();
    settings.addProperty("run", UUID.randomUUID().toString());
    settings.addProperty("model", model.modelId());
    settings.addProperty("label", model.label());
    settings.addProperty("epsilon", epsilon);
    settings.addProperty("length", length(data.features().size(), epsilon));
    settings.addProperty("limit", MOST_REPORTS * epsilon);
    settings.addProperty("scale", data.scale());
    settings.add("features", features);
    return settings;
  }

  /** Of the vectors that a browser's reports stand for, in units of the clip. */
  private static double length(int dimension, double epsilon) {
    return new PrivUnitLaws()
        .near(dimension, epsilon, PrivUnitLaw.defaultCandidates(epsilon))
        .scale();
  }

  private static String read(String name) {
    try (InputStream in = TakePart.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
