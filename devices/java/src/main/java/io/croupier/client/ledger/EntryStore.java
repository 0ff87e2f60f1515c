package io.croupier.client.ledger;

import java.io.IOException;

/** The storage of entries. */
interface EntryStore extends AutoCloseable {
  /** Stores nothing, for ledgers that end with their process. */
  EntryStore NOWHERE =
      new EntryStore() {
        @Override
        public void append(LedgerEntry entry) {}

        @Override
        public void tidy() {}

        @Override
        public void close() {}
      };

  /** Adds an entry; an entry with a report is durable on return. */
  void append(LedgerEntry entry) throws IOException;

  /** Removes settled reports, but not their cost, once they take enough space. */
  void tidy() throws IOException;

  @Override
  void close() throws IOException;
}
