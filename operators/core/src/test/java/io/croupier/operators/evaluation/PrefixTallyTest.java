package io.croupier.operators.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.learner.StateChunks;
import io.croupier.schemas.Prefixes;
import io.croupier.schemas.TextCandidates;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything is seeded: a test that passes always does. */
class PrefixTallyTest {
  private static final Prefixes WORDS =
      Prefixes.newBuilder().setAlphabet("a-z").setLength(12).setTop(200).build();
  private static final double[] TWO = {2};
  private static final double[] MIXED = {0.5, 1, 2, 4};

  /** The n-th most frequent of 1,000 words has a frequency that is proportional to 1 / n. */
  private static final class Zipf implements Supplier<String> {
    static final int SIZE = 1000;
    final SplittableRandom random;
    final List<String> words;
    final double[] upTo = new double[SIZE];

    Zipf(long seed) {
      random = new SplittableRandom(seed);
      Set<String> different = new LinkedHashSet<>();
      while (different.size() < SIZE) {
        StringBuilder word = new StringBuilder();
        for (int length = 3 + random.nextInt(8); length > 0; length--) {
          double u = random.nextDouble();
          word.append((char) ('a' + (int) (26 * u * u)));
        }
        different.add(word.toString());
      }
      words = List.copyOf(different);
      double sum = 0;
      for (int i = 0; i < SIZE; i++) {
        sum += 1.0 / (i + 1);
        upTo[i] = sum;
      }
    }

    double fraction(int i) {
      return 1.0 / (i + 1) / upTo[SIZE - 1];
    }

    @Override
    public String get() {
      int at = Arrays.binarySearch(upTo, random.nextDouble() * upTo[SIZE - 1]);
      return words.get(at >= 0 ? at : -at - 1);
    }
  }

  private static TextCandidates list(PrefixTally tally, Prefixes kind) {
    return new TextCandidates(kind, tally.prefixes(), tally.texts());
  }

  /** A vote by the law that the client's draws have. */
  private static boolean vote(
      PrefixTally tally,
      TextCandidates list,
      String text,
      double epsilon,
      int age,
      SplittableRandom random) {
    int k = TextCandidates.count(list.kind());
    int groups = HashedResponseMechanism.of(epsilon, k).groups();
    assertThat(HashedResponseMechanism.isHashed(epsilon, k)).isTrue();
    CategoryLaw law = CategoryLaw.of(epsilon, groups, true);
    long seed = random.nextLong();
    int own = SeededGroups.group(seed, list.of(text), groups);
    boolean keeps = random.nextDouble() < law.hit();
    int group = keeps ? own : (own + 1 + random.nextInt(groups - 1)) % groups;
    return tally.add(law, j -> SeededGroups.group(seed, j, groups) == group, age);
  }

  private static void publish(
      PrefixTally tally, Supplier<String> texts, int votes, double[] levels, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TextCandidates list = list(tally, WORDS);
    for (int i = 0; i < votes; i++) {
      vote(tally, list, texts.get(), levels[random.nextInt(levels.length)], 0, random);
    }
    tally.age();
  }

  private static Set<String> found(PrefixTally tally) {
    Set<String> found = new HashSet<>(tally.texts());
    found.remove("");
    return found;
  }

  @Test
  void anEmptyListHasTheEmptyPrefix() {
    PrefixTally tally = new PrefixTally(WORDS);
    for (int i = 0; i < 3; i++) {
      assertThat(tally.prefixes()).containsExactly("");
      assertThat(tally.texts()).isEmpty();
      assertThat(tally.estimates()).isEmpty();
      assertThat(tally.votes()).isZero();
      tally.age();
    }
  }

