package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.operators.anonymous.WindowKeys;
import io.croupier.schemas.Anonymous;
import io.croupier.schemas.AnonymousReport;
import io.croupier.schemas.AnonymousWindows;
import io.croupier.schemas.Answer;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grant;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.RandomisedResponse;
import io.croupier.schemas.TokenKey;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import java.nio.ByteBuffer;
import java.security.SignatureException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * People who report without their names, and a gateway that publishes keys and signs the tokens
 * that the ledger grants. Each publication of the model is a window.
 */
final class Tokens {
  static final String MODEL = "nameless";

  /** A window is closed by the keys of the window that follows it after this many. */
  private static final int OPEN = 3;

  static final String QUESTION = "right";
  private static final double EPSILON = 1;
  private static final Mechanism LEVEL = new RandomisedResponseMechanism(EPSILON, false);
  private static final int SECRET_BYTES = 368;
  private static final int KEY_BYTES = 256;

  /** Signed before, in any world: the same ones in each, as it takes a millisecond to sign one. */
  private static final Map<List<Long>, Token> SIGNED = new ConcurrentHashMap<>();

  /** One key for all windows: to derive one takes some tenths of a second. */
  private static final class SharedIssuer {
    private static final TokenIssuer ISSUER = TokenIssuer.derive(new byte[32], challenge(0));
  }

  /** A request for a token. */
  private record Wish(String userId, long window) {}

  private final World world;
  private final Map<Long, Boolean> keys = new TreeMap<>();
  private final Map<String, Integer> sequences = new HashMap<>();
  private final List<byte[]> requests = new ArrayList<>();
  private final List<Wish> wishes = new ArrayList<>();
  private final Map<Wish, Integer> granted = new HashMap<>();
  private final List<Long> usable = new ArrayList<>();
  private final Map<Long, Integer> sent = new TreeMap<>();
  private final Map<Long, Integer> certain = new TreeMap<>();
  private final List<byte[]> reports = new ArrayList<>();
  private long grantsRead;

  Tokens(World world) {
    this.world = world;
  }

  /** What the model's spec states of reports without names. */
  static Anonymous.Builder terms() {
    return Anonymous.newBuilder()
        .setPublications(1)
        .addLevels(
            Anonymous.Level.newBuilder()
                .setRandomisedResponse(Anonymous.AnswerLevel.newBuilder().setEpsilon(EPSILON)));
  }

  private static TokenChallenge challenge(long window) {
    return new TokenChallenge(MODEL, window, AnonymousWindows.bytes(LEVEL));
  }

  private static Token token(long window, long number) {
    return SIGNED.computeIfAbsent(List.of(window, number), Tokens::sign);
  }

  private static Token sign(List<Long> windowAndNumber) {
    long window = windowAndNumber.get(0);
    byte[] secrets = new byte[SECRET_BYTES];
    new SplittableRandom(window * 1_000_003 + windowAndNumber.get(1)).nextBytes(secrets);
    // So that the blind, which comes last, is below the modulus.
    secrets[SECRET_BYTES - KEY_BYTES] = 0;
    TokenRequest request =
        new TokenRequest(
            SharedIssuer.ISSUER.key(), challenge(window), ByteString.copyFrom(secrets));
    try {
      return request.finish(SharedIssuer.ISSUER.sign(request.blinded()));
    } catch (SignatureException e) {
      throw new AssertionError("The issuer signs what is asked", e);
    }
  }

  /** The gateway or a person does something. */
  Optional<String> act(SplittableRandom random) throws InvalidProtocolBufferException {
    long round = world.checks().round(MODEL);
    if (round < 0) {
      return Optional.empty();
    }
    readGrants();
    return switch (random.nextInt(4)) {
      case 0 -> publishKeys(round);
      case 1 -> ask(round + random.nextInt(2), random);
      case 2 -> report(round, random);
      default -> reports.isEmpty() ? Optional.empty() : again(random);
    };
  }

  /** The keys of the window of a round, and of the next one. */
  private Optional<String> publishKeys(long round) {
    Partition partition = world.log().partition(World.TOPICS.tokenKeys(), 0);
    List<Long> published = new ArrayList<>();
    for (long window = round; window <= round + 1; window++) {
      if (keys.putIfAbsent(window, world.completedCheckpoints() > 0) == null) {
        byte[] name = WindowKeys.name(MODEL, window, LEVEL).getBytes(UTF_8);
        byte[] key =
            TokenKey.newBuilder()
                .setModulus(SharedIssuer.ISSUER.key().modulus())
                .build()
                .toByteArray();
        long unused = world.log().append(partition, name, key, world.nowMs());
        published.add(window);
      }
    }
    return published.isEmpty()
        ? Optional.empty()
        : Optional.of("the keys of windows " + published + " are published");
  }

