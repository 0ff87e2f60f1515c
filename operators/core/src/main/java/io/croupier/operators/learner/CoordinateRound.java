package io.croupier.operators.learner;

import java.util.Arrays;

/** What the bettors of all coordinates share in a round. Reused from round to round. */
final class CoordinateRound {
  final RoundCoins coins = new RoundCoins();

  /** The coordinates that a sparse round touches, ascending. */
  int[] touched = {};

  /**
   * By part: the place in its coordinates, the index of its publication, and its weight's share.
   */
  private int[] cursors = {};

  int[] named = {};
  double[] shares = {};

  /** By part: the unit of the bets of its publication, over that of the newest ones. */
  double[] remainders = {};

  /** lambda / Omega, times the constraint's share. */
  double factor;

  /** lambda G / Omega. */
  double boundPerWeight;

  /** G. */
  double bound;

  void begin(CoordinateHistory history, Round round, double lambda, double unit, double share) {
    int size = round.size();
    if (named.length < size) {
      named = new int[size];
      shares = new double[size];
      remainders = new double[size];
    }
    cursors = new int[size];
    double weight = round.weight();
    for (int i = 0; i < size; i++) {
      named[i] = history.find(round.part(i).publication);
      shares[i] = round.part(i).weight / weight;
      remainders[i] = named[i] < 0 ? 1 : history.unit(named[i]) / unit;
    }
    factor = share * lambda / weight;
    bound = round.gradientBound();
    boundPerWeight = lambda / weight * bound;
  }

  /** Lists the coordinates that any part touches; returns how many. */
  int unite(Round round) {
    if (round.size() == 1) {
      touched = round.part(0).coordinates;
      return round.part(0).count;
    }
    int most = 0;
    for (int i = 0; i < round.size(); i++) {
      most += round.part(i).count;
    }
    int[] all = new int[most];
    int at = 0;
    for (int i = 0; i < round.size(); i++) {
      System.arraycopy(round.part(i).coordinates, 0, all, at, round.part(i).count);
      at += round.part(i).count;
    }
    Arrays.sort(all);
    int count = 0;
    for (int i = 0; i < most; i++) {
      if (count == 0 || all[count - 1] != all[i]) {
        all[count++] = all[i];
      }
    }
    touched = all;
    return count;
  }

  /** Returns where a part has a coordinate, -1 if nowhere; coordinates must not descend. */
  int position(Round.Part part, int i, int coordinate) {
    if (!part.isSparse()) {
      return coordinate;
    }
    while (cursors[i] < part.count && part.coordinates[cursors[i]] < coordinate) {
      cursors[i]++;
    }
    boolean isThere = cursors[i] < part.count && part.coordinates[cursors[i]] == coordinate;
    return isThere ? cursors[i] : -1;
  }
}
