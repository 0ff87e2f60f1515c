package io.croupier.operators.learner;

/** The state of a learner: named numbers and vectors, shown to whoever saves or restores them. */
public interface LearnerState {

  /** Steps taken so far. */
  long round();

  /**
   * Shows every part of the state to {@code visitor}, in a fixed order. Vectors are live: a visitor
   * that restores writes into them.
   */
  void visit(Visitor visitor);

  /** Reads or restores a state. Names are unique within a state and never change their meaning. */
  interface Visitor {

    /** Shows a number; the returned one takes its place. */
    double scalar(String name, double value);

    /** Shows a count; the returned one takes its place. */
    long count(String name, long value);

    /** Shows a vector, which may be changed in place. */
    void vector(String name, double[] values);

    /** Shows a vector of counts, which may be changed in place. */
    void counts(String name, long[] values);
  }
}
