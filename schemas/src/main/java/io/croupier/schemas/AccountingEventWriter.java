package io.croupier.schemas;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Writes a ledger's events in version 2, which leaves out what {@link AccountingEvents#read} adds
 * again: what the {@link AccountingKey} contains, the usual topics, totals over all models that
 * equal the model's, and zeros. The bytes are those that Protobuf writes for an event without these
 * fields, and no message is built for them. Not safe for use by several threads.
 *
 * <p>A message's length precedes it, so the bytes are written from the last one to the first.
 */
public final class AccountingEventWriter {
  private static final int INITIAL_BYTES = 512;
  private static final VarHandle DOUBLE =
      MethodHandles.byteArrayViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] buffer = new byte[INITIAL_BYTES];

  /** Where the bytes that are written begin. */
  private int start;

  /** Creates a writer. */
  public AccountingEventWriter() {}

  /**
   * Returns the value of the record of an event, whose key must be {@link AccountingKey#of}.
   *
   * @param event with all fields that a ledger sets
   */
  public byte[] write(AccountingEvent event) {
    start = buffer.length;
    if (event.hasLastTokenWindow()) {
      number(AccountingEvent.LAST_TOKEN_WINDOW_FIELD_NUMBER, event.getLastTokenWindow());
    }
    declaration(event);
    if (event.hasTokenRound()) {
      number(AccountingEvent.TOKEN_ROUND_FIELD_NUMBER, event.getTokenRound());
    }
    if (event.hasHighestSequence()) {
      number(AccountingEvent.HIGHEST_SEQUENCE_FIELD_NUMBER, event.getHighestSequence());
    }
    if (event.hasAppendedAtMs()) {
      number(AccountingEvent.APPENDED_AT_MS_FIELD_NUMBER, event.getAppendedAtMs());
    }
    if (event.hasUserWindow()) {
      message(AccountingEvent.USER_WINDOW_FIELD_NUMBER, event.getUserWindow());
    }
    if (event.hasModelWindow()) {
      message(AccountingEvent.MODEL_WINDOW_FIELD_NUMBER, event.getModelWindow());
    }
    if (event.hasDimension()) {
      number(AccountingEvent.DIMENSION_FIELD_NUMBER, event.getDimension());
    }
    if (event.hasCentralSpend()) {
      message(AccountingEvent.CENTRAL_SPEND_FIELD_NUMBER, event.getCentralSpend());
    }
    if (event.hasSource()) {
      source(event);
    }
    if (event.hasLeftUser()) {
      message(AccountingEvent.LEFT_USER_FIELD_NUMBER, event.getLeftUser());
    }
    if (event.hasLeftModel()) {
      message(AccountingEvent.LEFT_MODEL_FIELD_NUMBER, event.getLeftModel());
    }
    if (!event.getUserTotals().equals(AccountingEvents.impliedUserTotals(event))) {
      spend(AccountingEvent.USER_TOTALS_FIELD_NUMBER, event.getUserTotals());
    }
    if (event.hasModelTotals()) {
      spend(AccountingEvent.MODEL_TOTALS_FIELD_NUMBER, event.getModelTotals());
    }
    if (!event.getSpent().equals(AccountingEvents.NOTHING)) {
      spend(AccountingEvent.SPENT_FIELD_NUMBER, event.getSpent());
    }
    if (event.hasReason() && !event.getReason().isEmpty()) {
      text(AccountingEvent.REASON_FIELD_NUMBER, event.getReason());
    }
    number(AccountingEvent.OUTCOME_FIELD_NUMBER, event.getOutcomeValue());
    if (event.hasSequence()) {
      number(AccountingEvent.SEQUENCE_FIELD_NUMBER, event.getSequence());
    }
    if (event.hasModelId() && !AccountingKey.hasModel(event)) {
      text(AccountingEvent.MODEL_ID_FIELD_NUMBER, event.getModelId());
    }
    byte[] bytes = new byte[buffer.length - start];
    System.arraycopy(buffer, start, bytes, 0, bytes.length);
    return bytes;
  }

  private void declaration(AccountingEvent event) {
    int field = event.getDeclarationCase().getNumber();
    switch (event.getDeclarationCase()) {
      case UNDISCLOSED -> message(field, event.getUndisclosed());
      case L2_LAPLACE -> message(field, event.getL2Laplace());
      case COORDINATE_LAPLACE -> message(field, event.getCoordinateLaplace());
      case GAUSSIAN -> message(field, event.getGaussian());
      case CENTRAL -> message(field, event.getCentral());
      case PRIV_UNIT -> message(field, event.getPrivUnit());
      case RANDOMISED_RESPONSE -> message(field, event.getRandomisedResponse());
      case HASHED_RESPONSE -> message(field, event.getHashedResponse());
      case DECLARATION_NOT_SET -> {
        // Nothing to write.
      }
    }
  }

  private void source(AccountingEvent event) {
    int before = written();
    Position source = event.getSource();
    if (source.hasOffset()) {
      number(Position.OFFSET_FIELD_NUMBER, source.getOffset());
    }
    if (source.hasPartition()) {
      number(Position.PARTITION_FIELD_NUMBER, source.getPartition());
    }
    if (!source.getTopic().equals(AccountingEvents.usualTopic(event.hasCentral()))) {
      text(Position.TOPIC_FIELD_NUMBER, source.getTopic());
    }
    head(AccountingEvent.SOURCE_FIELD_NUMBER, before);
  }

  private void spend(int field, Spend spend) {
    int before = written();
    if (spend.hasVariationRate()) {
      real(Spend.VARIATION_RATE_FIELD_NUMBER, spend.getVariationRate());
    }
    if (spend.hasTotalVariation()) {
      real(Spend.TOTAL_VARIATION_FIELD_NUMBER, spend.getTotalVariation());
    }
    if (spend.hasLastRound()) {
      number(Spend.LAST_ROUND_FIELD_NUMBER, spend.getLastRound());
    }
    if (spend.hasParticipations()) {
      number(Spend.PARTICIPATIONS_FIELD_NUMBER, spend.getParticipations());
    }
    if (spend.hasRenyi()) {
      real(Spend.RENYI_FIELD_NUMBER, spend.getRenyi());
    }
    if (spend.hasRenyiOrder()) {
      real(Spend.RENYI_ORDER_FIELD_NUMBER, spend.getRenyiOrder());
    }
    positive(Spend.MU_OF_ALL_FIELD_NUMBER, spend.getMuOfAll());
    if (spend.hasEpsilonAtDelta()) {
      real(Spend.EPSILON_AT_DELTA_FIELD_NUMBER, spend.getEpsilonAtDelta());
    }
    positive(Spend.UNBOUNDED_FIELD_NUMBER, spend.getUnbounded());
    positive(Spend.UNDISCLOSED_FIELD_NUMBER, spend.getUndisclosed());
    positive(Spend.RHO_FIELD_NUMBER, spend.getRho());
    positive(Spend.MU_FIELD_NUMBER, spend.getMu());
    positive(Spend.EPSILON_FIELD_NUMBER, spend.getEpsilon());
    positive(Spend.REPORTS_FIELD_NUMBER, spend.getReports());
    head(field, before);
  }

  private void positive(int field, double value) {
    if (value != 0) {
      real(field, value);
    }
  }

  private void positive(int field, long value) {
    if (value != 0) {
      number(field, value);
    }
  }

  private void real(int field, double value) {
    reserve(Double.BYTES);
    start -= Double.BYTES;
    DOUBLE.set(buffer, start, value);
    tag(field, WireFormat.WIRETYPE_FIXED64);
  }

  private void number(int field, long value) {
    varint(value);
    tag(field, WireFormat.WIRETYPE_VARINT);
  }

  private void message(int field, Message message) {
    int before = written();
    bytes(message.toByteArray());
    head(field, before);
  }

  private void text(int field, String text) {
    int before = written();
    int length = text.length();
    reserve(length);
    int at = length - 1;
    while (at >= 0 && text.charAt(at) < 0x80) {
      buffer[--start] = (byte) text.charAt(at--);
    }
    if (at >= 0) {
      start = buffer.length - before;
      bytes(text.getBytes(UTF_8));
    }
    head(field, before);
  }

  private void bytes(byte[] bytes) {
    reserve(bytes.length);
    start -= bytes.length;
    System.arraycopy(bytes, 0, buffer, start, bytes.length);
  }

  private int written() {
    return buffer.length - start;
  }

  private void reserve(int length) {
    if (length > start) {
      int written = written();
      byte[] larger = new byte[2 * (written + length)];
      System.arraycopy(buffer, start, larger, larger.length - written, written);
      buffer = larger;
      start = larger.length - written;
    }
  }

  /** Writes the length of what follows, and the tag. */
  private void head(int field, int before) {
    varint(written() - before);
    tag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
  }

  private void tag(int field, int type) {
    varint((long) field << 3 | type);
  }

  private void varint(long value) {
    int length = (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
    reserve(length);
    start -= length;
    int at = start;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      buffer[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[at] = (byte) rest;
  }
}