  /** A person asks for a token of a window, or sends an earlier request again. */
  private Optional<String> ask(long window, SplittableRandom random) {
    if (!keys.containsKey(window)) {
      return Optional.empty();
    }
    if (requests.isEmpty() || random.nextInt(4) > 0) {
      String userId = "user-" + random.nextInt(World.USERS);
      requests.add(
          GradientReport.newBuilder()
              .setModelId(MODEL)
              .setRound(window)
              .setUserId(userId)
              .setDeviceId("tokens")
              .setSequence(sequences.merge(userId, 1, Integer::sum) - 1)
              .setCreatedAtMs(requests.size())
              .setToken(
                  io.croupier.schemas.Token.newBuilder()
                      .setTag(
                          ByteString.copyFrom(
                              ByteBuffer.allocate(32).putInt(wishes.size()).array())))
              .setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(EPSILON))
              .build()
              .toByteArray());
      wishes.add(new Wish(userId, window));
      return Optional.of(send(requests.size() - 1));
    }
    return Optional.of(send(random.nextInt(requests.size())));
  }

  private String send(int request) {
    Wish wish = wishes.get(request);
    Partition partition = world.gradients(wish.userId());
    byte[] value = requests.get(request);
    long offset =
        world.log().append(partition, wish.userId().getBytes(UTF_8), value, world.nowMs());
    world.checks().arrived(partition, offset, value);
    return "request %d for a token of window %d by %s arrives at %s@%d"
        .formatted(request, wish.window(), wish.userId(), partition, offset);
  }

  /**
   * Reads what has become visible of the grants: a person has at most one token for a window,
   * unless the totals are forgotten.
   */
  private void readGrants() throws InvalidProtocolBufferException {
    Partition partition = world.log().partition(World.TOPICS.grants(), 0);
    for (Entry entry : partition.committed(grantsRead)) {
      Grant grant = Grant.parseFrom(entry.value());
      int request = ByteBuffer.wrap(grant.getTag().toByteArray()).getInt();
      Wish wish = wishes.get(request);
      if (grant.getGranted()) {
        Integer before = granted.put(wish, request);
        if (before == null) {
          usable.add(wish.window());
        } else if (before != request && !world.people().isForgotten(wish.userId())) {
          throw new WorldFinding(11, wish.userId() + " has two tokens for window " + wish.window());
        }
      }
    }
    grantsRead = partition.stableEnd();
  }

  /** A person reports with a token. */
  private Optional<String> report(long round, SplittableRandom random) {
    if (usable.isEmpty()) {
      return Optional.empty();
    }
    int chosen = random.nextInt(usable.size());
    long window = usable.get(chosen);
    if (window > round) {
      return Optional.empty();
    }
    usable.remove(chosen);
    int number = sent.merge(window, 1, Integer::sum) - 1;
    if (keys.get(window) && world.isInState(World.TOPICS.tokenKeys())) {
      certain.merge(window, 1, Integer::sum);
    }
    reports.add(
        AnonymousReport.newBuilder()
            .setModelId(MODEL)
            .setRound(window)
            .setToken(token(window, number).encoded())
            .setAnswer(Answer.newBuilder().setQuestion(QUESTION).setBit(random.nextBoolean()))
            .setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(EPSILON))
            .build()
            .toByteArray());
    return Optional.of("someone reports with token " + number + arrive(reports.size() - 1));
  }

  private Optional<String> again(SplittableRandom random) {
    int report = random.nextInt(reports.size());
    return Optional.of("anonymous report " + report + " is sent again" + arrive(report));
  }

  private String arrive(int report) {
    AnonymousReport parsed;
    try {
      parsed = AnonymousReport.parseFrom(reports.get(report));
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Not a report", e);
    }
    byte[] nonce = Token.parse(parsed.getToken()).nonce().toByteArray();
    Partition partition = world.log().partition(World.TOPICS.anonymous(), nonce[0] & 1);
    long offset = world.log().append(partition, nonce, reports.get(report), world.nowMs());
    return " of window %d at %s@%d".formatted(parsed.getRound(), partition, offset);
  }

  /**
   * Checks once everything has happened: each token counts once, and no window counts more reports
   * than there were.
   *
   * @param counted by the newest update
   */
  void check(long counted) throws InvalidProtocolBufferException {
    readGrants();
    long most = sent.values().stream().mapToInt(Integer::intValue).sum();
    long closed = keys.keySet().stream().mapToLong(Long::longValue).max().orElse(0) - OPEN;
    long least =
        certain.entrySet().stream()
            .filter(of -> of.getKey() > closed)
            .mapToInt(Map.Entry::getValue)
            .sum();
    if (counted < least || counted > most) {
      throw new WorldFinding(
          11,
          "%d anonymous reports count; %d to %d were sent with a token of their own"
              .formatted(counted, least, most));
    }
    Set<Long> guaranteed = new HashSet<>();
    for (Entry entry : world.log().committed(World.TOPICS.guarantees())) {
      GuaranteeEvent event = GuaranteeEvent.parseFrom(entry.value());
      if (event.hasAnonymous()) {
        long window = event.getAnonymous().getWindow();
        if (!guaranteed.add(window)
            || event.getAnonymous().getReports() > sent.getOrDefault(window, 0)) {
          throw new WorldFinding(
              11, "Window " + window + " has two guarantees, or one of more reports than it had");
        }
      }
    }
  }
}
