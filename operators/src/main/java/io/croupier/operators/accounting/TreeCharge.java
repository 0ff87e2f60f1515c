package io.croupier.operators.accounting;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.DpFtrl;
import io.croupier.schemas.DpFtrlLeastSquares;
import io.croupier.schemas.DpFtrlParameterFree;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.PrefixSumNoise;
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
 * @param restartEvery leaves of each tree; {@link Schedule#NEVER}
 */
record TreeCharge(double noiseMultiplier, int trees, long restartEvery) {
  /** Those of least squares: of the labels, and of the covariances. */
  private static final int MAX_TREES = 2;

  /** The charge of a valid spec; empty unless its model sums up with a tree's noise. */
  static Optional<TreeCharge> of(ModelSpec spec) {
    return switch (spec.getLearnerCase()) {
      case DP_FTRL -> {
        DpFtrl ftrl = spec.getDpFtrl();
        yield of(ftrl.getNoise(), ftrl.getNoiseMultiplier(), 1, ftrl.getRestartEvery());
      }
      case DP_FTRL_LEAST_SQUARES -> {
        DpFtrlLeastSquares ftrl = spec.getDpFtrlLeastSquares();
        yield of(ftrl.getNoise(), ftrl.getNoiseMultiplier(), MAX_TREES, Schedule.NEVER);
      }
      case DP_FTRL_PARAMETER_FREE -> {
        DpFtrlParameterFree ftrl = spec.getDpFtrlParameterFree();
        yield of(ftrl.getNoise(), ftrl.getNoiseMultiplier(), 1, ftrl.getRestartEvery());
      }
      case BANCO, BLACK_BOX, COORDINATE_WISE, ADAPTIVE_RADIUS, LDP_SGD, LEARNER_NOT_SET ->
          Optional.empty();
    };
  }

  private static Optional<TreeCharge> of(
      PrefixSumNoise noise, double noiseMultiplier, int trees, long restartEvery) {
    return noise.hasTree()
        ? Optional.of(new TreeCharge(noiseMultiplier, trees, restartEvery))
        : Optional.empty();
  }

  /** The charge that an event tells of; empty if there is none such. */
  static Optional<TreeCharge> of(CentralSpend told) {
    int trees = told.getTrees();
    long restartEvery = told.getRestartEvery();
    return trees >= 1 && trees <= MAX_TREES && restartEvery >= 0
        ? Optional.of(new TreeCharge(told.getNoiseMultiplier(), trees, restartEvery))
        : Optional.empty();
  }

  /** Whether a round, at least 0, has a leaf. */
  boolean hasLeaf(long round) {
    return leaf(round) < Schedule.MAX_STEPS;
  }

  /**
   * What to charge the tree of a round to.
   *
   * @param known what was charged last
   * @param lastRound for which round that was
   * @return {@code known}; something new if that was another tree. A later model of the same name
   *     may take up its predecessor's tree here: that charges too much, never too little
   */
  RunningZeta running(RunningZeta known, long lastRound, long round) {
    RunningZeta unused = RunningZeta.ofTree(leaves());
    boolean sameTree =
        known.counts.length == unused.counts.length
            && known.nextLeaf == leaf(lastRound) + 1
            && round - leaf(round) == lastRound - leaf(lastRound);
    return sameTree ? known : unused;
  }

  /**
   * By how much a participation raises the user's zeta; changes nothing.
   *
   * @param round with a leaf, after those charged to {@code running}
   */
  long zeta(RunningZeta running, long round) {
    return trees * (running.after(leaf(round)) - running.zeta);
  }

  /** Charges a participation to its tree. */
  void charge(RunningZeta running, long round) {
    running.charge(leaf(round));
  }

  /** The record of a participation. */
  CentralSpend toProto(long zeta) {
    CentralSpend.Builder spend =
        CentralSpend.newBuilder()
            .setZeta((double) zeta)
            .setNoiseMultiplier(noiseMultiplier)
            .setTrees(trees);
    return restartEvery == Schedule.NEVER
        ? spend.build()
        : spend.setRestartEvery(restartEvery).build();
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
