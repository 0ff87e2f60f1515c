package io.croupier.schemas;

import io.croupier.accounting.mechanism.HashedResponseMechanism;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What makes the statistics of a spec, and the votes for them, well-formed. */
public final class Statistics {
  /** The most statistics of a model. */
  public static final int MOST = 16;

  private static final int MOST_LEVELS = 16;
  private static final int MOST_LENGTH = 32;
  private static final int MOST_TEXTS = 1000;

  private Statistics() {}

  /**
   * The number of a person's category, from 0: that of the last one, the fixed public fallback, if
   * the value is none of them.
   *
   * @param value may be null
   */
  public static int category(Choice choice, String value) {
    int index = choice.getCategoriesList().indexOf(value);
    return index >= 0 ? index : choice.getCategoriesCount() - 1;
  }

  /**
   * Whether a person's value is above a threshold of the range. A value beyond the range counts as
   * the nearest end of it, and one that is no number as {@code from}: the fixed public fallback.
   *
   * @param threshold as in the update, at least {@code from} and at most {@code to}
   */
  public static boolean isAbove(double value, double threshold) {
    return value > threshold;
  }

  /** The value that is a share of the range of values from its lower end; within the range. */
  public static double value(Quantiles quantiles, double share) {
    double from = quantiles.getFrom();
    double to = quantiles.getTo();
    return Math.min(to, from + share * (to - from));
  }

  /** The number of categories of a vote for a statistic; 0 if it takes none. */
  public static int candidates(Statistic statistic) {
    return switch (statistic.getKindCase()) {
      case CHOICE -> statistic.getChoice().getCategoriesCount();
      case PREFIXES -> TextCandidates.count(statistic.getPrefixes());
      case QUANTILES, KIND_NOT_SET -> 0;
    };
  }

  /**
   * How many significant digits show a value of the range: as many as distinguish thousandths of
   * it, from 4 to 17.
   */
  public static int digits(Quantiles quantiles) {
    double from = quantiles.getFrom();
    double to = quantiles.getTo();
    double largest = Math.max(Math.abs(from), Math.abs(to));
    double more = Math.floor(Math.log10(largest)) - Math.floor(Math.log10(to - from));
    return 4 + (int) Math.min(13, Math.max(0, more));
  }

  /** The number of estimates: one for each category, level or text. */
  public static int size(Statistic statistic) {
    return switch (statistic.getKindCase()) {
      case CHOICE -> statistic.getChoice().getCategoriesCount();
      case QUANTILES -> statistic.getQuantiles().getLevelsCount();
      case PREFIXES -> statistic.getPrefixes().getTop();
      case KIND_NOT_SET -> 0;
    };
  }

  /** The places of the texts of an update, the most frequent one first. */
  public static List<Integer> ranked(StatisticEstimate.TextValues values) {
    return IntStream.range(0, values.getTextsCount())
        .boxed()
        .filter(i -> !values.getTexts(i).isEmpty())
        .sorted(Comparator.comparingDouble(values::getFractions).reversed())
        .collect(Collectors.toUnmodifiableList());
  }

  /** Upper bound on the bytes of the texts and prefixes of a list, three for each character. */
  static long listBytes(Statistic statistic) {
    if (!statistic.hasPrefixes()) {
      return 0;
    }
    Prefixes kind = statistic.getPrefixes();
    int letters = TextCandidates.letters(kind.getAlphabet()).length();
    long places = (long) kind.getTop() + TextCandidates.places(letters, kind.getTop());
    return places * (2 + 3L * kind.getLength());
  }

  /** Whether a statistic is well-formed, whatever else its model has. */
  public static boolean isValid(Statistic statistic) {
    Violations violations = new Violations();
    check(ModelSpec.newBuilder().addStatistics(statistic).build(), violations);
    return violations.list().isEmpty();
  }

  static void check(ModelSpec spec, Violations violations) {
    int count = spec.getStatisticsCount();
    if (count == 0) {
      return;
    }
    violations.require(
        !ModelSpecs.isCentral(spec),
        "statistics",
        "of length " + count,
        "empty: a central model takes reports without noise from the device only");
    violations.require(count <= MOST, "statistics", "of length " + count, "at most " + MOST);
    Set<String> names = new HashSet<>();
    spec.getQuestionsList().forEach(question -> names.add(question.getName()));
    for (int i = 0; i < count; i++) {
      Statistic statistic = spec.getStatistics(i);
      String path = "statistics[" + i + "]";
      String name = statistic.getName();
      violations.require(
          Questions.isName(name),
          path + ".name",
          '"' + name + '"',
          "1 to 100 letters, digits, '.', '_' or '-'");
      violations.require(
          names.add(name),
          path + ".name",
          '"' + name + '"',
          "another than those of the questions, and of the statistics before it");
      violations.require(
          !(spec.hasAdaptiveClip() && name.equals(AdaptiveClips.QUESTION)),
          path + ".name",
          '"' + name + '"',
          "another: with adaptive_clip, the model asks a question of its own by this name");
      switch (statistic.getKindCase()) {
        case CHOICE -> check(path + ".choice.categories", statistic.getChoice(), violations);
        case QUANTILES -> check(path + ".quantiles", statistic.getQuantiles(), violations);
        case PREFIXES -> check(path + ".prefixes", statistic.getPrefixes(), violations);
        case KIND_NOT_SET ->
            violations.add(path, "is empty or unknown: it must be choice, quantiles or prefixes");
      }
    }
  }

