package io.croupier.operators.flink.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** A field that is added in a later version. */
class RecordVersionsTest {

  /** A record with a field of the first version and one of the second. */
  public static final class Grown {
    public long first;
    public String second = "none";
  }

  private static class First extends RecordSerializer<Grown> {
    private static final long serialVersionUID = 1;

    First(int version) {
      super(Grown.class, version, Location.TRANSIT);
    }

    @Override
    protected void pass(FieldPass fields, Grown from, Grown to) throws IOException {
      to.first = fields.number(from.first);
    }

    @Override
    public Grown createInstance() {
      return new Grown();
    }

    @Override
    public RecordSnapshot<Grown> snapshotConfiguration() {
      throw new UnsupportedOperationException();
    }
  }

  private static final class Second extends First {
    private static final long serialVersionUID = 1;

    Second() {
      super(2);
    }

    @Override
    protected void pass(FieldPass fields, Grown from, Grown to) throws IOException {
      super.pass(fields, from, to);
      to.second = fields.since(2).text(from.second);
    }
  }

  private static DataInputDeserializer written(First serializer, Grown record) throws IOException {
    DataOutputSerializer out = new DataOutputSerializer(16);
    serializer.serialize(record, out);
    return new DataInputDeserializer(out.getCopyOfBuffer());
  }

  @Test
  void theNewFieldKeepsItsInitialValueInOldRecords() throws Exception {
    Grown record = new Grown();
    record.first = 7;
    record.second = "some";
    Grown reused = new Grown();
    reused.second = "other";
    Second serializer = new Second();
    Grown old = serializer.deserialize(reused, written(new First(1), record));
    assertThat(old.first).isEqualTo(7);
    assertThat(old.second).isEqualTo("none");
    assertThat(serializer.deserialize(written(serializer, record)).second).isEqualTo("some");
    assertThat(serializer.copy(record).second).isEqualTo("some");
  }
}
