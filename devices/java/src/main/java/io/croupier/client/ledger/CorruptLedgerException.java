package io.croupier.client.ledger;

import java.nio.file.FileSystemException;
import java.nio.file.Path;

/**
 * A ledger's file is damaged in a way that no crash explains, so the spending can't be determined.
 * The file is not modified.
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
            + ": no crash causes such damage, and the spending can't be determined; if the"
            + " person accepts that the recorded spending is lost, move the file away");
  }
}
