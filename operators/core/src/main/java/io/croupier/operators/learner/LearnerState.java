package io.croupier.operators.learner;

/** The state of a learner: named numbers and vectors, which visitors save and restore. */
public interface LearnerState {

  /** Steps taken so far. */
  long round();

  /**
   * Passes every part of the state to {@code visitor}, in a fixed order. Vectors are not copied: a
   * visitor that restores writes into them.
   */
  void visit(Visitor visitor);

  /** Reads or restores a state. Names are unique within a state and never change their meaning. */
  interface Visitor {

    /** Visits a number; the returned one replaces it. */
    double scalar(String name, double value);

    /** Visits a count; the returned one replaces it. */
    long count(String name, long value);

    /** Visits a vector, which may be changed in place. */
    void vector(String name, double[] values);

    /** Visits a vector of counts, which may be changed in place. */
    void counts(String name, long[] values);

    /**
     * Visits a part in sections that change separately. A visitor that saves may leave out sections
     * that it has saved before.
     */
    void sections(String name, Sections sections);
  }
}
