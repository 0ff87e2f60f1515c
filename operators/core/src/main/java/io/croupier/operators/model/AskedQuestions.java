package io.croupier.operators.model;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.croupier.accounting.CategoryLaw;
import io.croupier.noise.SeededGroups;
import io.croupier.operators.evaluation.Reply;
import io.croupier.operators.learner.LearnerState;
import io.croupier.operators.report.VectorForm;
import io.croupier.schemas.Estimate;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Question;
import io.croupier.schemas.Questions;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.StatisticEstimate;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The questions and statistics of a local model, and the replies to each; those to the question of
 * its clip move the clip. What the spec no longer contains loses its replies, and late replies to
 * it don't count for what has its name later. Where the same round asked both, they are dropped;
 * but without weights they count for the later one, since only replies open another round.
 */
final class AskedQuestions {
  private static final String ANSWERS = "answers";
  private static final String LOST = "lost-meanings";
  private static final String LOST_MEANINGS = "lost-meanings-of-names";

  private final RoundClip clip;

  /** By name: the questions, then the statistics, in the order of the spec. */
  private Map<String, Asked> asked = new LinkedHashMap<>();

  /** The name of the experiment; empty if there is none. */
  private String experiment = "";

  private double probability;

  /** Replies that have entered a tally, also of questions that were removed since. */
  private long answers;

  /**
   * By the hash code of a name, the last meaning that it has lost, as far as reports may name
   * rounds of it.
   */
  private final TreeMap<Long, Lost> lost = new TreeMap<>();

  /**
   * What a name meant.
   *
   * @param before the round before which replies have that meaning
   * @param meaning its hash code
   */
  private record Lost(long before, long meaning) {
    Lost until(long round) {
      return new Lost(Math.min(before, round), meaning);
    }
  }

  /** Creates the questions and statistics of a valid spec and of its clip, without replies. */
  AskedQuestions(ModelSpec spec, RoundClip clip) {
    this.clip = clip;
    follow(spec, -1);
  }

  /**
   * Takes over the questions and statistics of a changed spec. One that stays keeps its replies,
   * but for those of an experiment if another one begins; one whose meaning changes begins anew.
   *
   * @param newestRound the last published round
   */
  void follow(ModelSpec spec, long newestRound) {
    Map<String, Asked> next = new LinkedHashMap<>();
    boolean isExperiment = spec.hasExperiment();
    boolean isAnother = !spec.getExperiment().equals(experiment);
    for (Question question : spec.getQuestionsList()) {
      Asked before = asked.get(question.getName());
      next.put(
          question.getName(),
          before instanceof AskedQuestion kept && kept.question().equals(question)
              ? (isAnother ? kept.begin(isExperiment) : kept)
              : AskedQuestion.of(question, isExperiment));
    }
    for (Statistic statistic : spec.getStatisticsList()) {
      Asked before = asked.get(statistic.getName());
      next.put(
          statistic.getName(),
          before instanceof AskedStatistic kept && kept.statistic().equals(statistic)
              ? (isAnother ? kept.begin(isExperiment) : kept)
              : AskedStatistic.of(statistic, isExperiment));
    }
    asked.forEach(
        (name, before) -> {
          if (!next.containsKey(name) || !next.get(name).meaning().equals(before.meaning())) {
            lost.put(hash(name), new Lost(newestRound + 1, hash(before.meaning())));
          }
        });
    if (spec.getDimension() == 0) {
      // Otherwise no reply to the newest round would open the next one.
      next.keySet()
          .forEach(name -> lost.computeIfPresent(hash(name), (h, of) -> of.until(newestRound)));
    }
    asked = next;
    experiment = spec.getExperiment();
    probability = Questions.probability(spec);
  }

  /**
   * Adds an answer or a vote.
   *
   * @param age how many publications are newer than the one that it is about
   * @return false if what it replies to was removed since it was admitted, or was not asked by that
   *     publication, or had another meaning, or if the model scouts and it is late
   */
  boolean add(RoundSum sum, int age) {
    boolean isOfClip = sum.form == VectorForm.ANSWER && clip.isAsked(sum);
    boolean isTaken = isOfClip ? clip.add(sum, age) : tally(sum, age);
    answers += isTaken ? 1 : 0;
    return isTaken;
  }

