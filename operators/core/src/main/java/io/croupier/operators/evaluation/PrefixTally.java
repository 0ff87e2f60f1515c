package io.croupier.operators.evaluation;

import io.croupier.accounting.CategoryLaw;
import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.operators.learner.LearnerState;
import io.croupier.schemas.Prefixes;
import io.croupier.schemas.TextCandidates;
import java.nio.DoubleBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * The frequent texts of people, from votes by hashed response for the candidates of a list that
 * changes from publication to publication: {@link TextCandidates}. It begins with the empty prefix
 * alone, and follows from published votes only.
 *
 * <p>A candidate's votes are those since its place was taken, in a {@link VoteTally}. A late vote
 * counts for the places that have been taken since before its publication: they meant the same in
 * the list that it was drawn for. A vote of an epsilon above {@value #EPSILON} weighs as one of
 * that: the bound of (2) is in proportion to the largest weight where the others are far smaller,
 * so a single vote would stop the list.
 *
 * <p>At each publication, by the votes so far: (1) a text leaves the list once its 95 % interval
 * contains 0, and the candidate that it came from, for which its people didn't vote meanwhile,
 * takes over its estimate; a prefix leaves once it has had its share of votes and none of its
 * candidates is beyond {@value #LEAST} standard errors. (2) A complete text comes on the list if so
 * high an estimate has a probability of at most {@value #FALSE} / k where no person has the text,
 * by Bernstein's inequality; so for all k candidates of a list together, of {@value #FALSE} at
 * most. It keeps its votes. (3) An incomplete one becomes a prefix if its estimate is more than
 * {@value #LEAST} standard errors: a mistake costs a place for a while, and no more. Where places
 * are short, the highest estimates come first, and take the place of a text whose interval is below
 * the estimate, or of the prefix all of whose candidates most probably are below it. {@value
 * #LEAST} is our own, chosen by simulation.
 *
 * <p>This is the trie of frequent prefixes of [BNST17] and [ZKM20], which extend it by one letter a
 * phase, as a list that never ends. O(k) a vote; a publication O(k), and for each candidate that
 * may come on the list O(places). Not thread-safe.
 */
public final class PrefixTally implements ReplyTally {
  /** How probable it is at most that a publication lists a new text that no person has. */
  static final double FALSE = 0.01;

  /** Standard errors from which a candidate becomes a prefix. */
  static final double LEAST = 3;

  /** From which epsilon on a vote weighs no more. */
  private static final double EPSILON = 4;

  private final String letters;
  private final int length;
  private final double expected;
  private final double most;
  private final double nats;

  /** By place; null if it is free. */
  private final ListPlace[] prefixes;

  private final ListPlace[] texts;

  /** At least w c of every vote. */
  private double heaviest;

  /** What a place of the list has: a text or prefix, its votes, and publications since it came. */
  private static final class ListPlace {
    final String text;
    final VoteTally tally;
    int age;

    ListPlace(String text, VoteTally tally) {
      this.text = text;
      this.tally = tally;
    }
  }

  /** A candidate that may come on the list. */
  private record Extension(ListPlace parent, int letter, String text) {

    double fraction() {
      return parent.tally.fraction(letter);
    }
  }

  /** Creates the list of a valid statistic, without votes. */
  public PrefixTally(Prefixes kind) {
    letters = TextCandidates.letters(kind.getAlphabet());
    length = kind.getLength();
    texts = new ListPlace[kind.getTop()];
    prefixes = new ListPlace[TextCandidates.places(letters.length(), texts.length)];
    int count = TextCandidates.count(kind);
    int groups = HashedResponseMechanism.of(EPSILON, count).groups();
    expected = 1.0 / count;
    most = VoteTally.scale(CategoryLaw.of(EPSILON, groups, true), expected);
    nats = -Math.log(FALSE * expected);
    prefixes[0] = prefix("");
  }

  private ListPlace prefix(String text) {
    return new ListPlace(text, VoteTally.lasting(ofPrefix(), expected, most));
  }

  private ListPlace text(String text) {
    return new ListPlace(text, VoteTally.lasting(1, expected, most));
  }

  /** Returns the prefixes by their places, up to the last one; a free one is empty. */
  public List<String> prefixes() {
    return list(prefixes);
  }

  /** Returns the texts by their places, up to the last one; a free one is empty. */
  public List<String> texts() {
    return list(texts);
  }

  private static List<String> list(ListPlace[] places) {
    int end = places.length;
    while (end > 0 && places[end - 1] == null) {
      end--;
    }
    return Arrays.stream(places, 0, end).map(each -> each == null ? "" : each.text).toList();
  }

  /** Returns the estimate of each text, by its place; empty at a free place. */
  public List<Optional<FractionEstimate>> estimates() {
    return Arrays.stream(texts, 0, texts().size()).map(PrefixTally::estimate).toList();
  }

  private static Optional<FractionEstimate> estimate(ListPlace place) {
    return place == null ? Optional.empty() : place.tally.estimates().stream().findFirst();
  }

  /** Returns how many votes of equal weight the weights by age correspond to [Kis65]. */
  public long votes() {
    return prefixes[0].tally.size();
  }

  /**
   * Adds one vote.
   *
   * @param law of the vote
   * @param contains whether the released group contains a candidate, by its number
   * @param age how many publications are newer than the one that the vote is about
   * @return false if that publication had no list
   */
  public boolean add(CategoryLaw law, IntPredicate contains, int age) {
    if (age > prefixes[0].age) {
      return false;
    }
    heaviest = Math.max(heaviest, Math.min(most, VoteTally.scale(law, expected)));
    for (int i = 0; i < texts.length; i++) {
      int number = i;
      add(texts[i], law, j -> contains.test(number), age);
    }
    for (int i = 0; i < prefixes.length; i++) {
      int first = texts.length + i * ofPrefix();
      add(prefixes[i], law, j -> contains.test(first + j), age);
    }
    return true;
  }

  private static void add(ListPlace place, CategoryLaw law, IntPredicate contains, int age) {
    if (place != null && age <= place.age) {
      place.tally.add(law, contains, age);
    }
  }

  @Override
  public boolean add(Reply reply, int age) {
    return reply instanceof Reply.Vote vote && add(vote.law(), vote.contains(), age);
  }

  /** Records another publication, with a list of its own. */
  @Override
  public void age() {
    heaviest *= Forgetting.LASTING.retained();
    for (ListPlace[] places : List.of(prefixes, texts)) {
      for (ListPlace place : places) {
        if (place != null) {
          place.age++;
          place.tally.age();
        }
      }
    }
    for (int i = 0; i < texts.length; i++) {
      if (estimate(texts[i]).filter(each -> each.low() > 0).isEmpty()) {
        free(i);
      }
    }
    for (int i = 1; i < prefixes.length; i++) {
      if (prefixes[i] != null && isIdle(prefixes[i])) {
        prefixes[i] = null;
      }
    }
    List<Extension> complete = new ArrayList<>();
    List<Extension> incomplete = new ArrayList<>();
    for (ListPlace prefix : prefixes) {
      if (prefix != null) {
        collect(prefix, complete, incomplete);
      }
    }
    Comparator<Extension> highest = Comparator.comparingDouble(Extension::fraction).reversed();
    complete.sort(highest);
    complete.forEach(this::list);
    incomplete.sort(highest);
    double[] high = Arrays.stream(prefixes).mapToDouble(this::highOfPrefix).toArray();
    incomplete.forEach(each -> extend(each, high));
  }

  /** Adds the candidates of a prefix that may come on the list. */
  private void collect(ListPlace prefix, List<Extension> complete, List<Extension> incomplete) {
    double least = LEAST * prefix.tally.noise();
    double luck = prefix.tally.luck(heaviest, nats);
    for (int letter = 0; letter <= letters.length(); letter++) {
      boolean isEnd = letter == letters.length();
      String text = isEnd ? prefix.text : prefix.text + letters.charAt(letter);
      boolean isComplete = isEnd || text.length() == length;
      double fraction = prefix.tally.fraction(letter);
      if (fraction > (isComplete ? luck : least)
          && !text.isEmpty()
          && !has(isComplete ? texts : prefixes, text)) {
        (isComplete ? complete : incomplete).add(new Extension(prefix, letter, text));
      }
    }
  }

  private static boolean has(ListPlace[] places, String text) {
    return Arrays.stream(places).anyMatch(each -> each != null && each.text.equals(text));
  }

  private void list(Extension candidate) {
    int least = 0;
    for (int i = 0; i < texts.length; i++) {
      least = high(texts[i]) < high(texts[least]) ? i : least;
    }
    if (high(texts[least]) < candidate.fraction()) {
      free(least);
      texts[least] = new ListPlace(candidate.text, candidate.parent.tally.alone(candidate.letter));
    }
  }

  /** Frees the place of a text; the candidate that it came from takes over its estimate. */
  private void free(int i) {
    ListPlace text = texts[i];
    texts[i] = null;
    if (text == null) {
      return;
    }
    int last = length - 1;
    boolean isLongest = text.text.length() == length;
    String parent = isLongest ? text.text.substring(0, last) : text.text;
    int letter = isLongest ? letters.indexOf(text.text.charAt(last)) : letters.length();
    Arrays.stream(prefixes)
        .filter(each -> each != null && each.text.equals(parent))
        .forEach(each -> each.tally.replace(letter, text.tally));
  }

  private static double high(ListPlace text) {
    return text == null ? 0 : estimate(text).map(FractionEstimate::high).orElse(0.0);
  }

  private void extend(Extension candidate, double[] high) {
    int least = 1;
    for (int i = 2; i < high.length; i++) {
      least = high[i] < high[least] ? i : least;
    }
    if (high[least] < candidate.fraction()) {
      prefixes[least] = prefix(candidate.text);
      high[least] = highOfPrefix(prefixes[least]);
    }
  }

  private double highOfPrefix(ListPlace prefix) {
    return prefix == null ? 0 : highest(prefix) + LEAST * prefix.tally.noise();
  }

  /** Returns whether a prefix had its votes, and none of its candidates seems to have people. */
  private boolean isIdle(ListPlace prefix) {
    return 2 * prefix.tally.size() > votes() && highest(prefix) < LEAST * prefix.tally.noise();
  }

  private double highest(ListPlace prefix) {
    double highest = 0;
    for (int letter = 0; letter <= letters.length(); letter++) {
      highest = Math.max(highest, prefix.tally.fraction(letter));
    }
    return highest;
  }

  @Override
  public void visit(String name, LearnerState.Visitor visitor) {
    double[] saved = new double[1 + prefixes.length * size(ofPrefix()) + texts.length * size(1)];
    DoubleBuffer out = DoubleBuffer.wrap(saved).put(heaviest);
    Arrays.stream(prefixes).forEach(each -> save(each, out, size(ofPrefix())));
    Arrays.stream(texts).forEach(each -> save(each, out, size(1)));
    double[] visited = saved.clone();
    visitor.vector(name, visited);
    if (!Arrays.equals(saved, visited)) {
      DoubleBuffer in = DoubleBuffer.wrap(visited);
      heaviest = in.get();
      Arrays.setAll(prefixes, i -> restored(in, size(ofPrefix()), this::prefix));
      Arrays.setAll(texts, i -> restored(in, size(1), this::text));
    }
  }

  /** How many candidates begin with one prefix. */
  private int ofPrefix() {
    return letters.length() + 1;
  }

  /** How many numbers a place takes: 1 + its age, its characters, and the sums of its tally. */
  private int size(int candidates) {
    return 1 + length + VoteTally.length(candidates);
  }

  /** Writes a place; zeros if it is free. */
  private void save(ListPlace place, DoubleBuffer out, int size) {
    int at = out.position();
    if (place != null) {
      out.put(1 + place.age);
      place.text.chars().forEach(out::put);
      out.position(at + 1 + length).put(place.tally.sums());
    }
    out.position(at + size);
  }

  private ListPlace restored(DoubleBuffer in, int size, Function<String, ListPlace> empty) {
    int at = in.position();
    int age = (int) in.get() - 1;
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) in.get());
    }
    ListPlace place = age < 0 ? null : empty.apply(text.toString().replace("\0", ""));
    if (place != null) {
      place.age = age;
      in.get(place.tally.sums());
    }
    in.position(at + size);
    return place;
  }
}
