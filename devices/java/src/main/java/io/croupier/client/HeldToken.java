package io.croupier.client;

import com.google.protobuf.ByteString;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenKey;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What a device keeps of a token in its ledger.
 *
 * @param challenge what the token is for
 * @param firstRound first round of the window
 * @param lastRound last round of the window
 * @param level place of the declaration in the model's levels, from 0
 * @param key the key that signs it
 * @param content asked for: the secrets of the request; held: the token; drawn: the report to send;
 *     ended: nothing, or what it was when its person was stopped
 */
record HeldToken(
    TokenChallenge challenge,
    long firstRound,
    long lastRound,
    int level,
    TokenKey key,
    ByteString content) {

  HeldToken with(ByteString nextContent) {
    return new HeldToken(challenge, firstRound, lastRound, level, key, nextContent);
  }

  /** The round at which the token is used: one of the window's, drawn by the ledger's secret. */
  long slot(LocalLedger ledger) {
    int publications = Math.toIntExact(lastRound - firstRound + 1);
    return firstRound + ledger.slot(challenge.digest(), publications);
  }

  /** Whether reports of the window are too old in a round, whatever the model's settings. */
  boolean isOver(long round) {
    return round - lastRound > 2 * (lastRound - firstRound + 1);
  }

  byte[] encoded() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream fields = new DataOutputStream(bytes)) {
      fields.writeUTF(challenge.modelId());
      fields.writeLong(challenge.window());
      write(fields, challenge.declaration());
      fields.writeLong(firstRound);
      fields.writeLong(lastRound);
      fields.writeInt(level);
      write(fields, key.modulus());
      write(fields, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream fields, ByteString value) throws IOException {
    fields.writeInt(value.size());
    value.writeTo(fields);
  }

  static HeldToken parse(byte[] encoded) {
    try (DataInputStream fields = new DataInputStream(new ByteArrayInputStream(encoded))) {
      return new HeldToken(
          new TokenChallenge(fields.readUTF(), fields.readLong(), read(fields)),
          fields.readLong(),
          fields.readLong(),
          fields.readInt(),
          new TokenKey(read(fields)),
          read(fields));
    } catch (IOException e) {
      throw new UncheckedIOException("the ledger has a token of an unknown form", e);
    }
  }

  private static ByteString read(DataInputStream fields) throws IOException {
    return ByteString.readFrom(new ByteArrayInputStream(fields.readNBytes(fields.readInt())));
  }

  /** Contains nothing that links a report to its person. */
  @Override
  public String toString() {
    return "HeldToken[model " + challenge.modelId() + ", window " + challenge.window() + "]";
  }
}
