package io.croupier.operators.report;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;

/** Runs of packed values; a writer may split a packed vector into several runs of whole values. */
final class Runs {
  private static final byte[] EMPTY = {};

  private Runs() {}

  /** Returns no bytes where the vector isn't packed or a run is cut short. */
  static byte[] packed(List<ByteString> runs, UnknownFieldSet unknown, int width) {
    return unknown.isEmpty() && areWhole(runs, width) ? concatenate(runs) : EMPTY;
  }

  static boolean areWhole(List<ByteString> runs, int width) {
    for (int i = 0; i < runs.size(); i++) {
      if (runs.get(i).size() % width != 0) {
        return false;
      }
    }
    return true;
  }

  static byte[] concatenate(List<ByteString> runs) {
    int size = 0;
    for (int i = 0; i < runs.size(); i++) {
      size += runs.get(i).size();
    }
    byte[] values = new byte[size];
    int at = 0;
    for (int i = 0; i < runs.size(); i++) {
      runs.get(i).copyTo(values, at);
      at += runs.get(i).size();
    }
    return values;
  }
}
