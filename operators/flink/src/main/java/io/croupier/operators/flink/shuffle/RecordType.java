package io.croupier.operators.flink.shuffle;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.RawRecord;
import io.croupier.operators.model.RoundSum;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/**
 * The types of the records that cross the network once for each report. State keeps the same
 * classes as POJOs.
 */
public final class RecordType<T> extends TypeInformation<T> {
  private static final long serialVersionUID = 1;

  public static final TypeInformation<RawRecord> RAW = new RecordType<>(new RawRecordSerializer());

  public static final TypeInformation<RoundSum> ROUND_SUM =
      new RecordType<>(new RoundSumSerializer());

  public static final TypeInformation<OutboundRecord> OUTBOUND =
      new RecordType<>(new OutboundRecordSerializer());

  private final RecordSerializer<T> serializer;

  private RecordType(RecordSerializer<T> serializer) {
    this.serializer = serializer;
  }

  @Override
  public TypeSerializer<T> createSerializer(SerializerConfig config) {
    return serializer.duplicate();
  }

  @Override
  public Class<T> getTypeClass() {
    return serializer.type();
  }

  @Override
  public boolean isBasicType() {
    return false;
  }

  @Override
  public boolean isTupleType() {
    return false;
  }

  @Override
  public int getArity() {
    return 1;
  }

  @Override
  public int getTotalFields() {
    return 1;
  }

  @Override
  public boolean isKeyType() {
    return false;
  }

  @Override
  public String toString() {
    return serializer.type().getSimpleName();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordType<?> that && serializer.equals(that.serializer);
  }

  @Override
  public int hashCode() {
    return serializer.hashCode();
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof RecordType;
  }
}
