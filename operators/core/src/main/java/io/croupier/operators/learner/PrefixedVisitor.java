package io.croupier.operators.learner;

/** Visits the parts of a state under names with a prefix. */
record PrefixedVisitor(String prefix, LearnerState.Visitor visitor)
    implements LearnerState.Visitor {

  @Override
  public double scalar(String name, double value) {
    return visitor.scalar(prefix + name, value);
  }

  @Override
  public long count(String name, long value) {
    return visitor.count(prefix + name, value);
  }

  @Override
  public void vector(String name, double[] values) {
    visitor.vector(prefix + name, values);
  }

  @Override
  public void counts(String name, long[] values) {
    visitor.counts(prefix + name, values);
  }

  @Override
  public void sections(String name, Sections sections) {
    visitor.sections(prefix + name, sections);
  }
}
