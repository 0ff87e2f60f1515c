package io.croupier.studies;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.evaluation.AnswerTally;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.VoteTally;
import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * A way to release which of k categories a person belongs to. A release supports the person's
 * category with probability p, and each other one with probability q. So n releases estimate a
 * fraction f with variance (q + f (p - q)) (1 - q - f (p - q)) / (n (p - q)^2), that of the sample
 * included: without f (1 - f) / n, it is equation 6 of Wang et al. 2017.
 */
enum CategoryWay {
  /** Of the job: k-ary randomised response, or local hashing (Wang et al. 2017). */
  HASHED("hashed response") {
    @Override
    CategoryLaw law(double epsilon, int k) {
      return CategoryLaw.of(
          epsilon,
          HashedResponseMechanism.of(epsilon, k).groups(),
          HashedResponseMechanism.isHashed(epsilon, k));
    }

    @Override
    IntPredicate draw(int category, double epsilon, int k, SeededRandom random) {
      int groups = HashedResponseMechanism.of(epsilon, k).groups();
      boolean isHashed = HashedResponseMechanism.isHashed(epsilon, k);
      long seed = isHashed ? random.bits() : 0;
      int own = isHashed ? SeededGroups.group(seed, category, groups) : category;
      double coin = Math.exp(-epsilon);
      int group;
      do {
        group = random.below(groups);
      } while (group != own && random.uniform() >= coin);
      int drawn = group;
      return isHashed ? j -> SeededGroups.group(seed, j, groups) == drawn : j -> j == drawn;
    }
  },

  /** d categories, the own one exp(epsilon) times as likely among them (Ye and Barg 2018). */
  SUBSET("subset selection") {
    @Override
    CategoryLaw law(double epsilon, int k) {
      int d = size(epsilon, k);
      return subset(epsilon, k, d);
    }

    @Override
    IntPredicate draw(int category, double epsilon, int k, SeededRandom random) {
      int d = size(epsilon, k);
      boolean[] chosen = new boolean[k];
      chosen[category] = random.uniform() < subset(epsilon, k, d).hit();
      for (int left = chosen[category] ? d - 1 : d; left > 0; ) {
        int other = random.below(k);
        if (other != category && !chosen[other]) {
          chosen[other] = true;
          left--;
        }
      }
      return j -> chosen[j];
    }

    /** The better one of the integers around k / (exp(epsilon) + 1). */
    private int size(double epsilon, int k) {
      int least = Math.max(1, (int) Math.floor(k / (Math.exp(epsilon) + 1)));
      int next = Math.min(k - 1, least + 1);
      return ofLaw(subset(epsilon, k, least), 1.0 / k) <= ofLaw(subset(epsilon, k, next), 1.0 / k)
          ? least
          : next;
    }

    private CategoryLaw subset(double epsilon, int k, int d) {
      double own = d * Math.exp(epsilon);
      double hit = own / (own + k - d);
      return new CategoryLaw(hit, (hit * (d - 1) + (1 - hit) * d) / (k - 1));
    }
  },

  /** A bit for each category; the own one is kept half of the time (Wang et al. 2017). */
  UNARY("optimised unary encoding") {
    @Override
    CategoryLaw law(double epsilon, int k) {
      return new CategoryLaw(0.5, 1 / (Math.exp(epsilon) + 1));
    }
  },

  /** A bit for each category, all equally noisy (Erlingsson et al. 2014, one release). */
  RAPPOR("basic RAPPOR") {
    @Override
    CategoryLaw law(double epsilon, int k) {
      double hit = 1 / (1 + Math.exp(-epsilon / 2));
      return new CategoryLaw(hit, 1 - hit);
    }
  },

  /** One of the categories at random: is it yours? Randomised response; two need one question. */
  QUESTIONS("yes-or-no questions") {
    @Override
    CategoryLaw law(double epsilon, int k) {
      double hit = 1 / (1 + Math.exp(-epsilon));
      return new CategoryLaw(hit, 1 - hit);
    }

    @Override
    int questions(int k) {
      return k == 2 ? 1 : k;
    }

    @Override
    double[] estimates(int[] categories, double epsilon, int k, SeededRandom random) {
      CategoryLaw law = law(epsilon, k);
      AnswerTally[] tallies = new AnswerTally[questions(k)];
      Arrays.setAll(tallies, question -> AnswerTally.lasting());
      for (int category : categories) {
        int asked = random.below(tallies.length);
        boolean isKept = random.uniform() < law.hit();
        tallies[asked].add((category == asked) == isKept ? law.strength() : -law.strength(), 0);
      }
      double[] fractions = new double[k];
      for (int j = 0; j < tallies.length; j++) {
        fractions[j] = tallies[j].estimate().orElseThrow().fraction();
      }
      if (k == 2) {
        fractions[1] = 1 - fractions[0];
      }
      return fractions;
    }
  };

  final String label;

  CategoryWay(String label) {
    this.label = label;
  }

  /** Returns p and q of a release. */
  abstract CategoryLaw law(double epsilon, int k);

  /** Returns n times the variance of a fraction's estimate from n people. */
  final double variance(double epsilon, int k, double fraction) {
    return questions(k) * ofLaw(law(epsilon, k), fraction);
  }

  private static double ofLaw(CategoryLaw law, double fraction) {
    return law.variance(fraction) / (law.strength() * law.strength());
  }

  /** Returns how many people it takes to have one release about each category. */
  int questions(int k) {
    return 1;
  }

  /** Draws a release: which categories it supports. A bit of each, unless a way has another. */
  IntPredicate draw(int category, double epsilon, int k, SeededRandom random) {
    CategoryLaw law = law(epsilon, k);
    boolean[] bits = new boolean[k];
    for (int j = 0; j < k; j++) {
      bits[j] = random.uniform() < (j == category ? law.hit() : law.chance());
    }
    return j -> bits[j];
  }

  /**
   * Estimates the fractions of people in the categories by the job's estimator.
   *
   * @param categories of the people
   * @return shape [k]
   */
  double[] estimates(int[] categories, double epsilon, int k, SeededRandom random) {
    CategoryLaw law = law(epsilon, k);
    VoteTally tally = VoteTally.lasting(k);
    for (int category : categories) {
      tally.add(law, draw(category, epsilon, k, random), 0);
    }
    return tally.estimates().stream().mapToDouble(FractionEstimate::fraction).toArray();
  }
}