  private static void check(String path, Choice choice, Violations violations) {
    int count = choice.getCategoriesCount();
    violations.require(
        count >= 2 && count <= HashedResponseMechanism.MOST_GROUPS,
        path,
        "of length " + count,
        "from 2 to " + HashedResponseMechanism.MOST_GROUPS);
    Set<String> names = new HashSet<>();
    for (int i = 0; i < count; i++) {
      String name = choice.getCategories(i);
      violations.text(path + "[" + i + "]", name);
      violations.require(
          names.add(name), path + "[" + i + "]", '"' + name + '"', "another than those before it");
    }
  }

  private static void check(String path, Quantiles quantiles, Violations violations) {
    int count = quantiles.getLevelsCount();
    violations.require(
        count >= 1 && count <= MOST_LEVELS,
        path + ".levels",
        "of length " + count,
        "from 1 to " + MOST_LEVELS);
    double before = 0;
    for (int i = 0; i < count; i++) {
      double level = quantiles.getLevels(i);
      violations.require(
          level > before && level < 1,
          path + ".levels[" + i + "]",
          level,
          String.format("above %s and below 1", i == 0 ? "0" : "the one before it, " + before));
      before = level;
    }
    boolean hasFrom = violations.required(path + ".from", quantiles.hasFrom(), "a finite number");
    boolean hasTo = violations.required(path + ".to", quantiles.hasTo(), "a finite number");
    if (!hasFrom || !hasTo) {
      return;
    }
    double from = quantiles.getFrom();
    double to = quantiles.getTo();
    violations.require(Double.isFinite(from), path + ".from", from, "a finite number");
    violations.require(
        to - from >= Double.MIN_NORMAL && to - from <= Double.MAX_VALUE,
        path + ".to",
        to,
        "finite and above from, " + from + ", so that a double represents their distance");
  }

  private static void check(String path, Prefixes prefixes, Violations violations) {
    String letters = TextCandidates.letters(prefixes.getAlphabet());
    long different = letters.chars().distinct().count();
    violations.require(
        letters.length() >= 2
            && letters.length() <= TextCandidates.MOST_LETTERS
            && different == letters.length()
            && letters.chars().noneMatch(c -> Character.isISOControl(c) || isSurrogate(c)),
        path + ".alphabet",
        '"' + prefixes.getAlphabet() + '"',
        "2 to "
            + TextCandidates.MOST_LETTERS
            + " different letters, or ranges of them upwards such as a-z, up to U+FFFF");
    violations.require(
        prefixes.getLength() >= 1 && prefixes.getLength() <= MOST_LENGTH,
        path + ".length",
        prefixes.getLength(),
        "from 1 to " + MOST_LENGTH);
    violations.require(
        prefixes.getTop() >= 1 && prefixes.getTop() <= MOST_TEXTS,
        path + ".top",
        prefixes.getTop(),
        "from 1 to " + MOST_TEXTS);
  }

  private static boolean isSurrogate(int c) {
    return Character.isSurrogate((char) c);
  }

  /** Adds a violation for each statistic of both lists that has another kind in the second one. */
  static void compare(List<Statistic> current, List<Statistic> next, List<String> violations) {
    for (Statistic before : current) {
      for (Statistic after : next) {
        if (before.getName().equals(after.getName()) && !before.equals(after)) {
          violations.add(
              "statistic "
                  + before.getName()
                  + " of a running model is fixed while it stays, and so are its categories,"
                  + " levels or texts: a new statistic must have a new name");
        }
      }
    }
  }

  static void checkVote(GradientReport report, Violations violations) {
    Vote vote = report.getVote();
    if (!Questions.isName(vote.getStatistic())) {
      violations.add("vote.statistic", "must be 1 to 100 letters, digits, '.', '_' or '-'");
    }
    violations.required("vote.index", vote.hasIndex(), "a number from 0");
    violations.require(
        report.hasHashedResponse(),
        "gradient",
        "vote",
        "another, unless the report is hashed_response");
    if (vote.hasIndex() && report.hasHashedResponse()) {
      if (!isIndex(vote, report.getHashedResponse())) {
        violations.add("vote.index", "must be from 0 to hashed_response.groups - 1");
      }
    }
  }

  /** Whether the released group of a vote is one of the declared groups. */
  public static boolean isIndex(Vote vote, HashedResponse mechanism) {
    return vote.getIndex() >= 0 && vote.getIndex() < mechanism.getGroups();
  }
}
