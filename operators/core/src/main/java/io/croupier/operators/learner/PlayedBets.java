package io.croupier.operators.learner;

import java.util.ArrayList;
import java.util.List;

/**
 * The bets that are played at the publications that a report may still name, oldest first: the
 * direction, the magnitude, and what the bettor knew. The newest publication shares the present
 * direction until the next step; then a copy is kept.
 */
final class PlayedBets {
  private static final String DIRECTION = "direction-at-";

  /** The bet of one publication. */
  static final class PlayedBet {
    private final long publication;

    /** q_j; null while it is the present direction. */
    private double[] direction;

    private double norm;

    /** The magnitude that is played. */
    private double magnitude;

    /** n of {@link BallConstraint}, as a multiple of the direction. */
    private double pull;

    private double coins;
    private double upperVariance;
    private double lowerVariance;

    /**
     * The product of the discounts since the publication, see {@link Memory}, over the growth of
     * the unit since then, see {@link RoundWeighting}.
     */
    private double remainder = 1;

    private boolean isSaved;

    private PlayedBet(long publication) {
      this.publication = publication;
    }

    double magnitude() {
      return magnitude;
    }

    double pull() {
      return pull;
    }

    double norm() {
      return norm;
    }

    double coins() {
      return coins;
    }

    double upperVariance() {
      return upperVariance;
    }

    double lowerVariance() {
      return lowerVariance;
    }

    /**
     * Returns what is left of a coin that the bet settles: a coin counts as if it had been there
     * when the bet was placed, and in the unit of that bet.
     */
    double remainder() {
      return remainder;
    }

    /** Returns the direction, given the present one. */
    double[] direction(double[] present) {
      return direction == null ? present : direction;
    }
  }

  private final List<PlayedBet> bets = new ArrayList<>();
  private final int dimension;

  /** Whether the present direction is the newest publication's. */
  private boolean isPresent;

  private double[] spare;

  /** Creates the bets of a bettor that has placed none. */
  PlayedBets(int dimension) {
    this.dimension = dimension;
  }

  /** Returns the bet of a publication; null if it isn't known. */
  PlayedBet find(long publication) {
    for (int i = bets.size() - 1; i >= 0; i--) {
      if (bets.get(i).publication == publication) {
        return bets.get(i);
      }
    }
    return null;
  }

  /** Returns whether a publication is newer than a bet's. */
  boolean isLate(PlayedBet bet) {
    return bets.get(bets.size() - 1) != bet;
  }

  /** Records that a publication plays the present direction. */
  void add(
      long publication,
      double magnitude,
      double pull,
      DirectionLearner.State direction,
      MagnitudeLearner.State bettor) {
    PlayedBet bet = new PlayedBet(publication);
    bet.magnitude = magnitude;
    bet.pull = pull;
    bet.norm = direction.norm();
    bet.coins = bettor.coins();
    bet.upperVariance = bettor.upperVariance();
    bet.lowerVariance = bettor.lowerVariance();
    bets.add(bet);
    isPresent = true;
  }

  /** Keeps a copy of the present direction before it changes. */
  void keep(double[] present) {
    if (!isPresent) {
      throw new IllegalStateException("Nothing was published since the last step");
    }
    double[] copy = spare == null ? new double[dimension] : spare;
    spare = null;
    System.arraycopy(present, 0, copy, 0, dimension);
    for (PlayedBet bet : bets) {
      if (bet.direction == null) {
        bet.direction = copy;
      }
    }
    isPresent = false;
  }

  /** Discounts what the bettor knew by beta, as its present sums. */
  void discount(double beta) {
    for (PlayedBet bet : bets) {
      bet.coins *= beta;
      bet.upperVariance *= beta * beta;
      bet.lowerVariance *= beta * beta;
      bet.remainder *= beta;
    }
  }

  /** Halves what is left of later coins, as their unit has doubled. */
  void halve() {
    for (PlayedBet bet : bets) {
      bet.remainder /= 2;
    }
  }

  /** Forgets the publications before {@code oldest}. */
  void forget(long oldest) {
    while (!bets.isEmpty() && bets.get(0).publication < oldest) {
      double[] direction = bets.remove(0).direction;
      if (bets.isEmpty() || bets.get(0).direction != direction) {
        spare = direction;
      }
    }
  }

  /** Records that the newest publication is unknown: reports that name it settle no bet. */
  void begin() {
    isPresent = true;
  }

  void visit(LearnerState.Visitor visitor) {
    int size = (int) visitor.count("bets", bets.size());
    long[] publications = bets.stream().mapToLong(bet -> bet.publication).toArray();
    long[] stored = publications.length == size ? publications : new long[size];
    visitor.counts("bet-publications", stored);
    if (bets.size() != size) {
      bets.clear();
      for (long publication : stored) {
        bets.add(new PlayedBet(publication));
      }
    }
    for (PlayedBet bet : bets) {
      visit(bet, visitor);
    }
    isPresent = visitor.count("bet-is-present", isPresent ? 1 : 0) != 0;
  }

  private void visit(PlayedBet bet, LearnerState.Visitor visitor) {
    String of = "-at-" + bet.publication;
    boolean hasDirection = visitor.count("bet-kept" + of, bet.direction == null ? 0 : 1) != 0;
    double[] numbers = {
      bet.norm, bet.magnitude, bet.pull, bet.coins, bet.upperVariance, bet.lowerVariance
    };
    visitor.vector("bet" + of, numbers);
    bet.norm = numbers[0];
    bet.magnitude = numbers[1];
    bet.pull = numbers[2];
    bet.coins = numbers[3];
    bet.upperVariance = numbers[4];
    bet.lowerVariance = numbers[5];
    bet.remainder = visitor.scalar("bet-remainder" + of, bet.remainder);
    if (hasDirection && !bet.isSaved) {
      if (bet.direction == null) {
        bet.direction = new double[dimension];
      }
      visitor.vector(DIRECTION + bet.publication, bet.direction);
      bet.isSaved = true;
    }
  }

  /** Returns whether a stored part belongs to a publication that is forgotten. */
  boolean isObsolete(String part) {
    int at = part.indexOf("-at-");
    if (at < 0) {
      return false;
    }
    int slash = part.indexOf('/', at);
    String publication = part.substring(at + 4, slash < 0 ? part.length() : slash);
    return find(Long.parseLong(publication)) == null;
  }
}
