package io.croupier.bench;

import java.io.IOException;
import java.nio.file.Path;

/** A picture of measurements. */
public interface Figure {

  /** What the picture shows. */
  String title();

  /** Writes a PNG file. */
  void save(Path file) throws IOException;
}
