package io.croupier.client.ledger;

import java.io.IOException;

/** Where entries are kept. */
interface EntryStore extends AutoCloseable {
  /** Keeps nothing: for ledgers that live as long as their process. */
  EntryStore NOWHERE =
      new EntryStore() {
        @Override
        public void append(LedgerEntry entry) {}

        @Override
        public void tidy() {}

        @Override
        public void close() {}
      };

  /** Adds an entry; one that holds a report is durable on return. */
  void append(LedgerEntry entry) throws IOException;

  /** Forgets what is settled, but not what it cost, once that is worth the work. */
  void tidy() throws IOException;

  @Override
  void close() throws IOException;
}
