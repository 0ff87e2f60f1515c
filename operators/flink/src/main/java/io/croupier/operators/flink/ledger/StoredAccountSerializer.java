package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.shuffle.FieldPass;
import io.croupier.operators.flink.shuffle.RecordSerializer;
import io.croupier.operators.flink.shuffle.RecordSnapshot;
import io.croupier.operators.ledger.StoredAccount;
import java.io.IOException;

/** The format of {@link StoredAccount} in state. State contains the name of its snapshot. */
public final class StoredAccountSerializer extends RecordSerializer<StoredAccount> {
  private static final long serialVersionUID = 1;

  /** Creates a serializer. */
  public StoredAccountSerializer() {
    super(StoredAccount.class, AccountFormats.VERSION, Location.STATE);
  }

  @Override
  protected void pass(FieldPass fields, StoredAccount from, StoredAccount to) throws IOException {
    AccountFormats.pass(fields, from, to);
  }

  @Override
  public StoredAccount createInstance() {
    return new StoredAccount();
  }

  @Override
  public Snapshot snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. */
  public static final class Snapshot extends RecordSnapshot<StoredAccount> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(StoredAccountSerializer::new);
    }
  }
}
