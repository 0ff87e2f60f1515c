package io.croupier.bench.study;

import java.io.IOException;
import java.nio.file.Path;

/** Something to look at. */
interface Figure {

  String title();

  /** Writes a PNG file. */
  void save(Path file) throws IOException;
}
