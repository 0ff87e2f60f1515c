package io.croupier.cli.audit;

import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import java.util.List;

/**
 * What releases of both answers, yes as g and no as h, by a randomiser of bits show of its level,
 * and of the probability of the true bit. There is a single event to test: that the released bit is
 * yes.
 *
 * <p>A false alarm has a probability of at most that requested: half of it is for the event, half
 * for the probability of the true bit.
 */
final class BitAudit implements Experiment<Boolean, BitAudit> {
  private final RandomisedResponseMechanism claim;
  private int yesOfYes;
  private int yesOfNo;

  /** Tests what a randomiser declares. */
  BitAudit(RandomisedResponseMechanism claim) {
    this.claim = claim;
  }

  @Override
  public BitAudit another() {
    return new BitAudit(claim);
  }

  @Override
  public void add(int index, Boolean ofYes, Boolean ofNo) {
    yesOfYes += ofYes ? 1 : 0;
    yesOfNo += ofNo ? 1 : 0;
  }

  @Override
  public void add(BitAudit other) {
    yesOfYes += other.yesOfYes;
    yesOfNo += other.yesOfNo;
  }

  @Override
  public Finding finding(int pairs, double falseAlarm) {
    return new Finding(
        "answer",
        "",
        claim.level(),
        new EventCount(
            claim.isMu() ? PrivacyDefinition.MU : PrivacyDefinition.EPSILON,
            pairs,
            yesOfYes,
            yesOfNo),
        falseAlarm,
        Finding.format(
            "Event: the bit is yes; of %,d releases each: %,d of yes, %,d of no.",
            pairs, yesOfYes, yesOfNo),
        List.of(
            ClopperPearson.check(
                "probability of the true bit",
                (1 + claim.law().strength()) / 2,
                yesOfYes + pairs - yesOfNo,
                2 * pairs,
                falseAlarm / 4)));
  }
}
