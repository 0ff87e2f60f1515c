package io.croupier.gateway.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.StatisticEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class ServedModelTest {
  private static final int THREADS = 8;
  private static final int DIMENSION = 100_000;

  private static ModelUpdate.Builder update() {
    return ModelUpdate.newBuilder()
        .setModelId("m")
        .setRound(3)
        .setGradientBound(1)
        .setGridExponent(ModelSpecs.gridExponent(1))
        .setAnswerProbability(1);
  }

  private static ServedModel model() {
    ModelUpdate.Builder update = update();
    for (int i = 0; i < DIMENSION; i++) {
      update.addWeights(i).addAverage(-i);
    }
    return ServedModel.after(null, update.build().toByteArray());
  }

  private static String tag(String question, double fraction) {
    ModelUpdate.Builder update = update().addWeights(1).addAverage(1);
    update.addEstimatesBuilder().setFraction(fraction).getQuestionBuilder().setName(question);
    StatisticEstimate.Builder statistic = update.addStatisticsBuilder().setThreshold(0.5);
    statistic.getStatisticBuilder().setName("s");
    statistic.getLastingBuilder().addFractions(fraction);
    return ServedModel.after(null, update.build().toByteArray()).tag();
  }

  /** Devices that have a round receive it again with other questions, and not with more answers. */
  @Test
  void theTagHasTheQuestionsAndNotTheirEstimates() {
    assertThat(tag("q", 0.25)).isEqualTo(tag("q", 0.5)).isNotEqualTo(tag("other", 0.25));
  }

  /** Each computation makes another object; of many requests together, one computes. */
  @Test
  void manyRequestsDigestAndEncodeAModelOnce() throws Exception {
    List<Function<ServedModel, Object>> computed =
        List.of(ServedModel::tag, ServedModel::json, ServedModel::event);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (Function<ServedModel, Object> compute : computed) {
        ServedModel model = model();
        CountDownLatch ready = new CountDownLatch(THREADS);
        List<Future<Object>> results = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          results.add(
              threads.submit(
                  () -> {
                    ready.countDown();
                    ready.await();
                    return compute.apply(model);
                  }));
        }
        Object first = results.get(0).get(5, TimeUnit.MINUTES);
        for (Future<Object> result : results) {
          assertThat(result.get(5, TimeUnit.MINUTES)).isSameAs(first);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
