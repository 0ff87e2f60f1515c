package io.croupier.client.ledger;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;

/** {@link FileChannel#open(Path, Set, FileAttribute...)}, where a test may come between. */
@FunctionalInterface
interface Channels {
  FileChannel open(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException;
}
