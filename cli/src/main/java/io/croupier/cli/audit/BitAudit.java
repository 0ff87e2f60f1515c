package io.croupier.cli.audit;

import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;

/**
 * What releases of both answers by a randomiser of bits show of its level, and of the probability
 * of the true bit. There is a single event to test: that the released bit is yes.
 *
 * <p>A false alarm has a probability of at most that requested: half of it is for the event, half
 * for the probability of the true bit.
 */
final class BitAudit {
  private static final int STEP = 512;

  private BitAudit() {}

  /**
   * Draws the releases.
   *
   * @param claim what the randomiser declares
   * @param release the randomiser
   * @param samples number of releases of each answer, at least 1
   * @param falseAlarm bound on the probability of refuting a true claim
   * @param progress called with the number of further releases
   */
  static Finding of(
      RandomisedResponseMechanism claim,
      UnaryOperator<Boolean> release,
      int samples,
      double falseAlarm,
      IntConsumer progress) {
    int yesOfYes = 0;
    int yesOfNo = 0;
    int shown = 0;
    for (int i = 1; i <= samples; i++) {
      yesOfYes += release.apply(true) ? 1 : 0;
      yesOfNo += release.apply(false) ? 1 : 0;
      if (i % STEP == 0 || i == samples) {
        progress.accept(2 * (i - shown));
        shown = i;
      }
    }
    return new Finding(
        "answer",
        "",
        claim.level(),
        new EventCount(
            claim.isMu() ? PrivacyDefinition.MU : PrivacyDefinition.EPSILON,
            samples,
            yesOfYes,
            yesOfNo),
        falseAlarm,
        Finding.format(
            "Event: the bit is yes; of %,d releases each: %,d of yes, %,d of no.",
            samples, yesOfYes, yesOfNo),
        List.of(
            ClopperPearson.check(
                "probability of the true bit",
                (1 + claim.law().strength()) / 2,
                yesOfYes + samples - yesOfNo,
                2 * samples,
                falseAlarm / 4)));
  }
}
