package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Question;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A caller may make terms itself: what is out of range must fail before a report is made. */
class RoundTermsTest {
  private static final Optional<AdaptiveClip.Size> FEATURES =
      Optional.of(AdaptiveClip.Size.FEATURES);

  private static RoundTerms moving(double bound, int exponent, double slopeBound) {
    return new RoundTerms(
        "m",
        0,
        2,
        bound,
        exponent,
        1,
        0.02,
        List.of(),
        List.of(),
        Map.of(),
        Map.of(),
        FEATURES,
        slopeBound);
  }

  private static RoundTerms fixed(double bound, double answers, double questions) {
    return new RoundTerms(
        "m",
        0,
        2,
        bound,
        -3,
        answers,
        questions,
        List.of(),
        List.of(),
        Map.of(),
        Map.of(),
        Optional.empty(),
        0);
  }

  @Test
  void acceptsWhatUpdatesContain() {
    assertThat(moving(0.3, -18, 1).hasMovingClip()).isTrue();
    assertThat(fixed(0.3, 0.5, 0).gridExponent()).as("chosen in the spec").isEqualTo(-3);
    List<Question> questions = List.of(Question.newBuilder().setName("a").build());
    assertThat(
            new RoundTerms(
                    "m",
                    0,
                    2,
                    1,
                    -16,
                    1,
                    0.02,
                    questions,
                    List.of(),
                    Map.of(),
                    Map.of(),
                    Optional.empty(),
                    0)
                .questions())
        .isEqualTo(questions);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void boundsArePositiveAndFinite(double bound) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixed(bound, 1, 0))
        .withMessage("gradientBound is " + bound + "; it must be positive and finite");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> moving(1, -16, bound))
        .withMessage("slopeBound is " + bound + "; it must be positive and finite");
  }

  /** The job takes a report of this bound for multiples of this step. */
  @ParameterizedTest
  @CsvSource({"0.3, -17", "0.5, -16", "2, -16"})
  void theGridOfAMovingClipFollowsFromIt(double clip, int exponent) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> moving(clip, exponent, 1))
        .withMessageStartingWith("gridExponent is " + exponent + "; it must be ")
        .withMessageEndingWith(", that of gradientBound " + clip + ", as the clip moves");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void probabilitiesAreFrom0To1(double probability) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixed(1, probability, 0))
        .withMessage("answerProbability is " + probability + "; it must be from 0 to 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixed(1, 1, probability))
        .withMessage("questionProbability is " + probability + "; it must be from 0 to 1");
  }

  /** A device that is chosen for a question would find none. */
  @Test
  void someQuestionCanBeAsked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixed(1, 1, 0.02))
        .withMessage(
            "questionProbability is 0.02; it must be 0 without questions, statistics and size");
  }
}
