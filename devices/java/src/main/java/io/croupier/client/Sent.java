package io.croupier.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.ledger.StoredReport;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.view.GradientReportView;

/**
 * What a report that was acknowledged is about, never what it states. The device's secret decides
 * that, not its data.
 *
 * @param about what the round asked for
 * @param sequence the report's number in the ledger, from 0
 */
public record Sent(About about, long sequence) {
  /** What a round may ask for. */
  public enum About {
    /** The gradient of the person's loss. */
    GRADIENT,
    /** Whether the size of the gradient is above the clip. */
    SIZE,
    /** The answer to a question about the average. */
    QUESTION,
    /** The person's category or value in a statistic. */
    STATISTIC
  }

  static Sent of(StoredReport report, RoundTerms terms) {
    try {
      GradientReportView sent = GradientReportView.parseFrom(report.bytes());
      return new Sent(about(sent, terms), report.sequence());
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("this device has just written the report", e);
    }
  }

  private static About about(GradientReportView sent, RoundTerms terms) {
    if (sent.hasVote()) {
      return About.STATISTIC;
    }
    if (!sent.hasAnswer()) {
      return About.GRADIENT;
    }
    String name = sent.getAnswer().getQuestion();
    if (name.equals(AdaptiveClips.QUESTION)) {
      return About.SIZE;
    }
    boolean isStatistic =
        terms.statistics().stream().map(Statistic::getName).anyMatch(name::equals);
    return isStatistic ? About.STATISTIC : About.QUESTION;
  }
}
