package io.croupier.operators.flink.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.croupier.operators.flink.RawRecord;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingKey;
import java.io.IOException;
import org.apache.flink.api.java.functions.KeySelector;

/**
 * The user of an accounting event, whose account a rebuild adds it to. In version 1 it is the first
 * field, so the rest is not parsed; in version 2 it is in the record's key. A record that can't be
 * parsed has no user: some subtask refuses it, and one that names another user further behind.
 */
public final class UserOfEvent implements KeySelector<RawRecord, String> {
  private static final long serialVersionUID = 1;
  private static final int USER_ID =
      AccountingEvent.USER_ID_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  @Override
  public String getKey(RawRecord record) throws IOException {
    try {
      if (record.value != null) {
        CodedInputStream in = CodedInputStream.newInstance(record.value);
        if (in.readTag() == USER_ID) {
          return in.readStringRequireUtf8();
        }
      }
      return record.key == null ? "" : new String(AccountingKey.user(record.key), UTF_8);
    } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
      return "";
    }
  }
}
