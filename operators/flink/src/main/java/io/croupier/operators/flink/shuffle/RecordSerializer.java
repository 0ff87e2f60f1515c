package io.croupier.operators.flink.shuffle;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes and reads one class of records, field by field and without reflection. A new field is one
 * line at the end of {@link #pass}; if a release has written the current version, with {@code
 * since} the next version, and that version.
 *
 * <p>Every record contains its version, and all earlier versions are read. Not thread-safe: each
 * thread has its own {@link #duplicate}.
 */
public abstract class RecordSerializer<T> extends TypeSerializer<T> {
  private static final long serialVersionUID = 1;

  /** The first byte of a record is this plus its version. */
  private static final int VERSION_0 = 16;

  /** Where records are kept. */
  public enum Location {
    /** Between operators, and in unaligned checkpoints. No operator changes a record's arrays. */
    TRANSIT(
        "A record between operators has format %d; this release reads %d to %d. Restore a savepoint, which contains no such records, instead of an unaligned checkpoint of another release"),
    /** In state, whose owner may change the record that it has read, and the record's arrays. */
    STATE(
        "A record in state has format %d; this release reads %d to %d. Restore the state with the release that wrote it, or a later one");

    private final String unreadable;

    Location(String unreadable) {
      this.unreadable = unreadable;
    }
  }

  private final Class<T> type;
  private final int earliest;
  private final int version;
  private final Location location;
  private transient FieldWriter writer;
  private transient FieldReader reader;
  private transient T initial;

  /**
   * Creates a serializer.
   *
   * @param type class of the records; there is one serializer for each
   * @param version of the records that it writes, at least 1
   * @param location where the records are kept
   */
  protected RecordSerializer(Class<T> type, int version, Location location) {
    this(type, 1, version, location);
  }

  /**
   * Creates a serializer of records that replaced others of another class.
   *
   * @param earliest the first version of these records, above the versions of the others
   */
  RecordSerializer(Class<T> type, int earliest, int version, Location location) {
    this.type = type;
    this.earliest = earliest;
    this.version = version;
    this.location = location;
  }

  /**
   * Passes over all fields in their order.
   *
   * @param from the record whose values the pass receives
   * @param to the record whose fields are set; may be {@code from}
   */
  protected abstract void pass(FieldPass fields, T from, T to) throws IOException;

  @Override
  public final RecordSerializer<T> duplicate() {
    return snapshotConfiguration().restoreSerializer();
  }

  @Override
  public abstract RecordSnapshot<T> snapshotConfiguration();

  final Class<T> type() {
    return type;
  }

  final int earliest() {
    return earliest;
  }

  final int version() {
    return version;
  }

  @Override
  public final void serialize(T record, DataOutputView target) throws IOException {
    if (writer == null) {
      writer = new FieldWriter();
    }
    writer.begin(VERSION_0 + version, target);
    pass(writer, record, record);
    writer.end();
  }

  @Override
  public final T deserialize(DataInputView source) throws IOException {
    return deserialize(createInstance(), source);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IOException if the record is of a later version, or of another format
   */
  @Override
  public final T deserialize(T reuse, DataInputView source) throws IOException {
    if (reader == null) {
      reader = new FieldReader();
      initial = createInstance();
    }
    int recordVersion = source.readUnsignedByte() - VERSION_0;
    if (recordVersion < earliest || recordVersion > version) {
      throw new IOException(location.unreadable.formatted(recordVersion, earliest, version));
    }
    reader.from(source, recordVersion);
    pass(reader, initial, reuse);
    return reuse;
  }

  @Override
  public final T copy(T from) {
    return copy(from, createInstance());
  }

  @Override
  public final T copy(T from, T reuse) {
    try {
      pass(location == Location.STATE ? FieldCopier.CLONING : FieldCopier.SHARING, from, reuse);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return reuse;
  }

  @Override
  public final void copy(DataInputView source, DataOutputView target) throws IOException {
    serialize(deserialize(source), target);
  }

  @Override
  public final boolean isImmutableType() {
    return false;
  }

  @Override
  public final int getLength() {
    return -1;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof RecordSerializer<?> that && type == that.type;
  }

  @Override
  public final int hashCode() {
    return type.hashCode();
  }
}
