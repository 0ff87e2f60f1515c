package io.croupier.operators.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.CentralNoise;
import io.croupier.accounting.mechanism.L2LaplaceMechanism;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.math.PackedVectors;
import io.croupier.operators.model.RoundSum;
import io.croupier.operators.model.TestSums;
import io.croupier.operators.report.ReportDraft;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.AccountRequest;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.LdpSgd;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrefixSumNoise;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Input records for the operators: models of two coordinates and gradient bound 1. */
public final class TestRecords {
  public static final SpecRequirements REQUIREMENTS =
      new SpecRequirements(1 << 20, 1 << 20, Duration.ofHours(24));

  /** Of a job that takes anonymous reports. */
  public static final SpecRequirements WITH_ANONYMOUS =
      new SpecRequirements(1 << 20, 1 << 20, Duration.ofHours(24), true);

  public static final Topics TOPICS =
      new Topics(
          Arrays.stream(Topic.values()).collect(Collectors.toMap(topic -> topic, Topic::suffix)));

  /** Of account requests. */
  public static final ByteString TAG = ByteString.copyFromUtf8("sixteen bytes...");

  public static final DeadLetters DEAD_LETTERS = new DeadLetters(1 << 20);

  private TestRecords() {}

  public static ModelSpec.Builder blackBox(String modelId) {
    return common(modelId).setBlackBox(BlackBox.getDefaultInstance());
  }

  /** A model with step size 1: the weights are minus the sum of the rounds' means. */
  public static ModelSpec.Builder sgd(String modelId) {
    return common(modelId).setLdpSgd(LdpSgd.newBuilder().setStepSize(1).setDecay(0));
  }

