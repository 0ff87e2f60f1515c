package io.croupier.studies;

import io.croupier.accounting.CategoryLaw;
import io.croupier.operators.evaluation.AnswerTally;
import io.croupier.operators.evaluation.FractionEstimate;
import io.croupier.operators.evaluation.Reply;
import io.croupier.operators.evaluation.ReplyTally;
import io.croupier.operators.evaluation.VoteTally;
import java.util.List;

/**
 * People who stay the same, of whom {@link #REPLIES} reply to each publication, and whose intervals
 * are looked at after each.
 *
 * @param k categories of a choice, or 0 for a question
 * @param fraction of the first category, all others being equally frequent; or of yes
 * @param epsilons of the replies, each equally often
 */
record LookCase(int k, double fraction, List<Double> epsilons) {
  static final int REPLIES = 20;

  /** After how many publications to count; the last one is where a run ends. */
  static final List<Integer> CHECKPOINTS = List.of(1, 10, 44, 100, 300, 1000);

  String label() {
    return "%s, fraction %s, epsilon %s"
        .formatted(
            k == 0 ? "question" : "choice of " + k,
            NumberLabels.short3(fraction),
            String.join(", ", epsilons.stream().map(NumberLabels::short3).toList()));
  }

  /**
   * Returns for each tally, lasting, recent and all, and each checkpoint, whether an interval has
   * excluded the fraction by then.
   */
  boolean[][] run(SeededRandom random) {
    List<ReplyTally> tallies =
        k == 0
            ? List.of(AnswerTally.lasting(), AnswerTally.recent(), AnswerTally.all())
            : List.of(VoteTally.lasting(k), VoteTally.recent(k), VoteTally.all(k));
    List<CategoryLaw> laws =
        (k == 0 ? List.<Double>of() : epsilons)
            .stream().map(epsilon -> CategoryWay.HASHED.law(epsilon, k)).toList();
    boolean[] missed = new boolean[tallies.size()];
    boolean[][] missedBy = new boolean[tallies.size()][CHECKPOINTS.size()];
    int checkpoint = 0;
    for (int i = 1; checkpoint < CHECKPOINTS.size(); i++) {
      for (int j = 0; j < REPLIES; j++) {
        Reply reply = reply(random.below(epsilons.size()), laws, random);
        tallies.forEach(tally -> tally.add(reply, 0));
      }
      boolean isCheckpoint = i == CHECKPOINTS.get(checkpoint);
      for (int t = 0; t < missed.length; t++) {
        FractionEstimate estimate = estimate(tallies.get(t));
        missed[t] |= fraction < estimate.low() || fraction > estimate.high();
        if (isCheckpoint) {
          missedBy[t][checkpoint] = missed[t];
        }
        tallies.get(t).age();
      }
      checkpoint += isCheckpoint ? 1 : 0;
    }
    return missedBy;
  }

  private Reply reply(int level, List<CategoryLaw> laws, SeededRandom random) {
    boolean isFirst = random.uniform() < fraction;
    if (k == 0) {
      return answer(isFirst, epsilons.get(level), random);
    }
    int category = isFirst ? 0 : 1 + random.below(k - 1);
    return new Reply.Vote(
        laws.get(level), CategoryWay.HASHED.draw(category, epsilons.get(level), k, random));
  }

  static Reply.Answer answer(boolean isYes, double epsilon, SeededRandom random) {
    double h = Math.tanh(epsilon / 2);
    boolean isKept = random.uniform() < (1 + h) / 2;
    return new Reply.Answer(isYes == isKept ? h : -h);
  }

  private static FractionEstimate estimate(ReplyTally tally) {
    return tally instanceof AnswerTally answers
        ? answers.estimate().orElseThrow()
        : ((VoteTally) tally).estimates().get(0);
  }
}
