package io.croupier.operators.ledger;

import io.croupier.accounting.tree.RunningZeta;
import io.croupier.accounting.tree.Schedule;
import io.croupier.schemas.CentralSpend;
import io.croupier.schemas.TreeSpend;
import java.util.Optional;

/**
 * The cost of participations in a model of tree aggregation. The round that a report names is its
 * leaf: round t is leaf t mod n of tree t div n if trees restart every n rounds, and otherwise leaf
 * t of the only tree.
 *
 * <p>All nodes above a leaf are charged together: a user's zeta is that of completed trees, which
 * is at least that of the nodes released at any time, so completing a node adds no charge. The
 * height of a tree that never restarts is unbounded, so it is charged as one of {@link
 * Schedule#MAX_STEPS} leaves.
 *
 * <p>Which leaves share a node follows from the round numbers alone. The noise must use the same
 * rule: a model that begins at a later round than 0 (because its name was used before, or its state
 * is lost) must begin at that leaf of its tree, with empty leaves before it. Otherwise this class
 * may charge too little.
 *
 * @param noiseMultiplier sigma, positive and finite
 * @param trees number of trees over the same rounds, each with noise of its own: 2 for least
 *     squares
 * @param weight weight of a participation, {@link CentralMechanism#weight}; older events lack it,
 *     and have the number of trees
 * @param restartEvery leaves of each tree, or {@link Schedule#NEVER}
 * @param variation total variation for each unit of zeta; 0 if the event contains it
 */
record TreeCharge(
    double noiseMultiplier, int trees, double weight, long restartEvery, double variation)
    implements CentralCharge {
  /** Returns the charge that an event records; empty if it is impossible. */
  static Optional<TreeCharge> of(CentralSpend recorded) {
    int trees = recorded.getTrees();
    long restartEvery = recorded.getRestartEvery();
    double weight = recorded.hasWeight() ? recorded.getWeight() : trees;
    return trees >= 1
            && trees <= CentralMechanism.SUMS_OF_LEAST_SQUARES
            && weight >= 1
            && weight <= trees
            && restartEvery >= 0
        ? Optional.of(new TreeCharge(recorded.getNoiseMultiplier(), trees, weight, restartEvery, 0))
        : Optional.empty();
  }

  @Override
  public Optional<String> refusal(long round) {
    return leaf(round) < Schedule.MAX_STEPS
        ? Optional.empty()
        : Optional.of(
            "round is "
                + round
                + ": it must be a leaf of a tree, which has at most "
                + Schedule.MAX_STEPS
                + " leaves; restart_every of the model is "
                + (restartEvery == Schedule.NEVER ? "not set" : restartEvery));
  }

  @Override
  public Participation participation(
      UserAccount account, String modelId, Totals spent, long round) {
    RunningZeta running = running(account.runningZeta(modelId), spent.lastRound, round);
    return new TreeParticipation(this, running, round, zeta(running, round));
  }

  /**
   * Returns the running charge of a round's tree.
   *
   * @param known the latest charge
   * @param lastRound the round of that charge
   * @return {@code known}, or a new one if that was another tree. A later model of the same name
   *     may continue its predecessor's tree here: that charges too much, never too little
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
   * Returns by how much a participation raises the user's weighted zeta; changes nothing.
   *
   * @param round a round with a leaf, after those charged to {@code running}
   */
  private double zeta(RunningZeta running, long round) {
    return CentralMechanism.weighed(weight, (double) (running.after(leaf(round)) - running.zeta));
  }

  /** Charges a participation to its tree. */
  void charge(RunningZeta running, long round) {
    running.charge(leaf(round));
  }

  /**
   * Returns the charge of the tree after the participation that an event records.
   *
   * @param recorded a possible participation, with its tree
   * @throws IllegalArgumentException if the tree is impossible
   */
  static RunningZeta recorded(CentralSpend recorded, long round) {
    return of(recorded)
        .flatMap(charge -> charge.recorded(recorded.getTree(), round))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "central_spend.tree of the accounting event is impossible; it must have a count"
                        + " for each level of the tree, from the leaves up, and a zeta of at least 1"));
  }

  private Optional<RunningZeta> recorded(TreeSpend tree, long round) {
    RunningZeta running = RunningZeta.ofTree(leaves());
    boolean isPossible = tree.getCountsCount() == running.counts.length && tree.getZeta() >= 1;
    for (int height = 0; isPossible && height < running.counts.length; height++) {
      running.counts[height] = tree.getCounts(height);
      isPossible = running.counts[height] >= (height == 0 ? 1 : running.counts[height - 1]);
    }
    running.nextLeaf = leaf(round) + 1;
    running.zeta = tree.getZeta();
    return isPossible ? Optional.of(running) : Optional.empty();
  }

  /**
   * Returns the record of a participation.
   *
   * @param running the charge of its tree, including it
   */
  CentralSpend toProto(double zeta, RunningZeta running) {
    TreeSpend.Builder tree = TreeSpend.newBuilder().setZeta(running.zeta);
    for (int count : running.counts) {
      tree.addCounts(count);
    }
    CentralSpend.Builder spend =
        CentralSpend.newBuilder()
            .setZeta(zeta)
            .setNoiseMultiplier(noiseMultiplier)
            .setTrees(trees)
            .setTree(tree);
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
