package io.croupier.gateway;

import io.croupier.broker.EmbeddedBroker;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.BlackBox;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrefixSumNoise;
import java.nio.file.Path;
import java.util.Map;

/** A real broker in this JVM with Croupier's topics. */
public final class TestBroker extends TestTopics {
  public static final double BOUND = 1;

  private final EmbeddedBroker broker;

  /** Starts a broker with its data in {@code directory}, and creates the topics. */
  public TestBroker(Path directory) throws Exception {
    this(EmbeddedBroker.start(directory));
  }

  private TestBroker(EmbeddedBroker broker) throws Exception {
    super(Map.of("bootstrap.servers", broker.bootstrapServers()));
    this.broker = broker;
  }

  static ModelSpec spec(String id, int dimension) {
    return ModelSpec.newBuilder()
        .setModelId(id)
        .setDimension(dimension)
        .setGradientBound(BOUND)
        .setMaxStaleness(2)
        .setBlackBox(BlackBox.getDefaultInstance())
        .build();
  }

  /** The model of the pages about devices; theirs has more features, which rows may lack. */
  static ModelSpec wellbeing() {
    ModelSpec.Builder spec = spec("wellbeing-1", 1).toBuilder();
    spec.addFeaturesBuilder().setName("one").getInterceptBuilder();
    spec.getPredictsBuilder().setLabel("feltWell").getLogisticBuilder();
    return spec.build();
  }

  /** Publishes a round of that model. */
  void updateWellbeing(long round) {
    ModelSpec spec = wellbeing();
    try {
      update(
          update(spec.getModelId(), 1, round, BOUND)
              .addAllFeatures(spec.getFeaturesList())
              .setPredicts(spec.getPredicts())
              .build());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  static ModelSpec movingClip(String id, int dimension) {
    return spec(id, dimension).toBuilder()
        .clearGradientBound()
        .setAdaptiveClip(AdaptiveClip.newBuilder().setSize(AdaptiveClip.Size.GRADIENT))
        .build();
  }

  static ModelSpec central(String id, int dimension) {
    return ModelSpec.newBuilder()
        .setModelId(id)
        .setDimension(dimension)
        .setGradientBound(BOUND)
        .setReportsPerRound(10)
        .setLimits(
            io.croupier.schemas.Limits.newBuilder()
                .setMaxParticipations(1)
                .setMinSeparation(0)
                .setDelta(1e-5))
        .setDpFtrl(
            DpFtrl.newBuilder()
                .setClipNorm(BOUND)
                .setNoiseMultiplier(1)
                .setLearningRate(1)
                .setNoise(
                    PrefixSumNoise.newBuilder().setTree(PrefixSumNoise.Tree.getDefaultInstance())))
        .build();
  }

  static ModelUpdate.Builder update(String id, int dimension, long round, double bound) {
    ModelUpdate.Builder update =
        ModelUpdate.newBuilder()
            .setModelId(id)
            .setRound(round)
            .setGradientBound(bound)
            .setGridExponent(ModelSpecs.gridExponent(bound))
            .setAnswerProbability(1)
            .setPublishedAtMs(1_700_000_000_000L + round);
    for (int i = 0; i < dimension; i++) {
      update.addWeights((double) round).addAverage(round / 2.0);
    }
    return update;
  }

  @Override
  public void close() {
    super.close();
    broker.close();
  }
}
