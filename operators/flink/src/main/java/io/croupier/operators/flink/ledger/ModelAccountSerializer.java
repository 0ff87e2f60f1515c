package io.croupier.operators.flink.ledger;

import io.croupier.operators.flink.shuffle.FieldPass;
import io.croupier.operators.flink.shuffle.RecordSerializer;
import io.croupier.operators.flink.shuffle.RecordSnapshot;
import io.croupier.operators.ledger.ModelAccount;
import java.io.IOException;

/** The format of {@link ModelAccount} in state. State contains the name of its snapshot. */
public final class ModelAccountSerializer extends RecordSerializer<ModelAccount> {
  private static final long serialVersionUID = 1;

  /** Creates a serializer. */
  public ModelAccountSerializer() {
    super(ModelAccount.class, AccountFormats.VERSION, Location.STATE);
  }

  @Override
  protected void pass(FieldPass fields, ModelAccount from, ModelAccount to) throws IOException {
    AccountFormats.pass(fields, from, to);
  }

  @Override
  public ModelAccount createInstance() {
    return new ModelAccount();
  }

  @Override
  public Snapshot snapshotConfiguration() {
    return new Snapshot();
  }

  /** The snapshot of this serializer. */
  public static final class Snapshot extends RecordSnapshot<ModelAccount> {
    /** Creates the snapshot of a serializer of this release. */
    public Snapshot() {
      super(ModelAccountSerializer::new);
    }
  }
}
