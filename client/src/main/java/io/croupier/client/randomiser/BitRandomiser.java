package io.croupier.client.randomiser;

import io.croupier.accounting.ResponseLaw;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.Answer;
import io.croupier.schemas.RandomisedResponse;
import io.croupier.schemas.view.GradientReportView;

/**
 * Randomises a person's answer to a question: one bit, by randomised response. The guarantee holds
 * between the two answers, for one release.
 *
 * <p>Whether the bit is inverted is drawn before the answer is read, and the draw takes one word,
 * so neither the value nor the time of a release depends on the answer otherwise than as declared.
 * Every release begins with fresh randomness of the operating system, see {@link SecureBits}.
 *
 * <p>Safe for use by several threads. It contains a generator and can't be serialised.
 */
public final class BitRandomiser {
  private final RandomisedResponse declaration;
  private final ResponseLaw law;
  private final Cost cost;
  private final SecureBits bits;

  private BitRandomiser(
      RandomisedResponse declaration, ResponseLaw law, Cost cost, SecureBits bits) {
    this.declaration = declaration;
    this.law = law;
    this.cost = cost;
    this.bits = bits;
  }

  /**
   * A randomiser whose releases are epsilon-LDP.
   *
   * @param epsilon in nats
   * @throws IllegalArgumentException if it is not positive and finite
   */
  public static BitRandomiser ofEpsilon(double epsilon) {
    return ofEpsilon(epsilon, new SecureBits());
  }

  static BitRandomiser ofEpsilon(double epsilon, SecureBits bits) {
    return new BitRandomiser(
        RandomisedResponse.newBuilder().setEpsilon(epsilon).build(),
        ResponseLaw.ofEpsilon(epsilon),
        Cost.ofEpsilon(epsilon),
        bits);
  }

  /**
   * A randomiser whose releases are mu-GDP.
   *
   * @throws IllegalArgumentException if mu is not positive and finite
   */
  public static BitRandomiser ofMu(double mu) {
    return ofMu(mu, new SecureBits());
  }

  static BitRandomiser ofMu(double mu, SecureBits bits) {
    return new BitRandomiser(
        RandomisedResponse.newBuilder().setMu(mu).build(),
        ResponseLaw.ofMu(mu),
        Cost.ofMu(mu),
        bits);
  }

  /** The privacy cost of one release to the person, which the job accounts, too. */
  public Cost cost() {
    return cost;
  }

  /** The law of a release. */
  public ResponseLaw law() {
    return law;
  }

  /** Releases an answer once. Every call spends {@link #cost} again. */
  public boolean release(boolean answer) {
    return answer ^ flips();
  }

  private synchronized boolean flips() {
    bits.renew();
    return bits.getAsLong() >>> 1 < law.flips();
  }

  /**
   * Releases an answer once, into a report: the bit and its declaration.
   *
   * @param question name of the question
   */
  public void release(String question, boolean answer, GradientReportView.Builder report) {
    report
        .setAnswer(Answer.newBuilder().setQuestion(question).setBit(release(answer)))
        .setRandomisedResponse(declaration);
  }
}
