package io.croupier.studies;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.cli.data.Census;
import io.croupier.cli.data.Problem;
import io.croupier.operators.math.ExactSums;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.math.Vectors;
import io.croupier.operators.model.LocalModel;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.ReportWeight;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.Combined;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whether people who draw their publication teach as much as people who come in turn: the census,
 * combined at the clip 0.25, through the job's own model, at equal numbers of publications.
 *
 * <p>{@code -Druns=N} sets the number of runs (16); the seeds are fixed.
 */
@Tag("thorough")
class AnonymousSlotsTest {
  private static final int RUNS = Integer.getInteger("runs", 16);
  private static final int PUBLICATIONS = 100;
  private static final double CLIP = 0.25;

  /** Of which 28,155 anonymous reports have a central epsilon of 1. */
  private static final double EPSILON = 6.599;

  private static final ModelSpec SPEC =
      ModelSpec.newBuilder()
          .setModelId("census")
          .setDimension(8)
          .setGradientBound(CLIP)
          .setAveraging(CandidateLearners.AVERAGING)
          .setCombined(Combined.getDefaultInstance())
          .build();

  private final Problem census = Census.load().problem();
  private final int dimension = SPEC.getDimension();
  private final Release release = StudiedMechanism.PRIV_UNIT.release(dimension, 1, EPSILON);
  private final int weightExponent = StudiedMechanism.PRIV_UNIT.weightExponent(dimension, EPSILON);

  @Test
  void lossesDontDependOnWhoChoosesThePublication() {
    double[] inTurn = new double[RUNS];
    double[] drawn = new double[RUNS];
    for (int run = 0; run < RUNS; run++) {
      inTurn[run] = loss(false, new SeededRandom(SeededRandom.seed(33, 0, run)));
      drawn[run] = loss(true, new SeededRandom(SeededRandom.seed(33, 1, run)));
    }
    Estimate ofTurn = Estimate.of(inTurn);
    Estimate ofSlots = Estimate.of(drawn);
    System.out.printf("In turn %s, drawn %s, %d runs each%n", ofTurn, ofSlots, RUNS);
    double error = Math.hypot(ofTurn.error(), ofSlots.error());
    assertThat(Math.abs(ofTurn.mean() - ofSlots.mean())).isLessThan(5 * error);
    // As with a trusted operator.
    assertThat(ofSlots.mean()).isLessThan(0.53);
  }

  private double loss(boolean isDrawn, SeededRandom random) {
    List<List<Integer>> reports = new ArrayList<>();
    for (int round = 0; round < PUBLICATIONS; round++) {
      reports.add(new ArrayList<>());
    }
    int[] people = random.permutation(census.size());
    for (int place = 0; place < people.length; place++) {
      int inTurn = (int) ((long) place * PUBLICATIONS / people.length);
      reports.get(isDrawn ? random.below(PUBLICATIONS) : inTurn).add(people[place]);
    }
    LocalModel model = new LocalModel(SPEC, 0);
    ModelUpdateView visible = publish(model);
    for (List<Integer> ofRound : reports) {
      double[] weights = read(visible.getWeights(0).toByteArray());
      for (int person : ofRound) {
        model.add(report(person, visible.getRound(), weights, random));
      }
      visible = publish(model);
    }
    return census.score(read(visible.getAverage(0).toByteArray())).loss();
  }

  private static ModelUpdateView publish(LocalModel model) {
    ModelUpdateView update = model.publish(true, 0).orElseThrow();
    model.confirm();
    return update;
  }

  private double[] read(byte[] packed) {
    double[] values = new double[dimension];
    for (int j = 0; j < dimension; j++) {
      values[j] = PackedVectors.doubleAt(packed, j);
    }
    return values;
  }

  private RoundSum report(int person, long round, double[] weights, SeededRandom random) {
    double[] gradient = new double[dimension];
    double[] released = new double[dimension];
    census.gradient(person, weights, gradient);
    double norm = Math.sqrt(Vectors.squaredNorm(gradient));
    // In units of the clip.
    Vectors.scale(Math.min(1, CLIP / norm) / CLIP, gradient, gradient);
    release.draw(gradient, random, released);
    Vectors.scale(CLIP, released, released);
    RoundSum report = new RoundSum();
    report.modelId = SPEC.getModelId();
    report.namedRound = round;
    report.count = 1;
    report.dimension = dimension;
    report.form = VectorForm.GRID_SUM;
    report.weightExponent = weightExponent;
    report.exponent = ReportWeight.gridExponent(CLIP, weightExponent);
    report.values = ExactSums.of(PackedVectors.encode(released), report.exponent);
    return report;
  }
}
