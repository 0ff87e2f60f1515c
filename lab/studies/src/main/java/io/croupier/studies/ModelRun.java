package io.croupier.studies;

import com.google.protobuf.ByteString;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.operators.central.BltSearches;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.LiveModel.BundleOutcome;
import io.croupier.operators.model.LocalModel;
import io.croupier.operators.model.ReportIntake;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.report.CandidateExpansion;
import io.croupier.operators.report.Header;
import io.croupier.operators.report.Report;
import io.croupier.operators.report.Source;
import io.croupier.operators.report.VectorContent;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/** One run of the job's own model: reports pass its intake. */
final class ModelRun {
  private static final class NamedPublication {
    private final double[] weights;
    private long round;

    private NamedPublication(int dimension) {
      weights = new double[dimension];
    }
  }

  private final LocalModel model;
  private final int dimension;
  private final int mostStale;
  private final ReportIntake intake;
  private final double[] average;

  /** Null before the first sum; what the reports of the last one declare. */
  private Mechanism lastDeclared;

  /** A report of zeros that declares the same, as the learner receives it. */
  private RoundSum one;

  /** Newest first. */
  private final Deque<NamedPublication> publications = new ArrayDeque<>();

  /**
   * Publishes the initial weights.
   *
   * @param spec a valid spec of a local model
   * @param laws shared with other runs of the same thread
   */
  ModelRun(ModelSpec spec, PrivUnitLaws laws) {
    model = new LocalModel(spec, 0);
    intake = new ReportIntake(spec, 0, laws, new BltSearches(), new CandidateExpansion());
    dimension = spec.getDimension();
    mostStale = ModelSpecs.maxStaleness(spec);
    average = new double[dimension];
    publish();
  }

  private RoundSum sum(byte[] release, Mechanism declared) {
    return intake.withoutUser(
        new Report(
            Header.anonymous("", 0),
            declared,
            VectorContent.whole(VectorForm.DENSE, release),
            0,
            Source.unknown(0)));
  }

  /** Returns the weights of so many publications ago, at most those of the first. */
  double[] weights(int ago) {
    return find(ago).weights;
  }

  private NamedPublication find(int ago) {
    Iterator<NamedPublication> all = publications.iterator();
    NamedPublication found = all.next();
    for (int i = 0; i < ago && all.hasNext(); i++) {
      found = all.next();
    }
    return found;
  }

  /**
   * Adds reports that name the publication of so many publications ago, by their sum.
   *
   * @param declared what each of them declares
   */
  void add(int ago, double[] sum, int reports, Mechanism declared) {
    if (declared != lastDeclared) {
      one = sum(new byte[dimension * Double.BYTES], declared);
      lastDeclared = declared;
    }
    RoundSum bundle = new RoundSum();
    bundle.count = reports;
    bundle.weightExponent = one.weightExponent;
    bundle.directionalVariance = reports * one.directionalVariance;
    bundle.form = one.form;
    bundle.dimension = dimension;
    bundle.exponent = one.exponent;
    long[] steps = new long[dimension];
    for (int j = 0; j < dimension; j++) {
      steps[j] = Math.round(Math.scalb(sum[j], -one.exponent));
    }
    bundle.values = PackedVectors.encode(steps);
    add(bundle, find(ago));
  }

  private void add(RoundSum bundle, NamedPublication named) {
    bundle.namedRound = named.round;
    BundleOutcome outcome = model.add(bundle);
    if (outcome != BundleOutcome.OPEN) {
      throw new IllegalStateException("reports of round " + bundle.namedRound + ": " + outcome);
    }
  }

  /** Closes the round, and publishes. */
  void publish() {
    ModelUpdateView update = model.publish(true, 0).orElseThrow();
    model.confirm();
    NamedPublication named = new NamedPublication(dimension);
    named.round = update.getRound();
    read(update.getWeights(0), named.weights);
    read(update.getAverage(0), average);
    publications.addFirst(named);
    if (publications.size() > mostStale + 1) {
      publications.removeLast();
    }
  }

  private static void read(ByteString bytes, double[] into) {
    byte[] values = bytes.toByteArray();
    for (int j = 0; j < into.length; j++) {
      into[j] = PackedVectors.doubleAt(values, j);
    }
  }

  /** Returns the published average, not to be changed. */
  double[] average() {
    return average;
  }
}
