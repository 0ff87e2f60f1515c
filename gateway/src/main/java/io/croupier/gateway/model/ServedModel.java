package io.croupier.gateway.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.RoundTerms;
import io.croupier.client.token.Digests;
import io.croupier.schemas.LastingTerms;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.TokenWindow;
import io.croupier.schemas.view.ModelUpdateView;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The newest committed update of a model, encoded, and the terms of the rounds read so far.
 * Immutable.
 */
public final class ServedModel {
  /** More publications than any model's max_staleness. */
  private static final int MOST_ROUNDS = 1024;

  /** Two different updates of one model and round have the same tag with probability 2^-64. */
  private static final int TAG_BYTES = 8;

  private final RoundTerms terms;
  private final long publishedAtMs;
  private final long used;
  private final OptionalLong averageRound;
  private final byte[] committed;
  private final byte[] protobuf;
  private final List<TokenWindow> windows;
  private final NavigableMap<Long, RoundTerms> rounds;

  /** Computed when it is needed first, by one thread: a large model takes a while and memory. */
  private volatile byte[] json;

  private volatile byte[] event;
  private volatile String tag;

  private ServedModel(
      ModelSnapshot snapshot, byte[] update, NavigableMap<Long, RoundTerms> rounds) {
    terms = snapshot.terms();
    publishedAtMs = snapshot.publishedAtMs();
    used = snapshot.used();
    averageRound = snapshot.averageRound();
    committed = update;
    protobuf = update;
    windows = List.of();
    this.rounds = rounds;
  }

  private ServedModel(ServedModel model, byte[] update, List<TokenWindow> announced) {
    terms = model.terms;
    publishedAtMs = model.publishedAtMs;
    used = model.used;
    averageRound = model.averageRound;
    committed = model.committed;
    protobuf = update;
    windows = List.copyOf(announced);
    rounds = model.rounds;
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

  /** The same update, which announces windows for anonymous reports. */
  ServedModel with(List<TokenWindow> announced) {
    // Protobuf joins the fields of two messages whose bytes follow each other.
    byte[] added = ModelUpdate.newBuilder().addAllWindows(announced).build().toByteArray();
    byte[] update = Arrays.copyOf(committed, committed.length + added.length);
    System.arraycopy(added, 0, update, committed.length, added.length);
    return new ServedModel(this, update, announced);
  }

  /** The windows that the update announces. */
  public List<TokenWindow> windows() {
    return windows;
  }

  /** The earlier round whose average it has since a roll-back; empty without one. */
  public OptionalLong averageRound() {
    return averageRound;
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

  /**
   * Identifies the weights and terms of this round: the round and a digest of them. A model that
   * starts again has the same rounds with other weights. All gateways compute the same; counts and
   * times, with which a round may be published again, don't matter.
   */
  public String tag() {
    String known = tag;
    if (known != null) {
      return known;
    }
    synchronized (this) {
      if (tag == null) {
        tag = computeTag();
      }
      return tag;
    }
  }

  private String computeTag() {
    byte[] lasting = LastingTerms.of(view()).toByteArray();
    return round() + "-" + HexFormat.of().formatHex(Digests.sha256().digest(lasting), 0, TAG_BYTES);
  }

  private ModelUpdateView view() {
    try {
      return ModelUpdateView.parseFrom(protobuf);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an update that was read can be read again", e);
    }
  }

  private ModelUpdate parsed() {
    try {
      return ModelUpdate.parseFrom(protobuf);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an update that was read can be read again", e);
    }
  }

  /** The update in Protobuf; must not be changed. */
  public byte[] protobuf() {
    return protobuf;
  }

  /** The update in Protobuf's JSON mapping; must not be changed. */
  public byte[] json() {
    byte[] encoded = json;
    if (encoded != null) {
      return encoded;
    }
    synchronized (this) {
      if (json == null) {
        json = computeJson();
      }
      return json;
    }
  }

  private byte[] computeJson() {
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(parsed()).getBytes(UTF_8);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("an update that was read can be read again", e);
    }
  }

  /** The update as a server-sent event, which all streams share; must not be changed. */
  public byte[] event() {
    byte[] encoded = event;
    if (encoded != null) {
      return encoded;
    }
    synchronized (this) {
      if (event == null) {
        event = computeEvent();
      }
      return event;
    }
  }

  private byte[] computeEvent() {
    // JSON without line breaks is one line of data.
    byte[] head = "event: update\nid: %d\ndata: ".formatted(round()).getBytes(UTF_8);
    byte[] data = json();
    byte[] encoded = Arrays.copyOf(head, head.length + data.length + 2);
    System.arraycopy(data, 0, encoded, head.length, data.length);
    encoded[encoded.length - 2] = '\n';
    encoded[encoded.length - 1] = '\n';
    return encoded;
  }
}