  private boolean tally(RoundSum sum, int age) {
    Asked to = asked.get(sum.question);
    return to != null && !isOfLost(to, sum.namedRound) && to.add(reply(sum), age);
  }

  private boolean isOfLost(Asked to, long round) {
    if (lost.isEmpty()) {
      return false; // so that a usual reply costs no hash code
    }
    Lost earlier = lost.get(hash(to.name()));
    return earlier != null && round < earlier.before && earlier.meaning != hash(to.meaning());
  }

  private static long hash(String name) {
    return hash(ByteString.copyFromUtf8(name));
  }

  /** Of the bytes, since the hash code of a message differs from one process to the next. */
  private static long hash(Message meaning) {
    return hash(meaning.toByteString());
  }

  /** FNV-1a of 64 bits: names are an operator's, who gains nothing by two of one hash code. */
  private static long hash(ByteString bytes) {
    long hash = 0xcbf29ce484222325L;
    for (byte each : bytes) {
      hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
    }
    return hash;
  }

  private static Reply reply(RoundSum sum) {
    if (sum.form == VectorForm.ANSWER) {
      return new Reply.Answer(sum.response);
    }
    return new Reply.Vote(
        CategoryLaw.of(sum.level, sum.groups, sum.isHashed),
        sum.isHashed
            ? j -> SeededGroups.group(sum.seed, j, sum.groups) == sum.group
            : j -> j == sum.group);
  }

  /**
   * Records a new publication: earlier replies count less.
   *
   * @param oldestRound the oldest round that a report may name
   */
  void age(long oldestRound) {
    asked.values().forEach(Asked::age);
    lost.values().removeIf(of -> of.before <= oldestRound);
  }

  /** Writes the probability of a question, and the estimates, into an update. */
  void describe(ModelUpdateView.Builder update) {
    boolean isAsking = isAsking();
    if (isAsking) {
      update.setQuestionProbability(clip.isScouting() ? 1 : probability);
    }
    if (isAsking || answers > 0) {
      update.setAnswers(answers);
    }
    update.addAllEstimates(estimates());
    update.addAllStatistics(statistics());
  }

  private boolean isAsking() {
    return !asked.isEmpty() || clip.isMoving();
  }

  /** Returns an estimate for each question, in the order of the spec. */
  List<Estimate> estimates() {
    return of(AskedQuestion.class, AskedQuestion::estimate);
  }

  /** Returns an estimate for each statistic, in the order of the spec. */
  List<StatisticEstimate> statistics() {
    return of(AskedStatistic.class, AskedStatistic::estimate);
  }

  private <T extends Asked, E> List<E> of(Class<T> kind, Function<T, E> estimate) {
    Stream<T> those = asked.values().stream().filter(kind::isInstance).map(kind::cast);
    return those.map(estimate).toList();
  }

  /** Writes the replies; nothing for a model that never asked. */
  void save(LearnerState.Visitor writer) {
    if (isAsking() || answers > 0) {
      writer.count(ANSWERS, answers);
    }
    asked.values().forEach(each -> each.visit(writer));
    if (!lost.isEmpty()) {
      writer.count(LOST, lost.size());
      writer.counts(
          LOST_MEANINGS,
          lost.entrySet().stream()
              .flatMapToLong(
                  of -> LongStream.of(of.getKey(), of.getValue().before, of.getValue().meaning))
              .toArray());
    }
  }

  /** Reads the replies: their number also where the spec asks nothing any more. */
  void restore(LearnerState.Visitor reader) {
    answers = reader.count(ANSWERS, 0);
    asked.values().forEach(each -> each.visit(reader));
    long[] parts = new long[3 * (int) reader.count(LOST, 0)];
    reader.counts(LOST_MEANINGS, parts);
    for (int i = 0; i < parts.length; i += 3) {
      lost.put(parts[i], new Lost(parts[i + 1], parts[i + 2]));
    }
  }

  /** Returns whether a stored part belongs to what the spec no longer contains. */
  boolean isForgotten(String part) {
    if (part.startsWith(LOST)) {
      return lost.isEmpty();
    }
    return Asked.CHUNKS.stream().filter(part::startsWith).anyMatch(chunk -> !isKept(chunk, part));
  }

  private boolean isKept(String chunk, String part) {
    Asked of = asked.get(part.substring(chunk.length(), part.lastIndexOf('/')));
    return of != null && of.tallies().containsKey(chunk);
  }
}
