package io.croupier.operators.learner;

import io.croupier.operators.math.Vectors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Copies of a bettor with several {@link #MEMORIES}, so that none has to be chosen: w = sum of p_k
 * w_k, w_k the weights of the k-th copy, p its shares by {@link DiscountedHedge} on the copies'
 * linearised losses. All copies take the same steps, on gradients at w. The average is mixed with
 * the same shares. docs/theory/rounds.md, theorem 8, has what this promises against the best copy.
 *
 * <p>With lambda, Omega and s_j as in {@link RoundWeighting} and {@link Round}, and the weights and
 * shares of the publications that reports name:
 *
 * <pre>
 *   l_k = (lambda / Omega) sum of &lt;s_j, w_(k,j)&gt;;  l = (lambda / Omega) sum over parts and copies of p_(k,j) &lt;s_j, w_(k,j)&gt;
 * </pre>
 *
 * <p>People drift where the mixture does better than all of history, beyond chance: with x =
 * l_infinite - l, and the discount beta of {@link DiscountedHedge}, whose sum of a copy contains X,
 *
 * <pre>
 *   X &lt;- beta (X + x);  Q &lt;- beta^2 (Q + x^2);  drifting: X &gt; {@value #DEVIATIONS} sqrt(Q)
 * </pre>
 *
 * <p>Not before the discounts multiply to 1/2, while all of history is little. The losses are those
 * on gradients at w. So this is evidence while w is still wrong, and ends once the shares have
 * followed the people.
 *
 * <p>A step costs what the steps of all copies cost, and their losses O(d) for each part.
 */
public final class AutomaticMemory implements Learner<AutomaticMemory.State> {
  /** Of the copies, shortest first. */
  static final List<Memory> MEMORIES =
      List.of(new Memory(1 << 11), new Memory(1 << 13), new Memory(1 << 15), Memory.INFINITE);

  /** In which losses count: half as much after 2^13 reports, or eight rounds if that is longer. */
  private static final Memory COMPARISON = new Memory(1 << 13);

  private static final double LEAST_REMAINDER = StrictMath.pow(2, -1.0 / 8);

  private static final double DEVIATIONS = 2.25;
  private static final String SATURATIONS = "saturations";

  private final List<Bettor<?>> learners = new ArrayList<>();

  /** Creates the mixture of a bettor's copies, which differ in their memory alone. */
  AutomaticMemory(Function<Memory, Bettor<?>> bettor) {
    MEMORIES.forEach(memory -> learners.add(bettor.apply(memory)));
  }

  @Override
  public int dimension() {
    return learners.get(0).dimension();
  }

  @Override
  public State initial() {
    return new State(learners, dimension());
  }

  @Override
  public void step(State state, Round round) {
    double factor = state.weighting.next(round.weight()) / round.weight();
    double[] losses = new double[MEMORIES.size()];
    double loss = 0;
    for (int i = 0; i < round.size(); i++) {
      Round.Part part = round.part(i);
      double[] shares = state.played.get(part.publication);
      for (int k = 0; shares != null && k < losses.length; k++) {
        double ofCopy = factor * state.copies.get(k).loss(part);
        losses[k] += ofCopy;
        loss += shares[k] * ofCopy;
      }
    }
    double beta = Math.max(LEAST_REMAINDER, COMPARISON.remainder((double) round.reports));
    state.hedge.observe(losses, loss, beta);
    state.compare(losses[losses.length - 1] - loss, beta);
    state.copies.forEach(copy -> copy.step(round));
  }

  @Override
  public void publish(State state, long publication, Iterate out) {
    double[] shares = state.hedge.shares();
    state.played.put(publication, shares.clone());
    Arrays.fill(out.weights, 0);
    for (int k = 0; k < shares.length; k++) {
      state.copies.get(k).publish(publication, state.summand);
      Vectors.addScaled(shares[k], state.summand.weights, out.weights);
    }
    describe(state, out);
  }

  @Override
  public void describe(State state, Iterate out) {
    double[] shares = state.hedge.shares();
    int largest = 0;
    double saturations = 0;
    Arrays.fill(out.average, 0);
    out.diagnostics.clear();
    for (int k = 0; k < shares.length; k++) {
      state.copies.get(k).describe(state.summand);
      Vectors.addScaled(shares[k], state.summand.average, out.average);
      saturations += state.summand.diagnostics.get(SATURATIONS);
      largest = shares[k] >= shares[largest] ? k : largest;
      if (largest == k) {
        out.diagnostics.putAll(state.summand.diagnostics);
      }
    }
    out.round = state.round();
    Memory memory = MEMORIES.get(largest);
    out.diagnostics.put(SATURATIONS, saturations);
    out.diagnostics.put(Memory.DIAGNOSTIC, memory.isFinite() ? memory.halfLife() : 0);
    out.diagnostics.put("drifting", state.isDrifting() ? 1.0 : 0.0);
  }

  @Override
  public void forget(State state, long oldest) {
    state.played.headMap(oldest).clear();
    state.copies.forEach(copy -> copy.forget(oldest));
  }

  @Override
  public void beginAt(State state, double[] average, long rounds) {
    state.copies.forEach(copy -> copy.beginAt(average, rounds));
  }

  @Override
  public boolean isObsolete(State state, String part) {
    return state.copies.stream().anyMatch(copy -> copy.isObsolete(part));
  }

  /** A copy, and its state under names that begin with its memory. */
  private static final class Copy<S extends LearnerState> {
    private final Bettor<S> learner;
    private final S state;
    private final String prefix;

    Copy(Bettor<S> learner, Memory memory) {
      this.learner = learner;
      state = learner.initial();
      prefix = memory.isFinite() ? "half-life-" + (long) memory.halfLife() + "-" : "all-history-";
    }

    double loss(Round.Part part) {
      return learner.loss(state, part);
    }

    void step(Round round) {
      learner.step(state, round);
    }

    void publish(long publication, Iterate out) {
      learner.publish(state, publication, out);
    }

    void describe(Iterate out) {
      learner.describe(state, out);
    }

    void forget(long oldest) {
      learner.forget(state, oldest);
    }

    void beginAt(double[] average, long rounds) {
      learner.beginAt(state, average, rounds);
    }

    boolean isObsolete(String part) {
      return part.startsWith(prefix) && learner.isObsolete(state, part.substring(prefix.length()));
    }

    void visit(LearnerState.Visitor visitor) {
      state.visit(new PrefixedVisitor(prefix, visitor));
    }
  }

  /** The copies' states, and what compares them. */
  public static final class State implements LearnerState {
    private final List<Copy<?>> copies = new ArrayList<>();
    private final RoundWeighting weighting = new RoundWeighting();
    private final DiscountedHedge hedge = new DiscountedHedge(MEMORIES.size());

    /** The shares at the publications that a report may name. */
    private final TreeMap<Long, double[]> played = new TreeMap<>();

    /** Q. */
    private double squares;

    /** The product of the discounts. */
    private double remainder = 1;

    /** The last publication of a copy; not part of the state. */
    private final Iterate summand;

    private State(List<Bettor<?>> learners, int dimension) {
      for (int k = 0; k < learners.size(); k++) {
        copies.add(new Copy<>(learners.get(k), MEMORIES.get(k)));
      }
      summand = new Iterate(dimension);
    }

    private void compare(double lead, double beta) {
      squares = Math.min(Double.MAX_VALUE, beta * beta * (squares + lead * lead));
      remainder *= beta;
    }

    private boolean isDrifting() {
      return remainder <= 0.5
          && hedge.excess(MEMORIES.size() - 1) > DEVIATIONS * Math.sqrt(squares);
    }

    @Override
    public long round() {
      return copies.get(0).state.round();
    }

    @Override
    public void visit(Visitor visitor) {
      // The name by which an owner recognises a state of this release.
      visitor.count("round", round());
      weighting.visit(visitor);
      hedge.visit(visitor);
      squares = visitor.scalar("squared-leads", squares);
      remainder = visitor.scalar("comparison-remainder", remainder);
      visitPlayed(visitor);
      copies.forEach(copy -> copy.visit(visitor));
    }

    private void visitPlayed(Visitor visitor) {
      int size = (int) visitor.count("mixtures", played.size());
      long[] publications = new long[size];
      double[] shares = new double[size * copies.size()];
      int at = 0;
      for (Map.Entry<Long, double[]> mixture : played.entrySet()) {
        publications[at] = mixture.getKey();
        System.arraycopy(mixture.getValue(), 0, shares, at++ * copies.size(), copies.size());
      }
      visitor.counts("mixture-publications", publications);
      visitor.vector("mixture-shares", shares);
      played.clear();
      for (int i = 0; i < size; i++) {
        int from = i * copies.size();
        played.put(publications[i], Arrays.copyOfRange(shares, from, from + copies.size()));
      }
    }
  }
}