  /** A letter a publication; the letter at the greatest length completes a text. */
  @Test
  void aTextGrowsLetterByLetter() {
    PrefixTally tally = new PrefixTally(WORDS.toBuilder().setLength(3).build());
    List<List<String>> prefixes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      publish(tally, () -> "sun", 1000, TWO, i);
      prefixes.add(tally.prefixes());
    }
    assertThat(prefixes.get(0)).containsExactly("", "s");
    assertThat(prefixes.get(1)).contains("", "s", "su");
    assertThat(found(tally)).containsExactly("sun");
    assertThat(tally.estimates().get(0).orElseThrow().low()).isLessThan(1);
    assertThat(tally.estimates().get(0).orElseThrow().high()).isEqualTo(1);
    assertThat(tally.votes()).isBetween(2990L, 3000L);
  }

  /** 40,000 votes at epsilon 2, and of levels from 0.5 to 4. */
  @Tag("ci")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void findsTheFrequentWords(boolean isMixed) {
    Zipf zipf = new Zipf(1);
    PrefixTally tally = new PrefixTally(WORDS);
    for (int i = 0; i < 40; i++) {
      publish(tally, zipf, 1000, isMixed ? MIXED : TWO, i);
    }
    assertThat(found(tally)).containsAll(zipf.words.subList(0, 2));
    assertThat(zipf.words).containsAll(found(tally));
    for (int i = 0; i < tally.texts().size(); i++) {
      int rank = zipf.words.indexOf(tally.texts().get(i));
      if (rank >= 0) {
        FractionEstimate estimate = tally.estimates().get(i).orElseThrow();
        assertThat(Math.abs(estimate.fraction() - zipf.fraction(rank)))
            .as(zipf.words.get(rank))
            .isLessThan(4 * estimate.standardError());
      }
    }
  }

  /** As the page of statistics states, of 20 runs each. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "false, 40, 2, 55, 54",
    "false, 120, 4, 111, 103",
    "true, 40, 3, 96, 90",
    "true, 120, 7, 182, 173"
  })
  void recallAndFalseDiscovery(
      boolean isMixed, int publications, int first, int found, int withinInterval) {
    int[] runs = new int[first];
    int all = 0;
    int covered = 0;
    for (int run = 0; run < 20; run++) {
      Zipf zipf = new Zipf(run);
      PrefixTally tally = new PrefixTally(WORDS);
      for (int i = 0; i < publications; i++) {
        publish(tally, zipf, 1000, isMixed ? MIXED : TWO, 1000 * run + i);
        assertThat(zipf.words).as("words of a publication").containsAll(found(tally));
      }
      for (int i = 0; i < first; i++) {
        runs[i] += found(tally).contains(zipf.words.get(i)) ? 1 : 0;
      }
      for (int i = 0; i < tally.texts().size(); i++) {
        int rank = zipf.words.indexOf(tally.texts().get(i));
        if (rank >= 0) {
          FractionEstimate estimate = tally.estimates().get(i).orElseThrow();
          double fraction = zipf.fraction(rank);
          all++;
          covered += estimate.low() <= fraction && fraction <= estimate.high() ? 1 : 0;
        }
      }
    }
    assertThat(Arrays.stream(runs).min().orElseThrow()).isGreaterThanOrEqualTo(19);
    assertThat(all).isEqualTo(found);
    assertThat(covered).isEqualTo(withinInterval);
  }

  /** No person has a text. In 400 publications, no list has one. */
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({"20", "400"})
  void nothingIsFoundWhereNobodyHasATextOfTheAlphabet(int votes) {
    PrefixTally tally = new PrefixTally(WORDS);
    for (int i = 0; i < 200; i++) {
      publish(tally, () -> "?", votes, i % 2 == 0 ? MIXED : TWO, i);
      assertThat(found(tally)).isEmpty();
      // 0.13 % of 27 candidates for each prefix, several times as they change.
      assertThat(tally.prefixes().size()).isLessThan(40);
    }
  }

  /**
   * How often chance exceeds the bound of exp(-4) = 1.8 %, where few votes make the law of hits
   * skew, in 20,000 tallies of one candidate.
   */
  @ParameterizedTest
  @CsvSource({"10, 4", "60, 4", "60, 2", "60, 0.5"})
  void luckIsBounded(int votes, double epsilon) {
    SplittableRandom random = new SplittableRandom(votes);
    int groups = HashedResponseMechanism.of(epsilon, 4088).groups();
    CategoryLaw law = CategoryLaw.of(epsilon, groups, true);
    int beyond = 0;
    for (int run = 0; run < 20_000; run++) {
      VoteTally tally = VoteTally.lasting(1, 1.0 / 4088, Double.POSITIVE_INFINITY);
      for (int i = 0; i < votes; i++) {
        boolean isHit = random.nextInt(groups) == 0;
        tally.add(law, j -> isHit, 0);
      }
      double heaviest = law.strength() / law.variance(1.0 / 4088);
      beyond += tally.fraction(0) > tally.luck(heaviest, 4) ? 1 : 0;
    }
    assertThat(beyond / 20_000.0).isLessThan(Math.exp(-4));
  }

  @Test
  void oneVoteOfAHighLevelDoesNotStopTheDiscovery() {
    PrefixTally tally = new PrefixTally(WORDS);
    SplittableRandom random = new SplittableRandom(4);
    vote(tally, list(tally, WORDS), "moon", 16, 0, random);
    for (int i = 0; i < 30; i++) {
      publish(tally, () -> random.nextInt(2) == 0 ? "sun" : "moon", 300, new double[] {1}, i);
    }
    assertThat(found(tally)).containsExactlyInAnyOrder("sun", "moon");
  }

  /**
   * As the page of statistics states: a cheater whose groups contain what he likes, at the highest
   * level, among votes whose groups contain each candidate as often as where no person has it. With
   * a length of 1, letters are texts.
   */
  @Tag("ci")
  @ParameterizedTest
  @CsvSource({
    "12, 0, 2, 1",
    "12, 1000, 1, 11",
    "12, 1000, 2, 24",
    "12, 1008, 4, 72",
    "1, 0, 2, 9",
    "1, 1000, 1, 23",
    "1, 1000, 2, 44",
    "1, 1008, 4, 126",
    "1, 10000, 2, 130"
  })
  void aSenderWhoCheatsNeedsSoManyVotes(int length, int others, double epsilon, int needed) {
    Prefixes kind = WORDS.toBuilder().setLength(length).build();
    PrefixTally honest = new PrefixTally(kind);
    int groups = HashedResponseMechanism.of(epsilon, 4088).groups();
    CategoryLaw law = CategoryLaw.of(epsilon, groups, true);
    for (int i = 0; i < 300; i++) {
      honest.age();
      for (int v = 0; v < others; v++) {
        boolean isHit = (others * i + v) % groups == 0;
        honest.add(law, j -> isHit, 0);
      }
    }
    for (int votes : new int[] {needed - 1, needed}) {
      PrefixTally tally = copy(honest, kind);
      for (int v = 0; v < votes; v++) {
        tally.add(CategoryLaw.of(16, 1024, true), j -> j == 200, 0);
      }
      tally.age();
      int added = length == 1 ? tally.texts().size() : tally.prefixes().size() - 1;
      assertThat(added).as("%d votes", votes).isEqualTo(votes < needed ? 0 : 1);
    }
  }

  private static PrefixTally copy(PrefixTally tally, Prefixes kind) {
    Map<String, byte[]> saved = new HashMap<>();
    tally.visit("words", StateChunks.writer(saved::put));
    PrefixTally copy = new PrefixTally(kind);
    copy.visit("words", StateChunks.reader(saved::get));
    return copy;
  }

  /**
   * While a text is listed, its people vote for its place, and not for the candidate that it came
   * from, the end of the prefix ab or the letter b of a. Another text keeps that prefix.
   */
  @ParameterizedTest
  @CsvSource({"3, abc", "2, ac"})
  void aTextThatComesBackHasTheVotesOfItsPlace(int length, String other) {
    Prefixes one = WORDS.toBuilder().setTop(1).setLength(length).build();
    PrefixTally tally = new PrefixTally(one);
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 100; i++) {
      TextCandidates list = list(tally, one);
      String third = i >= 60 && i < 66 ? "xy" : "?";
      for (int v = 0; v < 500; v++) {
        int person = random.nextInt(10);
        vote(tally, list, person < 3 ? "ab" : person < 5 ? other : third, 2, 0, random);
      }
      tally.age();
      if (i == 59 || i == 66) {
        assertThat(tally.texts()).containsExactly(i == 59 ? "ab" : "xy");
      }
    }
    assertThat(tally.texts()).containsExactly("ab");
    FractionEstimate estimate = tally.estimates().get(0).orElseThrow();
    assertThat(Math.abs(estimate.fraction() - 0.3)).isLessThan(4 * estimate.standardError());
  }

  /** The words change; the list follows. */
  @Tag("ci")
  @Test
  void followsPeopleWhoChange() {
    PrefixTally tally = new PrefixTally(WORDS);
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 60; i++) {
      publish(tally, () -> random.nextInt(2) == 0 ? "sun" : "moon", 300, TWO, i);
    }
    assertThat(found(tally)).containsExactlyInAnyOrder("sun", "moon");
    int place = tally.texts().indexOf("sun");
    for (int i = 0; i < 300; i++) {
      publish(tally, () -> random.nextInt(2) == 0 ? "mars" : "moon", 300, TWO, 1000 + i);
    }
    assertThat(found(tally)).containsExactlyInAnyOrder("mars", "moon");
    assertThat(tally.texts().get(place)).isIn("mars", "");
  }

  /** One place for a text: the more frequent one takes it. */
  @Test
  void theMostFrequentTextsHaveThePlaces() {
    Prefixes one = WORDS.toBuilder().setTop(1).build();
    PrefixTally tally = new PrefixTally(one);
    SplittableRandom random = new SplittableRandom(6);
    for (int i = 0; i < 80; i++) {
      TextCandidates list = list(tally, one);
      boolean isLater = i >= 20;
      for (int v = 0; v < 500; v++) {
        String text = random.nextInt(4) == 0 ? "ab" : isLater ? "xyz" : "?";
        vote(tally, list, text, 2, 0, random);
      }
      tally.age();
      assertThat(tally.texts().size()).isLessThanOrEqualTo(1);
      if (i == 19) {
        assertThat(tally.texts()).containsExactly("ab");
      }
    }
    assertThat(tally.texts()).containsExactly("xyz");
  }

  /** 30 places for prefixes, which 60 texts of three letters want. */
  @Tag("thorough")
  @Test
  void prefixesTakeTurnsWherePlacesAreShort() {
    Prefixes many =
        Prefixes.newBuilder().setAlphabet("\u4e00-\u4e7f").setLength(4).setTop(100).build();
    PrefixTally tally = new PrefixTally(many);
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 60; i++) {
      TextCandidates list = list(tally, many);
      for (int v = 0; v < 500; v++) {
        int letter = '\u4e00' + 2 * random.nextInt(60);
        vote(tally, list, Character.toString(letter).repeat(3), 6, 0, random);
      }
      tally.age();
      assertThat(tally.prefixes().size()).isLessThanOrEqualTo(30);
      assertThat(tally.prefixes().get(0)).isEmpty();
      List<String> taken = tally.prefixes().stream().filter(each -> !each.isEmpty()).toList();
      assertThat(taken).doesNotHaveDuplicates();
    }
    assertThat(found(tally)).hasSizeGreaterThan(30);
    assertThat(found(tally))
        .allMatch(
            each ->
                each.length() == 3
                    && each.chars().distinct().count() == 1
                    && each.charAt(0) % 2 == 0);
  }

  /** A late vote is for the list of its round: it has no effect on what came later. */
  @Test
  void aLateVoteCountsForTheListOfItsRound() {
    PrefixTally tally = new PrefixTally(WORDS);
    TextCandidates first = list(tally, WORDS);
    publish(tally, () -> "sun", 1000, TWO, 1);
    assertThat(tally.prefixes()).containsExactly("", "s");
    SplittableRandom random = new SplittableRandom(2);
    for (int i = 0; i < 1000; i++) {
      assertThat(vote(tally, first, "sun", 2, 1, random)).isTrue();
    }
    assertThat(tally.votes()).isBetween(1990L, 2000L);
    tally.age();
    assertThat(tally.prefixes()).as("no vote for a second letter").containsExactly("", "s");
    // There was no list three publications ago.
    assertThat(vote(tally, first, "sun", 2, 3, random)).isFalse();
  }

  @Tag("ci")
  @Test
  void continuesFromItsState() {
    Zipf zipf = new Zipf(8);
    PrefixTally tally = new PrefixTally(WORDS);
    for (int i = 0; i < 30; i++) {
      publish(tally, zipf, 1000, MIXED, i);
    }
    assertThat(found(tally)).isNotEmpty();
    PrefixTally restored = copy(tally, WORDS);
    Zipf same = new Zipf(9);
    Zipf other = new Zipf(9);
    for (int i = 0; i < 5; i++) {
      assertThat(restored.prefixes()).isEqualTo(tally.prefixes());
      assertThat(restored.texts()).isEqualTo(tally.texts());
      assertThat(restored.estimates()).isEqualTo(tally.estimates());
      publish(tally, same, 500, MIXED, 100 + i);
      publish(restored, other, 500, MIXED, 100 + i);
    }
    assertThat(restored.estimates()).anyMatch(Optional::isPresent);
    PrefixTally absent = new PrefixTally(WORDS);
    absent.visit("words", StateChunks.reader(name -> null));
    assertThat(absent.prefixes()).containsExactly("");
  }
}
