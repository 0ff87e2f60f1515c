package io.croupier.studies;

/**
 * A way to choose the clip of a model.
 *
 * @param label what tables and legends call it
 * @param clip the clip if it is fixed, else the first one
 * @param moves whether it follows people's answers
 * @param slopeRule whether rounds announce a share of the slope bound
 */
record ClipWay(String label, double clip, boolean moves, boolean slopeRule) {

  static ClipWay fixed(String label, double clip) {
    return new ClipWay(label, clip, false, false);
  }

  static ClipWay moving(String label, double initial) {
    return new ClipWay(label, initial, true, false);
  }

  static ClipWay withSlopeRule(String label, double initial) {
    return new ClipWay(label, initial, true, true);
  }
}
