package io.croupier.gateway.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.schemas.ModelUpdate;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The newest committed update of a model, encoded, and the terms of the rounds read so far.
 * Immutable.
 */
public final class ServedModel {
  /** More publications than any model's max_staleness. */
  private static final int MOST_ROUNDS = 1024;

  private final RoundTerms terms;
  private final long publishedAtMs;
  private final long used;
  private final byte[] protobuf;
  private final NavigableMap<Long, RoundTerms> rounds;

  /** Computed when it is needed first; every thread computes the same. */
  private volatile byte[] json;

  private volatile byte[] event;

  private ServedModel(
      ModelSnapshot snapshot, byte[] update, NavigableMap<Long, RoundTerms> rounds) {
    terms = snapshot.terms();
    publishedAtMs = snapshot.publishedAtMs();
    used = snapshot.used();
    protobuf = update;
    this.rounds = rounds;
  }

  /**
   * Reads an update.
   *
   * @param earlier the same model before it; null if there is none
   * @param update a {@link ModelUpdate}; kept and not copied
   * @throws IllegalArgumentException if it is not usable
   */
  static ServedModel after(ServedModel earlier, byte[] update) {
    ModelSnapshot snapshot = ModelSnapshot.parse(update);
    NavigableMap<Long, RoundTerms> rounds = new TreeMap<>();
    // A model of the same name that starts again begins with round 0.
    if (earlier != null && earlier.round() <= snapshot.round()) {
      rounds.putAll(earlier.rounds);
    }
    rounds.put(snapshot.round(), snapshot.terms());
    if (rounds.size() > MOST_ROUNDS) {
      rounds.pollFirstEntry();
    }
    return new ServedModel(snapshot, update, rounds);
  }

  public String modelId() {
    return terms.modelId();
  }

  public long round() {
    return terms.round();
  }

  public int dimension() {
    return terms.dimension();
  }

  public long publishedAtMs() {
    return publishedAtMs;
  }

  /** Reports that have entered a closed round. */
  public long used() {
    return used;
  }

  /** The terms of the newest round. */
  public RoundTerms terms() {
    return terms;
  }

  /** The terms of a round that this gateway has read; null if it has not. */
  public RoundTerms terms(long round) {
    return rounds.get(round);
  }

  /** How many publications after a round this gateway has read: at most those that there are. */
  public int newerThan(long round) {
    return rounds.tailMap(round, false).size();
  }

  /** The update in Protobuf; must not be changed. */
  public byte[] protobuf() {
    return protobuf;
  }

  /** The update in Protobuf's JSON mapping; must not be changed. */
  public byte[] json() {
    byte[] encoded = json;
    if (encoded == null) {
      try {
        encoded =
            JsonFormat.printer()
                .omittingInsignificantWhitespace()
                .print(ModelUpdate.parseFrom(protobuf))
                .getBytes(UTF_8);
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalStateException("an update that was read can be read again", e);
      }
      json = encoded;
    }
    return encoded;
  }

  /** The update as a server-sent event, which all streams share; must not be changed. */
  public byte[] event() {
    byte[] encoded = event;
    if (encoded == null) {
      // JSON without line breaks is one line of data.
      byte[] head = "event: update\nid: %d\ndata: ".formatted(round()).getBytes(UTF_8);
      byte[] data = json();
      encoded = Arrays.copyOf(head, head.length + data.length + 2);
      System.arraycopy(data, 0, encoded, head.length, data.length);
      encoded[encoded.length - 2] = '\n';
      encoded[encoded.length - 1] = '\n';
      event = encoded;
    }
    return encoded;
  }
}
