package io.croupier.operators.flink;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.TextFormat;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpecRequirementsTest {
  /** Kafka's default for the largest record. */
  private static final int DEFAULT = 1_048_588;

  private static final SpecRequirements REQUIREMENTS =
      new SpecRequirements(DEFAULT, DEFAULT, Duration.ofHours(24));

  private static ModelSpec.Builder spec(int dimension) throws TextFormat.ParseException {
    return TextFormat.parse(
        "model_id: 'm' dimension: %d gradient_bound: 1 combined {}".formatted(dimension),
        ModelSpec.class)
        .toBuilder();
  }

  private static ModelSpec counting(int statistics, int categories)
      throws TextFormat.ParseException {
    ModelSpec.Builder spec = spec(2);
    for (int i = 0; i < statistics; i++) {
      spec.addStatisticsBuilder().setName("s" + i);
      for (int j = 0; j < categories; j++) {
        spec.getStatisticsBuilder(i).getChoiceBuilder().addCategories("c%04d".formatted(j));
      }
    }
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
    return spec.build();
  }

  /** The broker would refuse the update, and the job would restart with the same one. */
  @Test
  void theCategoriesOfStatisticsMustFitIntoAnUpdate() throws Exception {
    ModelSpec large = counting(12, 1024);
    assertThat(REQUIREMENTS.apply(large))
        .containsExactly(
            ("dimension is 2, 12288 categories and levels of statistics take %d bytes: its updates"
                    + " take up to %d bytes, and the updates topic accepts 1048588; raise"
                    + " max.message.bytes of the topic, or message.max.bytes of the brokers, to at least %d")
                .formatted(
                    ModelSpecs.statisticBytes(large),
                    ModelSpecs.updateBytes(large),
                    ModelSpecs.updateBytes(large)));
    assertThat(REQUIREMENTS.apply(counting(11, 1024))).isEmpty();
  }

  @Test
  void theDimensionAloneIsNamedWhereItIsTheOnlyReason() throws Exception {
    List<String> obstacles = REQUIREMENTS.apply(spec(70_000).build());
    assertThat(obstacles).hasSize(2);
    assertThat(obstacles.get(0)).startsWith("dimension is 70000: its reports take up to");
    assertThat(obstacles.get(1)).startsWith("dimension is 70000: its updates take up to");
  }

  @Test
  void featuresAreNamedToo() throws Exception {
    ModelSpec.Builder spec = spec(64_900);
    for (int i = 0; i < 649; i++) {
      spec.addFeaturesBuilder().setName("a name of a feature " + i).getEncoderBuilder();
      spec.getFeaturesBuilder(i).getEncoderBuilder().setDigest("0".repeat(64)).setLength(100);
    }
    assertThat(ModelSpecs.violations(spec.build())).isEmpty();
    assertThat(REQUIREMENTS.apply(spec.build()))
        .singleElement()
        .asString()
        .startsWith(
            "dimension is 64900, features take %d bytes: its updates take up to"
                .formatted(ModelSpecs.featureBytes(spec.build())));
  }
}
