package io.croupier.job.restart;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.croupier.operators.flink.restart.VisibleOutputs.AccountedReport;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.Position;
import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Reads which report an accounting event names. It checks the form of all fields, and keeps only
 * those that identify the report. A record that looks unusual in any respect is parsed as a whole,
 * which accepts or refuses it as every other reader does. Not safe for use by several threads.
 */
final class AccountedReports {
  private static final int USER_ID = lengthTag(AccountingEvent.USER_ID_FIELD_NUMBER);
  private static final int DEVICE_ID = lengthTag(AccountingEvent.DEVICE_ID_FIELD_NUMBER);
  private static final int MODEL_ID = lengthTag(AccountingEvent.MODEL_ID_FIELD_NUMBER);
  private static final int REASON = lengthTag(AccountingEvent.REASON_FIELD_NUMBER);
  private static final int SOURCE = lengthTag(AccountingEvent.SOURCE_FIELD_NUMBER);
  private static final int CENTRAL = lengthTag(AccountingEvent.CENTRAL_FIELD_NUMBER);
  private static final int SEQUENCE = varintTag(AccountingEvent.SEQUENCE_FIELD_NUMBER);
  private static final int OUTCOME = varintTag(AccountingEvent.OUTCOME_FIELD_NUMBER);
  private static final int TOPIC = lengthTag(Position.TOPIC_FIELD_NUMBER);
  private static final int PARTITION = varintTag(Position.PARTITION_FIELD_NUMBER);
  private static final int OFFSET = varintTag(Position.OFFSET_FIELD_NUMBER);

  /** Sources beyond these are left to the parser. */
  private static final int USUAL_PARTITIONS = 10_000;

  private static final int USUAL_TOPIC_NAME = 200;

  private String user;
  private String device;
  private String model;
  private String topic;
  private boolean isCentral;
  private long sequence;
  private int outcome;
  private int partition;
  private long offset;

  /**
   * Reads an event.
   *
   * @throws io.croupier.operators.flink.restart.RefusedStartException if no ledger can have written
   *     it
   */
  AccountedReport read(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() != null && isUsual(record.key(), record.value())) {
      return new AccountedReport(user, topic, partition, offset);
    }
    AccountingEvent event = KafkaVisibleOutputs.event(record);
    Position source = event.getSource();
    return new AccountedReport(
        event.getUserId(), source.getTopic(), source.getPartition(), source.getOffset());
  }

  /** Reads the fields, and returns whether the whole parse would accept the event as read. */
  private boolean isUsual(byte[] key, byte[] value) {
    user = null;
    isCentral = false;
    device = "";
    model = "";
    topic = null;
    sequence = -1;
    outcome = 0;
    partition = -1;
    offset = -1;
    try {
      readEvent(CodedInputStream.newInstance(value));
    } catch (IOException e) {
      return false;
    }
    if (user == null && key != null) {
      user = new String(key, UTF_8);
      topic = topic == null ? AccountingEvents.usualTopic(isCentral) : topic;
    }
    return user != null
        && topic != null
        && GradientReports.isUserId(user)
        && GradientReports.isDeviceId(device)
        && GradientReports.isModelId(model)
        && sequence >= 0
        && outcome > Outcome.OUTCOME_UNSPECIFIED_VALUE
        && Outcome.forNumber(outcome) != null
        && !topic.isEmpty()
        && topic.length() <= USUAL_TOPIC_NAME
        && partition >= 0
        && partition < USUAL_PARTITIONS
        && offset >= 0;
  }

  private void readEvent(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == USER_ID) {
        user = in.readStringRequireUtf8();
      } else if (tag == DEVICE_ID) {
        device = in.readStringRequireUtf8();
      } else if (tag == MODEL_ID) {
        model = in.readStringRequireUtf8();
      } else if (tag == SEQUENCE) {
        sequence = in.readInt64();
      } else if (tag == OUTCOME) {
        outcome = in.readEnum();
      } else if (tag == SOURCE) {
        int limit = in.pushLimit(in.readRawVarint32());
        readSource(in);
        in.popLimit(limit);
      } else if (tag == REASON) {
        in.readStringRequireUtf8();
      } else if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        // A message of numbers: each of its fields must have a form that Protobuf allows.
        if (isDeclaration(WireFormat.getTagFieldNumber(tag))) {
          isCentral = tag == CENTRAL;
        }
        int limit = in.pushLimit(in.readRawVarint32());
        in.skipMessage();
        in.checkLastTagWas(0);
        in.popLimit(limit);
      } else if (!in.skipField(tag)) {
        throw new IOException("A group ends that has not begun");
      }
    }
  }

  private void readSource(CodedInputStream in) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == TOPIC) {
        topic = in.readStringRequireUtf8();
      } else if (tag == PARTITION) {
        partition = in.readInt32();
      } else if (tag == OFFSET) {
        offset = in.readInt64();
      } else if (!in.skipField(tag)) {
        throw new IOException("A group ends that has not begun");
      }
    }
  }

  private static boolean isDeclaration(int field) {
    return field >= AccountingEvent.UNDISCLOSED_FIELD_NUMBER
        && field <= AccountingEvent.RANDOMISED_RESPONSE_FIELD_NUMBER;
  }

  private static int lengthTag(int field) {
    return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  private static int varintTag(int field) {
    return field << 3 | WireFormat.WIRETYPE_VARINT;
  }
}
