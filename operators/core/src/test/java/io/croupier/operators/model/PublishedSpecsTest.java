package io.croupier.operators.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.operators.report.Specs;
import io.croupier.schemas.AdaptiveRadius;
import io.croupier.schemas.Limits;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublishedSpecsTest {
  private static final ModelSpec SPEC = Specs.of(2, 1, "black_box {}");
  private static final ModelSpec LIMITED =
      SPEC.toBuilder().setLimits(Limits.newBuilder().setEpsilon(1)).build();

  private final PublishedSpecs specs = new PublishedSpecs(spec -> List.of());

  private SpecChange apply(long offset, ModelSpec spec) {
    return specs.apply("m", offset, spec.toByteArray());
  }

  @Test
  void usageExample() {
    assertThat(apply(0, SPEC)).isEqualTo(accepted(SPEC));
    assertThat(apply(1, LIMITED)).isEqualTo(accepted(LIMITED));
    assertThat(specs.spec("m")).contains(LIMITED);
    assertThat(specs.entries().get("m").specOffset).isEqualTo(1);
    assertThat(specs.apply("m", 2, null)).isEqualTo(new SpecChange.Retired());
    assertThat(specs.spec("m")).isEmpty();
  }

  @Test
  void ignoresRecordsThatWereApplied() {
    apply(5, SPEC);
    assertThat(apply(5, LIMITED)).isEqualTo(new SpecChange.Ignored());
    assertThat(apply(4, LIMITED)).isEqualTo(new SpecChange.Ignored());
    assertThat(specs.apply("m", 3, null)).isEqualTo(new SpecChange.Ignored());
    assertThat(specs.spec("m")).contains(SPEC);
    assertThat(specs.apply("n", 1, SPEC.toBuilder().setModelId("n").build().toByteArray()))
        .as("offsets are compared per model")
        .isInstanceOf(SpecChange.Accepted.class);
  }

  @Test
  void aForbiddenChangeKeepsTheLastGoodSpec() {
    apply(0, SPEC);
    SpecChange change = apply(1, SPEC.toBuilder().setDimension(3).build());
    assertThat(change)
        .isEqualTo(
            new SpecChange.Refused(
                "dimension of a running model is fixed: it is 2 and can't become 3"));
    assertThat(specs.spec("m")).contains(SPEC);
    assertThat(specs.entries().get("m").specOffset).isZero();
    assertThat(specs.entries().get("m").lastOffset).isEqualTo(1);
  }

  @Test
  void afterCompactionAFollowerThatStartsJudgesForTheSameModel() {
    ModelSpec larger = SPEC.toBuilder().setReportsPerRound(4).build();
    PublishedSpecs late = new PublishedSpecs(spec -> List.of());
    apply(0, SPEC);
    late.apply("m", 0, SPEC.toByteArray());
    apply(1, larger);
    assertThat(refusal(apply(2, LIMITED))).startsWith("reports_per_round of a running model");
    assertThat(late.apply("m", 2, LIMITED.toByteArray())).isEqualTo(accepted(LIMITED));
    assertThat(specs.spec("m")).contains(larger);
    assertThat(specs.entries().get("m").specOffset)
        .isEqualTo(late.entries().get("m").specOffset)
        .isEqualTo(2);
  }

  @Test
  void afterCompactionAFollowerThatStartsKnowsTheSameQuestions() {
    ModelSpec before = asking(0, "'yes', 'no'");
    ModelSpec after = asking(1, "'bike', 'car', 'none'");
    PublishedSpecs late = new PublishedSpecs(spec -> List.of());
    apply(0, before);
    late.apply("m", 0, before.toByteArray());
    apply(1, SPEC);
    assertThat(apply(2, after)).isEqualTo(accepted(after));
    assertThat(late.apply("m", 2, after.toByteArray())).isEqualTo(accepted(after));
    assertThat(ModelSpecs.changeViolations(before, after)).hasSize(2);
  }

  private static ModelSpec asking(double threshold, String categories) {
    return Specs.of(
        2,
        1,
        "black_box {} questions { name: 'loss' loss_above { threshold: %s } }".formatted(threshold)
            + " statistics { name: 'choice' choice { categories: [%s] } }".formatted(categories));
  }

  @Test
  void refusesInvalidOrUnreadableSpecsAndSpecsUnderTheWrongKey() {
    assertThat(refusal(apply(0, SPEC.toBuilder().clearDimension().build())))
        .startsWith("dimension is 0");
    assertThat(refusal(specs.apply("n", 1, SPEC.toByteArray())))
        .isEqualTo("the record's key is \"n\": it must be the spec's model_id, \"m\"");
    assertThat(refusal(specs.apply("m", 2, new byte[] {1, 2, 3})))
        .isEqualTo("value is not a ModelSpec in Protobuf's encoding");
    assertThat(specs.spec("m")).isEmpty();
    assertThat(specs.spec("n")).isEmpty();
    assertThat(apply(3, SPEC)).isInstanceOf(SpecChange.Accepted.class);
  }

  @Test
  void refusesSpecsThatCannotRunHere() {
    PublishedSpecs picky =
        new PublishedSpecs(
            spec -> spec.hasLimits() ? List.of("no limits here", "none at all") : List.of());
    assertThat(refusal(picky.apply("m", 0, LIMITED.toByteArray())))
        .isEqualTo("no limits here; none at all");
    picky.apply("m", 1, SPEC.toByteArray());
    assertThat(picky.apply("m", 2, LIMITED.toByteArray())).isInstanceOf(SpecChange.Refused.class);
    assertThat(picky.spec("m")).contains(SPEC);
  }

  @Test
  void whatCouldNotRunIsAppliedAgainAfterARestart() {
    PublishedSpecs picky = new PublishedSpecs(spec -> List.of("not here"));
    picky.apply("m", 0, null);
    assertThat(refusal(picky.apply("m", 1, SPEC.toByteArray()))).isEqualTo("not here");
    picky.apply("invalid", 2, new byte[] {1, 2, 3});
    PublishedSpecs restored = new PublishedSpecs(spec -> List.of());
    picky.entries().forEach(restored::restore);
    assertThat(restored.apply("m", 0, null)).isEqualTo(new SpecChange.Ignored());
    assertThat(restored.apply("m", 1, SPEC.toByteArray())).isEqualTo(accepted(SPEC));
    assertThat(restored.apply("m", 1, SPEC.toByteArray())).isEqualTo(new SpecChange.Ignored());
    assertThat(restored.apply("invalid", 2, LIMITED.toByteArray()))
        .isEqualTo(new SpecChange.Ignored());
  }

  @Test
  void aRetiredNameMayBeUsedAgain() {
    apply(0, SPEC);
    specs.apply("m", 1, null);
    assertThat(apply(0, SPEC)).isEqualTo(new SpecChange.Ignored());
    ModelSpec other = SPEC.toBuilder().setDimension(9).build();
    assertThat(apply(2, other)).isEqualTo(accepted(other));
    assertThat(specs.apply("x", 3, null)).isEqualTo(new SpecChange.Ignored());
  }

  @Test
  void aRestartNeedsOnlyTheState() {
    apply(3, SPEC);
    apply(4, SPEC.toBuilder().setDimension(3).build());
    specs.apply("gone", 5, null);
    PublishedSpecs restored = new PublishedSpecs(spec -> List.of("nothing runs here any more"));
    specs.entries().forEach(restored::restore);
    assertThat(restored.spec("m")).contains(SPEC);
    assertThat(restored.spec("gone")).isEmpty();
    assertThat(restored.apply("m", 4, LIMITED.toByteArray())).isEqualTo(new SpecChange.Ignored());
    assertThat(restored.apply("gone", 5, null)).isEqualTo(new SpecChange.Ignored());
    assertThat(restored.apply("m", 6, LIMITED.toByteArray()))
        .isInstanceOf(SpecChange.Refused.class);
    assertThat(restored.spec("m")).contains(SPEC);
  }

  @Test
  void damagedStateIsAnError() {
    PublishedSpec damaged = new PublishedSpec();
    damaged.spec = new byte[] {1, 2, 3};
    assertThatThrownBy(() -> specs.restore("m", damaged))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("stored spec of m");
  }

  @Test
  void deprecatedNamesAreReplacedButStored() {
    ModelSpec deprecated =
        SPEC.toBuilder().setAdaptiveRadius(AdaptiveRadius.getDefaultInstance()).build();
    List<ModelSpec> judged = new ArrayList<>();
    PublishedSpecs published =
        new PublishedSpecs(
            spec -> {
              judged.add(spec);
              return List.of();
            });
    assertThat(published.apply("m", 0, deprecated.toByteArray()))
        .isEqualTo(new SpecChange.Accepted(SPEC, ModelSpecs.warnings(deprecated)));
    assertThat(ModelSpecs.warnings(deprecated)).isNotEmpty();
    assertThat(judged).containsExactly(SPEC);
    assertThat(published.spec("m")).contains(SPEC);
    assertThat(published.entries().get("m").spec).isEqualTo(deprecated.toByteArray());

    PublishedSpecs restored = new PublishedSpecs(spec -> List.of());
    published.entries().forEach(restored::restore);
    assertThat(restored.spec("m")).contains(SPEC);
    assertThat(restored.apply("m", 1, LIMITED.toByteArray())).isEqualTo(accepted(LIMITED));
  }

  private static SpecChange accepted(ModelSpec spec) {
    return new SpecChange.Accepted(spec, List.of());
  }

  private static String refusal(SpecChange change) {
    assertThat(change).isInstanceOf(SpecChange.Refused.class);
    return ((SpecChange.Refused) change).reason();
  }
}
