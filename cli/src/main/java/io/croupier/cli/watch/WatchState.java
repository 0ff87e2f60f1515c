package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.SkippedRecords;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvents;
import io.croupier.schemas.GradientReports;
import io.croupier.schemas.GuaranteeEvent;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.ModelUpdate;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.commons.lang3.function.FailableRunnable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;

/**
 * What the page shows, from the records of the topics. Its memory is bounded, whatever the number
 * of models, people and records: at most {@value #MOST_MODELS} models, {@value #MOST_PEOPLE} people
 * in the histogram of all models and {@value WatchedModel#MOST_PEOPLE} in that of each model, and
 * {@value #MOST_REASONS} reasons of dead letters.
 *
 * <p>It keeps no user id: people are keys of 64 bits, from a digest under a random key of this
 * process. It keeps neither gradients nor weights. Safe for use by several threads.
 */
final class WatchState {
  static final int MOST_MODELS = 100;
  static final int MOST_PEOPLE = 50_000;
  static final int MOST_REASONS = 20;

  private static final int KEY_BYTES = 32;
  private static final int MILLIS = 1000;

  private static final int REASON_CHARS = 100;

  /** Parts of a reason that differ from record to record, or may quote one. */
  private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`");

  private static final Pattern DIGITS = Pattern.compile("-?\\d[\\d,.eE+-]*");
  private static final Pattern UNPRINTABLE = Pattern.compile("[^\\x20-\\x7E]");

  private final SkippedRecords skipped = new SkippedRecords();
  private final Clock clock;
  private final byte[] key = new byte[KEY_BYTES];
  private final MessageDigest sha256;

  // Guarded by this.
  private final Map<String, WatchedModel> models = new TreeMap<>();
  private final SpendingSample spending = new SpendingSample(MOST_PEOPLE);
  private final Tally unknown = new Tally(AccountingEvent.Outcome.values().length);
  private final Tally letters = new Tally(MOST_REASONS);
  private final RecentRate rate = new RecentRate();
  private final Backlog backlog = new Backlog();
  private long events;
  private boolean more;

  WatchState(Clock clock) {
    this.clock = clock;
    new SecureRandom().nextBytes(key);
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Applies a record of the models topic. */
  synchronized void spec(ConsumerRecord<byte[], byte[]> record) {
    if (record.value() == null) {
      models.remove(modelId(record));
      return;
    }
    parse(
        record,
        () -> {
          ModelSpec spec = ModelSpecs.current(ModelSpec.parseFrom(record.value()));
          WatchedModel model = model(spec.getModelId());
          if (model != null) {
            model.spec(spec);
          }
        });
  }

  /**
   * Applies a record of the updates topic.
   *
   * @param live whether it became visible while this process followed the topic
   */
  synchronized void update(ConsumerRecord<byte[], byte[]> record, boolean live) {
    if (record.value() == null) {
      // A model that was applied again may have its new spec before its earlier updates end.
      models.computeIfPresent(
          modelId(record), (modelId, model) -> model.endUpdates() ? model : null);
      return;
    }
    parse(
        record,
        () -> {
          ModelUpdate update = ModelUpdate.parseFrom(record.value());
          WatchedModel model = model(update.getModelId());
          if (model != null) {
            // The clocks of the job and of this machine may differ.
            long latency = Math.max(0, clock.millis() - update.getPublishedAtMs());
            model.update(update, live && update.hasPublishedAtMs() ? latency : -1);
          }
        });
  }

  private static String modelId(ConsumerRecord<byte[], byte[]> record) {
    return record.key() == null ? "" : new String(record.key(), UTF_8);
  }

  /** The model of that name, which is new if there is room; else null. */
  private WatchedModel model(String modelId) throws InvalidProtocolBufferException {
    if (!GradientReports.isModelId(modelId)) {
      throw new InvalidProtocolBufferException("no model can have this name");
    }
    WatchedModel model = models.get(modelId);
    if (model == null && models.size() < MOST_MODELS) {
      model = new WatchedModel();
      models.put(modelId, model);
    }
    more |= model == null;
    return model;
  }

  /** Applies a record of the accounting topic. */
  synchronized void event(ConsumerRecord<byte[], byte[]> record, boolean live) {
    parse(
        record,
        () -> {
          AccountingEvent event = AccountingEvents.read(record.key(), record.value());
          long second = live ? second() : -1;
          long user = key(event.getUserId());
          if (event.hasUserTotals()) {
            spending.put(user, AccountingEvents.countedOnAllModels(event), event.getLeftUser());
          }
          if (event.getOutcome() == AccountingEvent.Outcome.ERASED) {
            models.values().forEach(of -> of.people().remove(user));
            return; // judges no report
          }
          events++;
          if (event.hasSource()) {
            backlog.judged(
                new TopicPartition(event.getSource().getTopic(), event.getSource().getPartition()),
                event.getSource().getOffset(),
                clock.millis());
          }
          if (live) {
            rate.add(second);
          }
          // A report may name any model, so its name alone makes none.
          WatchedModel model = models.get(event.getModelId());
          if (model == null) {
            unknown.add(event.getOutcome().name());
          } else {
            model.event(event, user, second);
          }
        });
  }

  private long key(String userId) {
    sha256.update(key);
    return ByteBuffer.wrap(sha256.digest(userId.getBytes(UTF_8))).getLong();
  }

  /** Applies a record of the guarantees topic. */
  synchronized void guarantee(ConsumerRecord<byte[], byte[]> record) {
    parse(
        record,
        () -> {
          GuaranteeEvent event = GuaranteeEvent.parseFrom(record.value());
          WatchedModel model = models.get(event.getModelId());
          if (model != null) {
            model.guarantee(event);
          }
        });
  }

  /** Applies a record of a topic for dead letters. */
  synchronized void letter(ConsumerRecord<byte[], byte[]> record) {
    Header header = record.headers().lastHeader(DeadLetters.REASON);
    letters.add(
        header == null || header.value() == null
            ? "no reason stated"
            : kind(new String(header.value(), UTF_8)));
    source(record).ifPresent(at -> backlog.judged(at.getKey(), at.getValue(), clock.millis()));
  }

  /** Where the unreadable record was; empty if its dead letter doesn't state that. */
  private static Optional<Map.Entry<TopicPartition, Long>> source(ConsumerRecord<?, ?> letter) {
    Header topic = letter.headers().lastHeader(DeadLetters.TOPIC);
    Header partition = letter.headers().lastHeader(DeadLetters.PARTITION);
    Header offset = letter.headers().lastHeader(DeadLetters.OFFSET);
    if (topic == null || partition == null || offset == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          Map.entry(
              new TopicPartition(
                  new String(topic.value(), UTF_8),
                  Integer.parseInt(new String(partition.value(), UTF_8))),
              Long.parseLong(new String(offset.value(), UTF_8))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** Records the ends of partitions of reports. */
  synchronized void ends(Map<TopicPartition, Long> newest) {
    backlog.ends(newest, clock.millis());
  }

  /** The reason without what differs from letter to letter. */
  static String kind(String reason) {
    String kind = QUOTED.matcher(reason).replaceAll("...");
    kind = DIGITS.matcher(kind).replaceAll("#");
    kind = UNPRINTABLE.matcher(kind).replaceAll("?");
    return kind.length() <= REASON_CHARS ? kind : kind.substring(0, REASON_CHARS) + "...";
  }

  private void parse(
      ConsumerRecord<byte[], byte[]> record,
      FailableRunnable<InvalidProtocolBufferException> parsing) {
    if (record.value() == null) {
      return;
    }
    try {
      parsing.run();
    } catch (InvalidProtocolBufferException e) {
      // The exception may quote the record.
      skipped.add(record.topic(), record.partition(), record.offset(), "it can't be parsed");
    }
  }

  private long second() {
    return clock.millis() / MILLIS;
  }

  /**
   * Whether the state contains so many verdicts, and so many reports of each model.
   *
   * @param received by model: reports that it used or dropped, answers, and the open round
   */
  synchronized boolean contains(long judged, Map<String, Long> received) {
    return events >= judged
        && received.entrySet().stream()
            .allMatch(
                of -> {
                  WatchedModel model = models.get(of.getKey());
                  return model != null && model.received() >= of.getValue();
                });
  }

  /**
   * The state in JSON.
   *
   * @param whole whether it includes the curves; otherwise it includes the newest point of each
   */
  synchronized JsonObject json(boolean whole) {
    long second = second();
    JsonObject json = new JsonObject();
    json.addProperty("events", events);
    json.add("perSecond", PageNumbers.number(rate.at(second)));
    json.addProperty("more", more);
    backlog
        .reports()
        .ifPresent(
            waiting -> {
              json.addProperty("waiting", waiting);
              json.addProperty("stuckMs", backlog.stuckMs(clock.millis()));
            });
    JsonArray all = new JsonArray();
    JsonObject spendings = new JsonObject();
    spendings.add("", spending.json());
    models.forEach(
        (modelId, model) -> {
          JsonObject each = model.json(modelId, second);
          each.add(whole ? "curves" : "points", whole ? model.curves() : model.newestPoints());
          all.add(each);
          spendings.add(modelId, model.people().json());
        });
    json.add("models", all);
    json.add("spending", spendings);
    addNear(json);
    json.add("unknown", unknown.json());
    json.addProperty("letters", letters.sum());
    json.add("reasons", letters.json());
    return json;
  }

  /**
   * Of how many people a limit is known, over all models or of one, and how many are near one of
   * theirs. They are those who are in all samples that they could be in.
   */
  private void addNear(JsonObject json) {
    List<SpendingSample> samples = new ArrayList<>(List.of(spending));
    models.values().forEach(model -> samples.add(model.people()));
    int zeros = samples.stream().mapToInt(SpendingSample::zeros).max().orElseThrow();
    Map<Long, Boolean> near = new HashMap<>();
    samples.forEach(sample -> sample.addLimited(near, zeros));
    json.addProperty("limited", near.size());
    json.addProperty("near", near.values().stream().filter(isNear -> isNear).count());
  }
}
