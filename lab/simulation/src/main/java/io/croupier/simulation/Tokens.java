package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.accounting.mechanism.RandomisedResponseMechanism;
import io.croupier.client.token.Token;
import io.croupier.client.token.TokenChallenge;
import io.croupier.client.token.TokenIssuer;
import io.croupier.client.token.TokenRequest;
import io.croupier.gateway.anonymous.AnonymousCheck;
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
import java.security.SignatureException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
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

  /** Behind the signature are the random bytes before the message. */
  private static final int LAST_OF_SIGNATURE = 33;

  /** Bytes of the field's tag and of a length of up to two bytes. */
  private static final int PADDING_HEADER = 3;

  /** Signed before, in any world: the same ones in each, as it takes a millisecond to sign one. */
  private static final Map<List<Long>, Signed> SIGNED = new ConcurrentHashMap<>();

  /** One key for all windows: to derive one takes some tenths of a second. */
  private static final class SharedIssuer {
    private static final TokenIssuer ISSUER = TokenIssuer.derive(new byte[32], challenge(0));
  }

  /** What a person blinds, what the gateway has to answer, and the token that follows. */
  private record Signed(ByteString blinded, ByteString signature, Token token) {}

  /**
   * A request for a token.
   *
   * @param number of the token of its window
   * @param body of the request to the gateway
   */
  private record Wish(String userId, long window, long number, ByteString body) {
    @Override
    public String toString() {
      return "token %d of window %d for %s".formatted(number, window, userId);
    }
  }

  /** A request that waits for the gateway. */
  private record WaitingWish(Wish wish, CompletableFuture<ByteString> signature) {}

  /** A report, as a device and as a gateway sends it. */
  record PaddedReport(ByteString body, AnonymousReport report) {}

  private final World world;
  private final Map<Long, Boolean> keys = new TreeMap<>();
  private final Map<String, Integer> sequences = new HashMap<>();
  private final List<Wish> wishes = new ArrayList<>();
  private final List<WaitingWish> waiting = new ArrayList<>();
  private final Map<ByteString, Wish> byTag = new HashMap<>();
  private final Map<List<Object>, Wish> granted = new HashMap<>();
  private final Set<Wish> grantedWishes = new HashSet<>();
  private final Set<Wish> owned = new HashSet<>();
  private final List<Wish> usable = new ArrayList<>();
  private final Map<Long, Integer> sent = new TreeMap<>();
  private final Map<Long, Integer> certain = new TreeMap<>();
  private final List<PaddedReport> reports = new ArrayList<>();
  private Wish asking;
  private long forged;
  private long grantsRead;

  Tokens(World world) {
    this.world = world;
  }

  /** What signs the tokens of all windows. */
  static TokenIssuer issuer() {
    return SharedIssuer.ISSUER;
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

  private static Signed signed(long window, long number) {
    return SIGNED.computeIfAbsent(List.of(window, number), Tokens::sign);
  }

  private static Signed sign(List<Long> windowAndNumber) {
    long window = windowAndNumber.get(0);
    byte[] secrets = new byte[SECRET_BYTES];
    new SplittableRandom(window * 1_000_003 + windowAndNumber.get(1)).nextBytes(secrets);
    // So that the blind, which comes last, is below the modulus.
    secrets[SECRET_BYTES - KEY_BYTES] = 0;
    TokenRequest request =
        new TokenRequest(issuer().key(), challenge(window), ByteString.copyFrom(secrets));
    ByteString signature = issuer().sign(request.blinded());
    try {
      return new Signed(request.blinded(), signature, request.finish(signature));
    } catch (SignatureException e) {
      throw new AssertionError("The issuer signs what is asked", e);
    }
  }

  /** The gateway or a person does something. */
  Optional<String> act(SplittableRandom random) {
    long round = world.checks().round(MODEL);
    if (round < 0) {
      return Optional.empty();
    }
    readGrants();
    if (random.nextInt(4) > 0) {
      world.followGateway();
    }
    if (random.nextBoolean()) {
      Optional<String> published = publishKeys(round);
      if (published.isPresent()) {
        return published;
      }
    }
    int what = random.nextInt(8);
    if (what == 0) {
      return forge(round);
    }
    if (what < 4 && !reports.isEmpty()) {
      return again(random);
    }
    Optional<String> reported = what < 6 ? report(round, random) : Optional.empty();
    return reported.isPresent() ? reported : ask(round + random.nextInt(3), random);
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
    if (random.nextInt(8) == 0) {
      world.gateway().loseNextAcknowledgement();
    }
    if (wishes.isEmpty() || random.nextInt(4) > 0) {
      String userId = "user-" + random.nextInt(World.USERS);
      JsonObject body = new JsonObject();
      body.addProperty("modelId", MODEL);
      body.addProperty("window", window);
      body.addProperty("level", random.nextInt(16) == 0 ? 1 : 0);
      body.addProperty("deviceId", "tokens");
      body.addProperty("sequence", sequences.merge(userId, 1, Integer::sum) - 1);
      ByteString blinded = signed(window, wishes.size()).blinded();
      body.addProperty("blinded", Base64.getEncoder().encodeToString(blinded.toByteArray()));
      wishes.add(new Wish(userId, window, wishes.size(), ByteString.copyFromUtf8(body.toString())));
      return Optional.of(send(wishes.get(wishes.size() - 1)));
    }
    return Optional.of(send(World.pick(random, wishes)));
  }

  private String send(Wish wish) {
    asking = wish;
    Optional<CompletableFuture<ByteString>> signature =
        world.gateway().token(wish.body().toByteArray(), wish.userId());
    asking = null;
    signature.ifPresent(future -> waiting.add(new WaitingWish(wish, future)));
    return signature.isPresent()
        ? "the gateway asks the ledger for " + wish
        : "the gateway refuses " + wish;
  }

  /** A report has arrived from a gateway; perhaps it is a request for a token. */
  void arrived(byte[] report) {
    if (asking != null) {
      try {
        byTag.put(GradientReport.parseFrom(report).getToken().getTag(), asking);
      } catch (InvalidProtocolBufferException e) {
        throw new AssertionError("Not a report", e);
      }
    }
  }

  /**
   * Reads what has become visible of the grants: a person has at most one token for a window,
   * unless the totals are forgotten.
   */
  private void readGrants() {
    Partition partition = world.log().partition(World.TOPICS.grants(), 0);
    for (Entry entry : partition.committed(grantsRead)) {
      Grant grant = grant(entry);
      Wish wish = byTag.get(grant.getTag());
      if (grant.getGranted()) {
        grantedWishes.add(wish);
        Wish before = granted.put(List.of(wish.userId(), wish.window()), wish);
        if (before != null && !before.equals(wish) && !world.people().isForgotten(wish.userId())) {
          throw new WorldFinding(11, wish.userId() + " has two tokens for window " + wish.window());
        }
      }
    }
    grantsRead = partition.stableEnd();
  }

  private static Grant grant(Entry entry) {
    try {
      return Grant.parseFrom(entry.value());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("Only the job writes there", e);
    }
  }

  /** People take what the gateway has signed: nothing that isn't granted. */
  void takeSigned() {
    if (waiting.isEmpty()) {
      return;
    }
    readGrants();
    for (WaitingWish of : waiting) {
      if (of.signature().isDone() && !of.signature().isCompletedExceptionally()) {
        Wish wish = of.wish();
        if (!grantedWishes.contains(wish)) {
          throw new WorldFinding(11, "The gateway signs a " + wish + ", which isn't granted");
        }
        if (!of.signature().join().equals(signed(wish.window(), wish.number()).signature())) {
          throw new WorldFinding(11, "The gateway signs something else than " + wish);
        }
        if (owned.add(wish)) {
          usable.add(wish);
        }
      }
    }
    waiting.removeIf(of -> of.signature().isDone());
  }

  /** How many requests have no answer. */
  int waiting() {
    return waiting.size();
  }

  private static AnonymousReport.Builder report(long window, Token token, boolean bit) {
    return AnonymousReport.newBuilder()
        .setModelId(MODEL)
        .setRound(window)
        .setToken(token.encoded())
        .setAnswer(Answer.newBuilder().setQuestion(QUESTION).setBit(bit))
        .setRandomisedResponse(RandomisedResponse.newBuilder().setEpsilon(EPSILON));
  }

  /** A report as a device sends it. */
  private static PaddedReport sent(AnonymousReport.Builder report) {
    AnonymousReport unpadded = report.build();
    int room = AnonymousCheck.PROTOBUF_BYTES - unpadded.getSerializedSize() - PADDING_HEADER;
    report.setPadding(ByteString.copyFrom(new byte[room]));
    return new PaddedReport(report.build().toByteString(), unpadded);
  }

  /** A person reports with a token. */
  private Optional<String> report(long round, SplittableRandom random) {
    if (usable.isEmpty()) {
      return Optional.empty();
    }
    Wish wish = World.pick(random, usable);
    if (wish.window() > round) {
      return Optional.empty();
    }
    Token token = signed(wish.window(), wish.number()).token();
    PaddedReport report = sent(report(wish.window(), token, random.nextBoolean()));
    boolean isCertain =
        keys.getOrDefault(wish.window(), false) && isInState(World.TOPICS.tokenKeys());
    if (!world.gateway().storesAnonymous(report.body().toByteArray())) {
      if (wish.window() < round) {
        usable.remove(wish);
      }
      return Optional.of("the gateway refuses a report with a token of window " + wish.window());
    }
    usable.remove(wish);
    sent.merge(wish.window(), 1, Integer::sum);
    if (isCertain) {
      certain.merge(wish.window(), 1, Integer::sum);
    }
    reports.add(report);
    return Optional.of("someone reports in window " + wish.window());
  }

  /** A report arrives again: from the device, or from another gateway. */
  private Optional<String> again(SplittableRandom random) {
    int number = random.nextInt(reports.size());
    if (random.nextBoolean()) {
      boolean isTaken = world.gateway().storesAnonymous(reports.get(number).body().toByteArray());
      return Optional.of(
          "the gateway " + (isTaken ? "takes" : "refuses") + " anonymous report " + number);
    }
    return Optional.of(
        "anonymous report " + number + " arrives again at " + store(reports.get(number)));
  }

  private String store(PaddedReport report) {
    byte[] nonce = Token.parse(report.report().getToken()).nonce().toByteArray();
    return world.stored(World.TOPICS.anonymous(), nonce, report.report().toByteArray());
  }

  /** Someone tries a token that no one has signed, at the gateway and on the topic itself. */
  private Optional<String> forge(long window) {
    Token valid = signed(window, --forged).token();
    byte[] bytes = valid.encoded().toByteArray();
    bytes[bytes.length - LAST_OF_SIGNATURE] ^= 1;
    PaddedReport unsigned = sent(report(window, Token.parse(ByteString.copyFrom(bytes)), true));
    if (world.gateway().storesAnonymous(unsigned.body().toByteArray())) {
      throw new WorldFinding(11, "The gateway takes a token that isn't signed");
    }
    PaddedReport signed = sent(report(window, valid, true));
    return Optional.of(
        "someone writes a report without a signed token to "
            + store(world.parts().forged(unsigned, signed)));
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
    boolean isOlder = world.checks().hasLost(World.TOPICS.updates());
    if ((counted < least && !isOlder) || counted > most) {
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

  /** Whether the newest state contains all records of a topic of one partition. */
  private boolean isInState(String topic) {
    Partition partition = world.log().partition(topic, 0);
    return world.inState(partition) >= partition.end();
  }
}
