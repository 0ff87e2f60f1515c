package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.noise.SeededGroups;
import io.croupier.noise.Statistics;
import java.util.SplittableRandom;
import org.graalvm.polyglot.Value;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The group of a category, against the law and the groups of the Java client. */
class HashedResponseTest extends BrowserFixture {
  private static final int RELEASES = 4000;

  private static Value randomiser(double epsilon, int categories) {
    return browser.call(
        "(module, epsilon, categories, crypto) =>"
            + " new module.HashedResponse({epsilon, categories, crypto})",
        epsilon,
        categories,
        browser.crypto(Statistics.seeded(5)));
  }

  @Test
  void groupsAreThoseOfJava() {
    Value groupOf =
        browser.callInternals(
            "(i) => (seed, category, groups) => i.groupOf(i.halves(seed), category, groups)");
    SplittableRandom random = new SplittableRandom(1);
    for (int n = 0; n < 500; n++) {
      long seed = n == 0 ? 0 : n == 1 ? -1 : random.nextLong();
      int category = random.nextInt(1024);
      int groups = 2 + random.nextInt(1023);
      assertThat(groupOf.execute(browser.big(seed), category, groups).asInt())
          .isEqualTo(SeededGroups.group(seed, category, groups));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4",
    "1, 10",
    "1, 11",
    "1, 32",
    "4, 32",
    "2, 1000",
    "0.001, 3",
    "16, 1024",
    "0.3, 7"
  })
  void theMechanismIsThatOfJava(double epsilon, int categories) {
    Value randomiser = randomiser(epsilon, categories);
    HashedResponseMechanism mechanism = HashedResponseMechanism.of(epsilon, categories);
    assertThat(randomiser.getMember("groups").asInt()).isEqualTo(mechanism.groups());
    assertThat(randomiser.getMember("isHashed").asBoolean())
        .isEqualTo(HashedResponseMechanism.isHashed(epsilon, categories));
    assertThat(randomiser.getMember("epsilon").asDouble()).isEqualTo(mechanism.epsilon());
  }

  /** Seeds are fixed; were they new, a false alarm would have a probability of at most 1e-8. */
  @Tag("ci")
  @Test
  void groupsHaveTheirLaw() {
    assertLaw(32, 1);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({"4, 1", "5, 3"})
  void groupsOfFewCategoriesHaveTheirLaw(int categories, double epsilon) {
    assertLaw(categories, epsilon);
  }

  private static void assertLaw(int categories, double epsilon) {
    Value randomiser = randomiser(epsilon, categories);
    browser.words(new SplittableRandom(6)::nextLong);
    int groups = randomiser.getMember("groups").asInt();
    boolean isHashed = randomiser.getMember("isHashed").asBoolean();
    long[] observed = new long[groups];
    for (int i = 0; i < RELEASES; i++) {
      int category = i % categories;
      Value release = randomiser.invokeMember("release", category);
      int own = category;
      if (isHashed) {
        long seed = release.getMember("seed").asBigInteger().longValue();
        own = SeededGroups.group(seed, category, groups);
      }
      observed[Math.floorMod(release.getMember("group").asInt() - own, groups)]++;
    }
    double[] law = new double[groups];
    for (int n = 0; n < groups; n++) {
      law[n] = (n == 0 ? Math.exp(epsilon) : 1) / (Math.exp(epsilon) + groups - 1);
    }
    Statistics.assertFrequencies("groups", observed, law);
  }
}
