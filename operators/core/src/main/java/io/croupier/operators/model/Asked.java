package io.croupier.operators.model;

import com.google.protobuf.Message;
import io.croupier.operators.evaluation.Reply;
import io.croupier.operators.evaluation.ReplyTally;
import io.croupier.operators.learner.LearnerState;
import java.util.List;
import java.util.Map;

/** A question or statistic of a spec, with the replies to it. */
sealed interface Asked permits AskedQuestion, AskedStatistic {
  /** What the names of the chunks of its state begin with, before its own name. */
  List<String> CHUNKS =
      List.of(
          AskedQuestion.ANSWERS,
          AskedQuestion.RECENT_ANSWERS,
          AskedQuestion.ALL_ANSWERS,
          AskedStatistic.VOTES,
          AskedStatistic.RECENT_VOTES,
          AskedStatistic.ALL_VOTES,
          AskedStatistic.THRESHOLDS,
          AskedStatistic.TEXTS);

  String name();

  /** What the spec asks. */
  Message meaning();

  /** Its tallies, by what the names of their chunks begin with. */
  Map<String, ReplyTally> tallies();

  /** Adds a reply to each tally; returns false if they take none of its kind. */
  default boolean add(Reply reply, int age) {
    boolean isTaken = true;
    for (ReplyTally tally : tallies().values()) {
      isTaken &= tally.add(reply, age);
    }
    return isTaken;
  }

  /** Records another publication: earlier replies count less. */
  default void age() {
    tallies().values().forEach(ReplyTally::age);
  }

  /** Passes the state to a visitor, which may restore it. */
  default void visit(LearnerState.Visitor visitor) {
    tallies().forEach((chunk, tally) -> tally.visit(chunk + name(), visitor));
  }
}
