package io.croupier.client.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.croupier.schemas.GradientReports;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The header of the file. As bytes, big-endian:
 *
 * <pre>
 * "CROUPIER"       8
 * version          4   2
 * size             4
 * user_id          size, UTF-8
 * size             4
 * device_id        size, UTF-8
 * secret           32  decides which rounds are answered
 * reports          8   what was spent before the file's first entry,
 * epsilonNanos     8   reports that it carries over included
 * muSquaredPicos   8
 * undisclosed      8
 * unbounded        8
 * carried          4   how many reports it carries over
 * CRC-32C          4   of all above
 * </pre>
 *
 * Version 1 has no fields between device_id and checksum. A ledger of version 1 is rewritten when
 * it is opened.
 */
final class Header {
  private static final long MAGIC = ByteBuffer.wrap("CROUPIER".getBytes(UTF_8)).getLong();
  private static final int VERSION = 2;
  private static final int VERSION_WITHOUT_TOTALS = 1;
  private static final int FIXED_BYTES =
      8 + 4 + 2 * 4 + ParticipationSampler.SECRET_BYTES + 5 * 8 + 4 + 4;
  static final int MAX_BYTES = FIXED_BYTES + 2 * GradientReports.MAX_ID_BYTES;

  private final String userId;
  private final String deviceId;
  private final ByteString secret;
  private final Spent opening;
  private final int carried;
  private final ByteBuffer bytes;

  private Header(
      String userId,
      String deviceId,
      ByteString secret,
      Spent opening,
      int carried,
      ByteBuffer bytes) {
    this.userId = userId;
    this.deviceId = deviceId;
    this.secret = secret;
    this.opening = opening;
    this.carried = carried;
    this.bytes = bytes;
  }

  /** The header of a new ledger, with a new device_id. */
  static Header ofNew(String userId) {
    return written(
        userId, UUID.randomUUID().toString(), ParticipationSampler.newSecret(), Spent.NOTHING, 0);
  }

  /** The header of the same ledger's next file, which carries {@code count} reports over. */
  Header carrying(Spent spent, int count) {
    return written(userId, deviceId, secret, spent, count);
  }

  private static Header written(
      String userId, String deviceId, ByteString secret, Spent opening, int carried) {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES).putLong(MAGIC).putInt(VERSION);
    put(bytes, userId);
    put(bytes, deviceId);
    secret.copyTo(bytes);
    bytes
        .putLong(opening.reports())
        .putLong(opening.epsilonNanos())
        .putLong(opening.muSquaredPicos())
        .putLong(opening.undisclosed())
        .putLong(opening.unbounded())
        .putInt(carried);
    bytes.putInt(LedgerEntry.checksum(bytes.duplicate().flip())).flip();
    return new Header(userId, deviceId, secret, opening, carried, bytes);
  }

  private static void put(ByteBuffer bytes, String id) {
    byte[] utf8 = id.getBytes(UTF_8);
    bytes.putInt(utf8.length).put(utf8);
  }

  /** Reads the header at the start of {@code bytes}; null if there is none. */
  static Header parse(ByteBuffer bytes) {
    try {
      if (bytes.getLong() != MAGIC) {
        return null;
      }
      int version = bytes.getInt();
      if (version != VERSION && version != VERSION_WITHOUT_TOTALS) {
        return null;
      }
      String userId = getId(bytes);
      String deviceId = getId(bytes);
      boolean hasTotals = version == VERSION;
      ByteString secret = hasTotals ? getSecret(bytes) : ParticipationSampler.newSecret();
      Spent opening = hasTotals ? getSpent(bytes) : Spent.NOTHING;
      int carried = hasTotals ? bytes.getInt() : 0;
      ByteBuffer summed = bytes.duplicate().flip();
      if (bytes.getInt() != LedgerEntry.checksum(summed)) {
        return null;
      }
      ByteBuffer whole = bytes.duplicate().flip();
      return new Header(userId, deviceId, secret, opening, carried, whole);
    } catch (BufferUnderflowException e) {
      return null;
    }
  }

  private static String getId(ByteBuffer bytes) {
    int length = bytes.getInt();
    if (length < 0 || length > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] utf8 = new byte[length];
    bytes.get(utf8);
    return new String(utf8, UTF_8);
  }

  private static ByteString getSecret(ByteBuffer bytes) {
    byte[] secret = new byte[ParticipationSampler.SECRET_BYTES];
    bytes.get(secret);
    return ByteString.copyFrom(secret);
  }

  private static Spent getSpent(ByteBuffer bytes) {
    return new Spent(
        bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  /** Whether new entries may follow it; false for older versions. */
  boolean isCurrent() {
    return bytes.getInt(Long.BYTES) == VERSION;
  }

  String userId() {
    return userId;
  }

  String deviceId() {
    return deviceId;
  }

  ByteString secret() {
    return secret;
  }

  Spent opening() {
    return opening;
  }

  int carried() {
    return carried;
  }

  ByteBuffer toBytes() {
    return bytes.duplicate();
  }
}
