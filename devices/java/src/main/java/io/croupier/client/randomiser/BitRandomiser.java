package io.croupier.client.randomiser;

import io.croupier.accounting.ResponseLaw;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.noise.SecureBits;
import io.croupier.noise.UniformIntegers;
import io.croupier.schemas.Answer;
import io.croupier.schemas.Declarations;
import io.croupier.schemas.view.GradientReportView;
import java.util.Optional;

/**
 * Randomises a person's answer to a question: one bit, by randomised response. The guarantee holds
 * between the two answers, for one release.
 *
 * <p>The draw that decides whether the bit is inverted doesn't depend on the answer, and takes one
 * word, so neither the value nor the time of a release depends on the answer otherwise than as
 * declared. Every release begins with fresh randomness of the operating system, see {@link
 * SecureBits}.
 *
 * <p>Safe for use by several threads. It contains a generator and can't be serialised.
 */
public final class BitRandomiser {
  private final RandomisedResponseMechanism mechanism;
  private final ResponseLaw law;
  private final ReleaseCost cost;
  private final SecureBits bits;
  private final UniformIntegers integers;

  BitRandomiser(RandomisedResponseMechanism mechanism, SecureBits bits) {
    this.mechanism = mechanism;
    law = mechanism.law();
    cost = ReleaseCost.of(mechanism);
    this.bits = bits;
    integers = UniformIntegers.of(bits);
  }

  /**
   * A randomiser whose releases are epsilon-LDP.
   *
   * @param epsilon in nats
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static BitRandomiser ofEpsilon(double epsilon) {
    return new BitRandomiser(new RandomisedResponseMechanism(epsilon, false), new SecureBits());
  }

  /**
   * A randomiser whose releases are mu-GDP.
   *
   * @throws IllegalArgumentException if mu is not positive and finite
   */
  public static BitRandomiser ofMu(double mu) {
    return new BitRandomiser(new RandomisedResponseMechanism(mu, true), new SecureBits());
  }

  /**
   * A randomiser whose releases cost what a gradient of another randomiser costs, so that the
   * person's spend doesn't depend on which of the two a round asks for. Empty if that cost is
   * undisclosed, since an answer always declares its level, or has neither an epsilon nor a mu:
   * such a device answers no question.
   */
  public static Optional<BitRandomiser> costing(ReleaseCost cost) {
    if (cost.undisclosed()) {
      return Optional.empty();
    }
    if (cost.mu().signum() > 0) {
      return Optional.of(ofMu(cost.mu().doubleValue()));
    }
    return cost.epsilon().signum() > 0
        ? Optional.of(ofEpsilon(cost.epsilon().doubleValue()))
        : Optional.empty();
  }

  /** The privacy cost of one release to the person, which the job accounts, too. */
  public ReleaseCost cost() {
    return cost;
  }

  /** What a release declares. */
  public RandomisedResponseMechanism mechanism() {
    return mechanism;
  }

  /** The law of a release. */
  public ResponseLaw law() {
    return law;
  }

  /** Releases an answer once. Every call spends {@link #cost} again. */
  public boolean release(boolean answer) {
    synchronized (bits) {
      bits.renew();
      return draw(answer, integers, law);
    }
  }

  /** The answer, or its opposite: the draw is the same for both. */
  static boolean draw(boolean answer, UniformIntegers integers, ResponseLaw law) {
    return answer ^ integers.isUpTo(law.flips() - 1);
  }

  /**
   * Releases an answer once, into a report: the bit and its declaration.
   *
   * @param question name of the question
   */
  public void release(String question, boolean answer, GradientReportView.Builder report) {
    report.setAnswer(Answer.newBuilder().setQuestion(question).setBit(release(answer)));
    Declarations.declare(mechanism, report);
  }
}
