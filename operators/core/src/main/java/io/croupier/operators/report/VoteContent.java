package io.croupier.operators.report;

import io.croupier.accounting.mechanism.HashedResponseMechanism;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.schemas.HashedResponse;
import io.croupier.schemas.Questions;
import io.croupier.schemas.Statistics;
import io.croupier.schemas.Vote;

/**
 * A vote for a statistic: one of the declared groups.
 *
 * @param isHashed whether a seed assigns the categories to groups
 * @param seed 0 without one
 * @param group randomised
 */
public record VoteContent(String statistic, boolean isHashed, long seed, int group)
    implements Counted {

  /**
   * Reads a vote.
   *
   * @param declared by its report
   * @return null unless the message is well-formed
   */
  static VoteContent read(Vote vote, HashedResponse declared) {
    return vote.hasIndex()
            && Statistics.isIndex(vote, declared)
            && Questions.isName(vote.getStatistic())
        ? new VoteContent(vote.getStatistic(), vote.hasSeed(), vote.getSeed(), vote.getIndex())
        : null;
  }

  @Override
  public String field() {
    return "vote.statistic";
  }

  @Override
  public String objection(ReportTerms terms) {
    return terms.statistics().containsKey(statistic)
        ? ""
        : "vote.statistic must be one of the model's: it has "
            + ReportTerms.text(terms.statistics().keySet());
  }

  @Override
  public String objectionTo(Mechanism mechanism, ReportTerms terms) {
    return ((HashedResponseMechanism) mechanism)
        .objection(terms.statistics().get(statistic), isHashed);
  }

  @Override
  public Count count(Mechanism mechanism) {
    HashedResponseMechanism declared = (HashedResponseMechanism) mechanism;
    return new Count(
        VectorForm.VOTE,
        statistic,
        0,
        seed,
        isHashed,
        group,
        declared.groups(),
        declared.epsilon());
  }

  /** Without the group. */
  @Override
  public String toString() {
    return "VoteContent";
  }
}