  /**
   * A model with learning rate 1, a goal of one report and very little noise. The noise isn't
   * seeded: a sum of two nodes exceeds 1e-7, which is 70 deviations, with a probability below
   * 1e-1000.
   */
  public static ModelSpec.Builder central(String modelId) {
    return common(modelId)
        .setDpFtrl(
            DpFtrl.newBuilder()
                .setClipNorm(1)
                .setNoiseMultiplier(1e-9)
                .setNoise(
                    PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance()))
                .setLearningRate(1))
        .setLimits(Limits.newBuilder().setDelta(1e-6).setMaxParticipations(1).setMinSeparation(0));
  }

  public static ModelSpec.Builder common(String modelId) {
    return ModelSpec.newBuilder().setModelId(modelId).setDimension(2).setGradientBound(1);
  }

  public static SpecRecord published(long offset, ModelSpec.Builder spec) {
    SpecRecord record = retired(offset, spec.getModelId());
    record.value = spec.build().toByteArray();
    return record;
  }

  public static SpecRecord retired(long offset, String modelId) {
    SpecRecord record = new SpecRecord();
    record.modelId = modelId;
    record.offset = offset;
    return record;
  }

  /** A report from the user's only device, with noise of epsilon 1. */
  public static ReportDraft report(String userId, long sequence, String modelId, double... values) {
    ReportDraft report = new ReportDraft();
    report.modelId = modelId;
    report.userId = userId;
    report.deviceId = "device";
    report.sequence = sequence;
    report.digest = 31 * sequence;
    report.dimension = values.length;
    report.values = PackedVectors.encode(values);
    report.mechanism = new L2LaplaceMechanism(1, values.length);
    report.topic = TOPICS.gradients();
    report.offset = 100 + sequence;
    return report;
  }

  /** The record of a dense or sparse report; if digests differ, so do the records' bytes. */
  public static RawRecord record(ReportDraft report) {
    GradientReport.Builder message =
        GradientReport.newBuilder()
            .setModelId(report.modelId)
            .setRound(report.round)
            .setUserId(report.userId)
            .setDeviceId(report.deviceId)
            .setSequence(report.sequence)
            .setCreatedAtMs(report.digest);
    if (report.gradientBound > 0) {
      message.setGradientBound(report.gradientBound);
    }
    List<Double> values =
        IntStream.range(0, report.values.length / Double.BYTES)
            .mapToObj(i -> PackedVectors.doubleAt(report.values, i))
            .toList();
    if (report.form == VectorForm.SPARSE) {
      message
          .getSparseBuilder()
          .setDimension(report.dimension)
          .addAllIndices(IntStream.of(report.indices).boxed().toList())
          .addAllValues(values);
    } else {
      message.getDenseBuilder().addAllValues(values);
    }
    Declarations.declare(report.mechanism, message);
    RawRecord record = new RawRecord();
    record.topic =
        report.mechanism instanceof CentralNoise ? TOPICS.rawGradients() : TOPICS.gradients();
    record.partition = report.partition;
    record.offset = report.offset;
    record.appendedAtMs = report.appendedAtMs;
    record.key = report.userId.getBytes(UTF_8);
    record.value = message.build().toByteArray();
    return record;
  }

  /** A record that erases an account. */
  public static RawRecord erasure(String userId) {
    RawRecord record = new RawRecord();
    record.topic = TOPICS.erasures();
    record.key = userId.getBytes(UTF_8);
    return record;
  }

  /** A record that asks for an account. */
  public static RawRecord accountRequest(String userId) {
    RawRecord record = new RawRecord();
    record.topic = TOPICS.accountRequests();
    record.appendedAtMs = 1_000;
    record.key = userId.getBytes(UTF_8);
    record.value = AccountRequest.newBuilder().setTag(TAG).build().toByteArray();
    return record;
  }

  /** One report, admitted under a spec at offset 0. */
  public static RoundSum dense(String modelId, long namedRound, double... values) {
    return of(modelId, TestSums.dense(namedRound, values));
  }

  private static RoundSum of(String modelId, RoundSum sum) {
    sum.modelId = modelId;
    return sum;
  }

  public static RoundSum grid(String modelId, long namedRound, int... steps) {
    return of(modelId, TestSums.grid(namedRound, -16, steps));
  }

  /** A report with one non-zero coordinate of {@code dimension}. */
  public static RoundSum sparse(
      String modelId, long namedRound, int dimension, int coordinate, double value) {
    return of(modelId, TestSums.sparse(namedRound, dimension, new int[] {coordinate}, value));
  }

  /** One answer to a question, with noise of about epsilon 1. */
  public static RoundSum answer(String modelId, long namedRound, String question, boolean bit) {
    RoundSum sum = dense(modelId, namedRound);
    sum.form = VectorForm.ANSWER;
    sum.question = question;
    sum.response = bit ? 0.46 : -0.46;
    return sum;
  }

  /** One answer to the question of a clip, hardly randomised. */
  public static RoundSum clipAnswer(String modelId, long namedRound, boolean isAbove) {
    RoundSum sum = answer(modelId, namedRound, "clip", isAbove);
    sum.response = isAbove ? 1 : -1;
    return sum;
  }

  /** A model that asks for its accuracy and for losses above 1/2. */
  public static ModelSpec.Builder asking(ModelSpec.Builder spec) {
    spec.addQuestionsBuilder().setName("a").getAccuracyBuilder();
    spec.addQuestionsBuilder().setName("b").getLossAboveBuilder().setThreshold(0.5);
    return spec;
  }

  /** A model of statistics alone: the median minutes of a day. */
  public static ModelSpec.Builder minutes(String modelId) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setModelId(modelId);
    spec.addStatisticsBuilder()
        .setName("minutes")
        .getQuantilesBuilder()
        .addLevels(0.5)
        .setFrom(0)
        .setTo(1440);
    return spec;
  }

  /** A model that finds its clip; reports state its bound, which is 1 at first. */
  public static ModelSpec.Builder movingClip(String modelId) {
    ModelSpec.Builder spec = common(modelId).clearGradientBound();
    spec.getBlackBoxBuilder();
    spec.getAdaptiveClipBuilder().setSize(AdaptiveClip.Size.FEATURES).setSlopeRule(true);
    return spec;
  }

  /** Returns the updates among {@code records}, in order. */
  public static List<ModelUpdate> updates(List<OutboundRecord> records) {
    return records.stream()
        .filter(record -> record.destination == Destination.UPDATES && record.value != null)
        .map(TestRecords::update)
        .toList();
  }

  public static ModelUpdate update(OutboundRecord record) {
    try {
      return ModelUpdate.parseFrom(record.value);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Not a ModelUpdate", e);
    }
  }

  /** Returns the text of a header; null if there is none. */
  public static String header(OutboundRecord record, String name) {
    int i = List.of(record.headerNames).indexOf(name);
    return i < 0 ? null : new String(record.headerValues[i], UTF_8);
  }
}
