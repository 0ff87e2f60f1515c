package io.croupier.client.ledger;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * A ledger's file is damaged in a way that no crash explains, so what was spent can't be told. It
 * is left as it is.
 */
public final class CorruptLedgerException extends FileSystemException {
  private static final long serialVersionUID = 1;

  CorruptLedgerException(Path path, long position, String what) {
    super(
        path.toString(),
        null,
        what
            + " at byte "
            + position
            + ": no crash leaves a file like that, so what was spent can't be told from it; it must"
            + " be mended or, if the person agrees to forget what was spent, moved away");
  }
}
