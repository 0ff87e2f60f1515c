package io.croupier.operators.learner;

/**
 * A part of a state in sections that change separately, so that a save writes only those whose
 * values differ from the store's. A section is an array of longs, doubles among them as their bits;
 * its number never changes.
 */
public interface Sections {

  /** Returns how many sections there are. */
  int count();

  /** Returns whether the store lacks the present values of a section. */
  boolean isUnsaved(int section);

  /** Returns the values of a section; the caller may keep the array until the next call. */
  long[] read(int section);

  /** Records that the store has what {@link #read} returned last. */
  void saved(int section);

  /**
   * Restores a section as a store has it. Sections that the store doesn't have keep their initial
   * values.
   *
   * @throws IllegalStateException if the section can't have this many values
   */
  void restore(int section, long[] values);
}
