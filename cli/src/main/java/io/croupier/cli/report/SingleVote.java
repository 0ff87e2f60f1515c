package io.croupier.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.client.RoundTerms;
import io.croupier.client.ledger.DataKey;
import java.util.Map;
import java.util.TreeMap;

/** The one report of a person in a round of a model of statistics alone, without a gradient. */
final class SingleVote implements Gradients {
  private final RoundTerms terms;
  private final DataKey key;
  private boolean isTaken;

  SingleVote(RoundTerms terms, DataKey key) {
    this.terms = terms;
    this.key = key;
  }

  /** The digest of the person's categories and values, by the names of their statistics. */
  static DataKey digestOf(Map<String, String> categories) {
    return DataKey.digestOf(new TreeMap<>(categories).toString().getBytes(UTF_8));
  }

  @Override
  public EvaluatedGradient next() {
    EvaluatedGradient next =
        isTaken ? null : new EvaluatedGradient(terms, new GivenGradient(key, new double[0], 0));
    isTaken = true;
    return next;
  }

  @Override
  public String place() {
    return "the answer to round " + terms.round();
  }

  @Override
  public String left() {
    return "0 more";
  }

  @Override
  public long size() {
    return 1;
  }
}
