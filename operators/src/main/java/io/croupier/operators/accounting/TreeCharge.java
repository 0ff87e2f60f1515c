package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.schemas.CentralSpend;
import java.util.Optional;

/**
 * What participations in a model of tree aggregation cost. The round that a report names is its
 * leaf: round t is leaf t mod n of tree t div n if trees restart every n rounds, and leaf t of the
 * only tree if they don't.
 *
 * <p>All nodes above a leaf are charged at once: a user's zeta is that of completed trees, at least
 * that of the released ones at any time, so that nothing is left to charge when a node completes.
 * Nothing bounds the height of a tree that never restarts, so it is charged as one of {@link
 * Schedule#MAX_STEPS} leaves.
 *
 * <p>Which leaves share a node follows from the rounds' numbers alone. So it must in the noise: a
 * model that begins at a later round than 0 (its name was another's, or its state is lost) begins
 * at that leaf of its tree, with nothing below the ones before; else this may charge too little.
 *
 * @param noiseMultiplier sigma, positive and finite
 * @param trees of the same rounds, each with noise of its own: 2 for least squares
 * @param weight of a participation, {@link CentralMechanism#weight}; in events of before it was
 *     told, as many as trees
 * @param restartEvery leaves of each tree; {@link Schedule#NEVER}
 * @param variation total variation for each unit of zeta; 0 where an event tells of it
 */
record TreeCharge(
    double noiseMultiplier, int trees, double weight, long restartEvery, double variation)
    implements CentralCharge {
  /** The charge that an event tells of; empty if there is none such. */
  static Optional<TreeCharge> of(CentralSpend told) {
    int trees = told.getTrees();
    long restartEvery = told.getRestartEvery();
    double weight = told.hasWeight() ? told.getWeight() : trees;
    return trees >= 1
            && trees <= CentralMechanism.SUMS_OF_LEAST_SQUARES
            && weight >= 1
            && weight <= trees
            && restartEvery >= 0
        ? Optional.of(new TreeCharge(told.getNoiseMultiplier(), trees, weight, restartEvery, 0))
        : Optional.empty();
  }

  @Override
  public Optional<String> refusal(long round) {
    return leaf(round) < Schedule.MAX_STEPS
        ? Optional.empty()
        : Optional.of(
            "round is "
                + round
                + ": it must have a leaf, of which a tree has at most "
                + Schedule.MAX_STEPS
                + "; restart_every of the model is "
                + (restartEvery == Schedule.NEVER ? "not set" : restartEvery));
  }

  @Override
  public Participation participation(
      UserAccount account, String modelId, Totals spent, long round) {
    RunningZeta running = running(account.runningZeta(modelId), spent.lastRound, round);
    return new TreeParticipation(this, running, round, zeta(running, round));
  }

  /**
   * What to charge the tree of a round to.
   *
   * @param known what was charged last
   * @param lastRound for which round that was
   * @return {@code known}; something new if that was another tree. A later model of the same name
   *     may take up its predecessor's tree here: that charges too much, never too little
   */
  private RunningZeta running(RunningZeta known, long lastRound, long round) {
    RunningZeta unused = RunningZeta.ofTree(leaves());
    boolean sameTree =
        known.counts.length == unused.counts.length
            && known.nextLeaf == leaf(lastRound) + 1
            && round - leaf(round) == lastRound - leaf(lastRound);
    return sameTree ? known : unused;
  }

  /**
   * By how much a participation raises the user's zeta, weighed; changes nothing.
   *
   * @param round with a leaf, after those charged to {@code running}
   */
  private double zeta(RunningZeta running, long round) {
    return CentralMechanism.weighed(weight, (double) (running.after(leaf(round)) - running.zeta));
  }

  /** Charges a participation to its tree. */
  void charge(RunningZeta running, long round) {
    running.charge(leaf(round));
  }

  /** The record of a participation. */
  CentralSpend toProto(double zeta) {
    CentralSpend.Builder spend =
        CentralSpend.newBuilder().setZeta(zeta).setNoiseMultiplier(noiseMultiplier).setTrees(trees);
    if (weight != trees) {
      spend.setWeight(weight);
    }
    if (restartEvery != Schedule.NEVER) {
      spend.setRestartEvery(restartEvery);
    }
    return spend.build();
  }

  private long leaf(long round) {
    return restartEvery == Schedule.NEVER ? round : round % restartEvery;
  }

  private long leaves() {
    return restartEvery == Schedule.NEVER
        ? Schedule.MAX_STEPS
        : Math.min(restartEvery, Schedule.MAX_STEPS);
  }
}
