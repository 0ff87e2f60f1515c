package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.croupier.gateway.kafka.TopicFollower;
import io.croupier.schemas.Topics;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The numbers behind the page: follows the committed topics and keeps what {@link WatchState} keeps
 * of them. At the start it reads all specs and updates, and the newest records of each partition of
 * the other topics: {@value #PAST_EVENTS} accounting events, {@value #PAST_GUARANTEES} guarantees
 * and {@value #PAST_LETTERS} dead letters. Safe for use by several threads.
 */
public final class WatchFeed implements AutoCloseable {
  static final long PAST_EVENTS = 100_000;
  static final long PAST_GUARANTEES = 1000;
  static final long PAST_LETTERS = 1000;

  /** Events of models that aren't known yet would count as those of unknown models. */
  private static final Duration MODELS_FIRST = Duration.ofSeconds(30);

  private static final long PAUSE_MS = 50;

  private final String title;
  private final Clock clock;
  private final WatchState state;
  private final long startedAtMs;
  private final List<TopicFollower> followers = new ArrayList<>();
  private volatile Supplier<Scores> scores = () -> null;
  private volatile Result result;
  private volatile String note;
  private volatile boolean ended;
  private TopicEnds ends;
  private Thread starting;
  private boolean closed;

  /**
   * Creates a feed without topics.
   *
   * @param title of the page
   * @param note a sentence about what is under way; empty for none
   */
  public WatchFeed(String title, String note) {
    this(title, note, Clock.systemUTC());
  }

  WatchFeed(String title, String note, Clock clock) {
    this.title = title;
    this.note = note;
    this.clock = clock;
    state = new WatchState(clock);
    startedAtMs = clock.millis();
  }

  /** Begins to follow the topics. Call it once. */
  public synchronized void follow(Map<String, ?> kafka, Topics topics) {
    if (closed) {
      return;
    }
    TopicFollower models = add(new TopicFollower(kafka, topics.models(), state::spec));
    TopicFollower updates =
        add(new TopicFollower(kafka, topics.updates(), Long.MAX_VALUE, state::update));
    for (String letters : List.of(topics.deadLetters(), topics.rawDeadLetters())) {
      add(new TopicFollower(kafka, letters, PAST_LETTERS, (record, live) -> state.letter(record)));
    }
    starting =
        new Thread(
            () -> {
              try {
                // Without them the page shows less, but it shows the rest.
                models.awaitCaughtUp(MODELS_FIRST);
                updates.awaitCaughtUp(MODELS_FIRST);
                Optional<TopicFollower> accounts = followAccounts(kafka, topics);
                if (accounts.isPresent()) {
                  // Before that, reports of the past would seem to wait.
                  accounts.get().awaitCaughtUp(MODELS_FIRST);
                  askForEnds(kafka, topics);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "watch-start");
    starting.setDaemon(true);
    starting.start();
  }

  private synchronized Optional<TopicFollower> followAccounts(Map<String, ?> kafka, Topics topics) {
    if (closed) {
      return Optional.empty();
    }
    add(
        new TopicFollower(
            kafka,
            topics.guarantees(),
            PAST_GUARANTEES,
            (record, live) -> state.guarantee(record)));
    return Optional.of(
        add(new TopicFollower(kafka, topics.accounting(), PAST_EVENTS, state::event)));
  }

  private synchronized void askForEnds(Map<String, ?> kafka, Topics topics) {
    if (!closed) {
      ends = new TopicEnds(kafka, List.of(topics.gradients(), topics.rawGradients()), state::ends);
    }
  }

  private TopicFollower add(TopicFollower follower) {
    followers.add(follower);
    return follower;
  }

  /** Adds the scores of a demonstration, which any thread may ask for. */
  public void show(Supplier<Scores> newest) {
    scores = newest;
  }

  /** Replaces the sentence about what is under way. */
  public void note(String sentence) {
    note = sentence;
  }

  /** Adds the result of a demonstration. */
  public void conclude(Result found) {
    result = found;
  }

  /**
   * Waits until the feed has read so many verdicts, and so many reports of each model.
   *
   * @param received by model: reports that it used or dropped, answers, and the open round
   * @return false if that takes longer than {@code patience}
   */
  public boolean await(long judged, Map<String, Long> received, Duration patience)
      throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (!state.contains(judged, received)) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
    }
    return true;
  }

  /** The page with its numbers of now in one HTML file, which loads nothing and never changes. */
  public String page() {
    JsonObject json = numbers(true);
    json.addProperty("ended", true);
    return PageFile.snapshot(json);
  }

  /** Announces that nothing new will come. */
  public void end(String sentence) {
    note = sentence;
    ended = true;
  }

  /** Whether {@link #end} was called. */
  public boolean hasEnded() {
    return ended;
  }

  WatchState state() {
    return state;
  }

  /** All that the page shows, with curves, in JSON. */
  byte[] snapshot() {
    return bytes(numbers(true));
  }

  /** As {@link #snapshot}, with the newest point of each curve alone. */
  byte[] newest() {
    return bytes(numbers(false));
  }

  private static byte[] bytes(JsonObject json) {
    return json.toString().getBytes(UTF_8);
  }

  private JsonObject numbers(boolean whole) {
    JsonObject json = state.json(whole);
    json.addProperty("title", title);
    json.addProperty("note", note);
    json.addProperty("ended", ended);
    json.addProperty("atMs", clock.millis());
    json.addProperty("startedAtMs", startedAtMs);
    json.addProperty("pastEvents", PAST_EVENTS);
    json.add("topics", topics());
    Scores newest = scores.get();
    json.add("scores", newest == null ? JsonNull.INSTANCE : ScoreView.json(newest, whole));
    json.add("result", PageNumbers.json(result));
    return json;
  }

  private record FollowedTopic(String name, boolean readable) {}

  private synchronized JsonElement topics() {
    return PageNumbers.json(
        followers.stream()
            .map(follower -> new FollowedTopic(follower.topic(), follower.isReadable()))
            .toList());
  }

  /** Stops to follow; the last state stays. */
  @Override
  public void close() {
    List<TopicFollower> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(followers);
      if (starting != null) {
        starting.interrupt();
      }
    }
    open.forEach(TopicFollower::close);
    if (ends != null) {
      ends.close();
    }
  }
}
