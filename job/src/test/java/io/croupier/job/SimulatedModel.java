package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.operators.model.LocalModel;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.report.Received;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.ReportDecoder;
import io.croupier.operators.report.Source;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.util.Random;

/**
 * One local model of {@link LearningScenario} without a job, and the users who train it. It
 * measures results under other seeds.
 */
final class SimulatedModel {
  private final LocalModel model;
  private final ReportIntake intake;
  private final ReportDecoder decoder = new ReportDecoder();
  private final LogisticAnswers people;
  private ModelUpdate visible;

  /** A model whose initial weights are visible. */
  SimulatedModel(ModelSpec spec, long seed) throws InvalidProtocolBufferException {
    ModelSpec current = ModelSpecs.current(spec);
    model = new LocalModel(current, 0);
    intake = new ReportIntake(current, 0);
    people = new LogisticAnswers(new Random(seed));
    publish();
  }

  /** Adds {@code reports} reports, evaluated at the newest publication, and publishes again. */
  void learn(int reports) throws InvalidProtocolBufferException {
    for (int i = 0; i < reports; i++) {
      GradientReport report = people.noised(visible).setUserId("u").setSequence(i + 1).build();
      Received decoded =
          decoder.decode("u".getBytes(UTF_8), report.toByteArray(), false, Source.unknown(0));
      if (!(decoded instanceof Report read)) {
        throw new AssertionError("A malformed report to " + report.getModelId());
      }
      model.add(intake.withoutUser(read));
    }
    publish();
  }

  private void publish() throws InvalidProtocolBufferException {
    visible = ModelUpdate.parseFrom(model.publish(true, 0).orElseThrow().toByteArray());
    model.confirm();
  }

  /** Loss of the published average, in nats. */
  double loss() {
    return LogisticProblem.loss(LearningScenario.average(visible));
  }
}
