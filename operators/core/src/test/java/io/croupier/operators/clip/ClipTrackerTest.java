package io.croupier.operators.clip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.ThreadMXBean;
import io.croupier.operators.learner.Golden;
import io.croupier.operators.learner.StateChunks;
import io.croupier.operators.math.PackedVectors;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClipTrackerTest {

  /** 250 publications of three cases; one case begins 100 times too high, one 100 times too low. */
  @Test
  void followsTheReference() {
    int publications = 0;
    int answers = 0;
    for (JsonNode c : Golden.cases("clip_tracker.json", 3)) {
      ClipTracker tracker = new ClipTracker(c.get("c0").asDouble());
      for (int i = 0; i < c.get("answers").size(); i++) {
        for (JsonNode answer : c.get("answers").get(i)) {
          tracker.add(answer.get(0).asDouble() * answer.get(1).asDouble());
          answers++;
        }
        tracker.advance();
        String at = c.get("name") + ", publication " + i;
        assertRelative(at, tracker.clip(), c.get("c").get(i).asDouble());
        assertRelative(at, part(tracker, "information"), c.get("N").get(i).asDouble());
        publications++;
      }
      assertThat(c.get("c")).hasSize(c.get("answers").size());
      assertThat(c.get("N")).hasSize(c.get("answers").size());
    }
    assertThat(publications).isEqualTo(50 + 150 + 50);
    assertThat(answers).isEqualTo(50 + 150 + 202);
  }

  private static void assertRelative(String at, double actual, double reference) {
    assertThat(actual).as(at).isCloseTo(reference, within(1e-12 * reference));
  }

  /** One publication of many answers would move ln c by 3 S / N = 3. */
  @Test
  void aStepIsAtMostOneAndAHalf() {
    ClipTracker up = new ClipTracker(2);
    answer(up, 100, 1);
    assertThat(up.clip()).isEqualTo(2 * StrictMath.exp(1.5));

    ClipTracker down = new ClipTracker(2);
    answer(down, 100, -1);
    assertThat(down.clip()).isEqualTo(2 * StrictMath.exp(-1.5));
  }

  /** Three answers move ln c by 3 * 3 / 6, four would move it by 2. */
  @Test
  void theFirstStepsAreThoseOfSixAnswers() {
    for (int answers = 1; answers <= 4; answers++) {
      ClipTracker tracker = new ClipTracker(1);
      answer(tracker, answers, -1);
      assertThat(tracker.clip()).isEqualTo(StrictMath.exp(-Math.min(1.5, answers / 2.0)));
    }
    ClipTracker later = new ClipTracker(1);
    balanced(later, 6);
    answer(later, 1, 1);
    assertThat(later.clip()).isEqualTo(StrictMath.exp(3.0 / 7));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.003, 7e120, 1e-300})
  void theClipStaysWithinItsSpan(double initial) {
    ClipTracker up = new ClipTracker(initial);
    ClipTracker down = new ClipTracker(initial);
    for (int i = 0; i < 100; i++) {
      answer(up, 50, 1);
      answer(down, 50, -1);
    }
    assertThat(up.clip()).isEqualTo(initial * 1e4);
    assertThat(down.clip()).isEqualTo(initial / 1e4);

    // It leaves the bound with the first answers that point inwards.
    answer(up, 50, -1);
    answer(down, 50, 1);
    assertThat(up.clip()).isLessThan(initial * 1e4);
    assertThat(down.clip()).isGreaterThan(initial / 1e4);
  }

  @Test
  void sixPublicationsOfManyAnswersEndScouting() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 6; i++) {
      assertThat(tracker.isScouting()).as("%d publications", i).isTrue();
      balanced(tracker, 40);
    }
    assertThat(tracker.isScouting()).isFalse();
  }

  /** 150 answers that agree move the clip by the largest step, also at the largest N. */
  @Test
  void scoutingAsksTheShareThatMovesTheClipFarthest() {
    ClipTracker tracker = new ClipTracker(1);
    balanced(tracker, 720);
    assertThat(tracker.share()).isCloseTo(0.25, within(1e-15));
    answer(tracker, 150, 1);
    assertThat(tracker.clip()).isEqualTo(StrictMath.exp(1.5));
    assertThat(tracker.share()).isCloseTo(0.3, within(1e-15));
    tracker.advance();
    assertThat(tracker.share()).as("without answers").isCloseTo(0.3, within(1e-15));
    balanced(tracker, 60);
    assertThat(tracker.share()).isCloseTo(0.9, within(1e-15));
    balanced(tracker, 1);
    assertThat(tracker.share()).isOne();
    balanced(tracker, 1500);
    tracker.askMore();
    assertThat(tracker.share()).isCloseTo(0.24, within(1e-15));
    balanced(tracker, 600);
    assertThat(tracker.isScouting()).isFalse();
    assertThat(tracker.share()).as("after scouting").isOne();
  }

  /** With h = 1/2 an answer counts as 1/4: 48 answers are as good as 12. */
  @Test
  void twelveAnswersWorthEndScouting() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 48; i++) {
      assertThat(tracker.isScouting()).as("%d answers", i).isTrue();
      answer(tracker, 1, i % 2 == 0 ? 0.5 : -0.5);
    }
    assertThat(tracker.isScouting()).isFalse();
  }

  @Test
  void scoutingNeverBeginsAgain() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 6; i++) {
      balanced(tracker, 2);
    }
    Random random = new Random(4);
    for (int i = 0; i < 1000; i++) {
      assertThat(tracker.isScouting()).isFalse();
      answer(tracker, random.nextInt(3), random.nextBoolean() ? 0.3 : -1);
    }
  }

  /** Half of the answers "above" keep the clip while it seeks the median. */
  @Test
  void theTargetChangesWithTheSixthPublicationOfAtLeastTwelveAnswers() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 5; i++) {
      balanced(tracker, 20);
      assertThat(tracker.clip()).as("publication %d", i).isEqualTo(1);
    }
    balanced(tracker, 20);
    assertThat(tracker.clip()).isCloseTo(Math.exp(3 * -20 * 0.6 / 120), within(1e-15));
  }

  @Test
  void theTargetChangesWithTheThirteenthOfSingleAnswers() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 12; i++) {
      answer(tracker, 1, i % 2 == 0 ? 1 : -1);
    }
    double before = tracker.clip();
    answer(tracker, 1, 1);
    assertThat(tracker.clip()).isCloseTo(before * Math.exp(3 * (1 - 0.6) / 13), within(1e-15));

    ClipTracker earlier = new ClipTracker(1);
    for (int i = 0; i < 11; i++) {
      answer(earlier, 1, i % 2 == 0 ? 1 : -1);
    }
    before = earlier.clip();
    answer(earlier, 1, -1);
    assertThat(earlier.clip()).isCloseTo(before * Math.exp(-3.0 / 12), within(1e-15));
  }

  /** Four in five above leave, of h = 1/2, (1 + 0.6 h) / 2 of the answers: 13 of 20. */
  @Test
  void fourInFiveAboveIsTheTarget() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 6; i++) {
      balanced(tracker, 20);
    }
    double before = tracker.clip();
    for (int i = 0; i < 10; i++) {
      for (int j = 0; j < 20; j++) {
        tracker.add(j < 13 ? 0.5 : -0.5);
      }
      tracker.advance();
    }
    assertThat(tracker.clip()).isCloseTo(before, within(1e-14));
  }

  @Test
  void theInformationIsAtMostThreeHundred() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 6; i++) {
      balanced(tracker, 100);
    }
    assertThat(part(tracker, "information")).isEqualTo(300);
    for (int i = 0; i < 5; i++) {
      double before = tracker.clip();
      answer(tracker, 1, 1);
      assertThat(tracker.clip()).isCloseTo(before * Math.exp(3 * 0.4 / 300), within(1e-14));
    }
    assertThat(part(tracker, "information")).isEqualTo(300);
  }

  @Test
  void aPublicationWithoutAnswersChangesNothing() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 5; i++) {
      answer(tracker, 20, -1);
    }
    Map<String, String> before = save(tracker);
    assertThat(tracker.hasAnswers()).isFalse();
    tracker.advance();
    tracker.advance();
    assertThat(save(tracker)).isEqualTo(before);
    assertThat(tracker.isScouting()).isTrue();

    tracker.add(1);
    assertThat(tracker.hasAnswers()).isTrue();
    tracker.advance();
    assertThat(tracker.hasAnswers()).isFalse();
    assertThat(tracker.isScouting()).isFalse();
  }

  /** A person whose noise leaves no information answers, but moves nothing. */
  @Test
  void answersWithoutInformationMoveNothing() {
    ClipTracker tracker = new ClipTracker(1);
    for (int i = 0; i < 20; i++) {
      tracker.add(0);
      tracker.add(-0.0);
      tracker.add(1e-200);
      assertThat(tracker.hasAnswers()).isTrue();
      tracker.advance();
    }
    assertThat(tracker.clip()).isEqualTo(1);
    assertThat(tracker.isScouting()).isTrue();
  }

  /** Restored after every answer and every publication, with answers in the open publication. */
  @Test
  void aRestoredTrackerContinuesWithTheSameBits() {
    ClipTracker uninterrupted = new ClipTracker(3);
    ClipTracker restored = new ClipTracker(3);
    Random random = new Random(5);
    for (int i = 0; i < 200; i++) {
      int answers = random.nextInt(4);
      for (int j = 0; j < answers; j++) {
        double response = (random.nextBoolean() ? 1 : -1) * random.nextDouble();
        uninterrupted.add(response);
        restored.add(response);
        restored = restore(save(restored), 3);
      }
      uninterrupted.advance();
      restored.advance();
      restored = restore(save(restored), 3);
      assertThat(restored.clip()).isEqualTo(uninterrupted.clip());
      assertThat(restored.isScouting()).isEqualTo(uninterrupted.isScouting());
      assertThat(save(restored)).isEqualTo(save(uninterrupted));
    }
    assertThat(uninterrupted.isScouting()).isFalse();
  }

  @Test
  void anAbsentStateIsTheInitialOne() {
    assertThat(save(restore(Map.of(), 5))).isEqualTo(save(new ClipTracker(5)));
  }

  @Test
  void namesOfPartsBeginWithTheGivenName() {
    Set<String> names = save(new ClipTracker(1)).keySet();
    assertThat(names).hasSize(7).allMatch(name -> name.startsWith("clip"));
  }

  @Test
  void refusesValuesWithoutMeaning() {
    for (double response : new double[] {Double.NaN, 1.0000000000000002, -2, 1 / 0.0}) {
      ClipTracker tracker = new ClipTracker(1);
      assertThatThrownBy(() -> tracker.add(response))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from -1 to 1");
      assertThat(tracker.hasAnswers()).isFalse();
    }
    for (double initial :
        new double[] {0, -1, Double.NaN, 1 / 0.0, 1e305, 1e-304, Double.MIN_VALUE}) {
      assertThatThrownBy(() -> new ClipTracker(initial))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("it must be positive");
    }
  }

  @Test
  void allocatesNothing() {
    ClipTracker tracker = new ClipTracker(1);
    drive(tracker, 20_000);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(id);
    drive(tracker, 10_000);
    // The measurement itself takes a few bytes; a publication that allocates would take 16 each.
    assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(10_000);
  }

  private static void drive(ClipTracker tracker, int publications) {
    for (int i = 0; i < publications; i++) {
      tracker.add(0.5);
      tracker.add(-0.25);
      tracker.advance();
    }
  }

  /** Publishes after that many equal answers. */
  private static void answer(ClipTracker tracker, int answers, double response) {
    for (int i = 0; i < answers; i++) {
      tracker.add(response);
    }
    tracker.advance();
  }

  /** Publishes after that many answers, as many "above" as not. */
  private static void balanced(ClipTracker tracker, int answers) {
    for (int i = 0; i < answers; i++) {
      tracker.add(i % 2 == 0 ? 1 : -1);
    }
    tracker.advance();
  }

  private static double part(ClipTracker tracker, String part) {
    byte[] bytes = HexFormat.of().parseHex(save(tracker).get("clip-" + part));
    return PackedVectors.doubleAt(bytes, 0);
  }

  /** The bits of each part. */
  private static Map<String, String> save(ClipTracker tracker) {
    Map<String, String> saved = new HashMap<>();
    tracker.visit(
        "clip",
        StateChunks.writer((name, bytes) -> saved.put(name, HexFormat.of().formatHex(bytes))));
    return saved;
  }

  private static ClipTracker restore(Map<String, String> saved, double initial) {
    ClipTracker tracker = new ClipTracker(initial);
    tracker.visit(
        "clip",
        StateChunks.reader(
            name -> saved.containsKey(name) ? HexFormat.of().parseHex(saved.get(name)) : null));
    return tracker;
  }
}
