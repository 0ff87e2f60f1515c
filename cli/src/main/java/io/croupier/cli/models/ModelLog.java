package io.croupier.cli.models;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.cli.InputException;
import io.croupier.cli.io.Table;
import io.croupier.operators.model.PublishedSpecs;
import io.croupier.operators.model.SpecChange;
import io.croupier.schemas.ModelSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * What the models topic still has of the changes of models: who made each, when, and what it
 * changed. The brokers don't verify the author's name, which the command that made the change wrote
 * into a header.
 */
final class ModelLog {
  /** The header of a record that names its author. */
  static final String AUTHOR = "changed-by";

  private final Optional<String> model;
  private final PublishedSpecs published = new PublishedSpecs(spec -> List.of());
  private final Map<String, ModelSpec> running = new HashMap<>();
  private final List<LoggedChange> entries = new ArrayList<>();
  private final Set<String> modelIds = new TreeSet<>();
  private long records;
  private long offsets;

  /**
   * A record of the topic.
   *
   * @param at when it was written
   * @param by who wrote it; empty if the record doesn't name anybody
   * @param change what became of the model, in a word
   * @param details the fields that changed, or why the job refuses the spec
   * @param spec the spec of the record; empty for a retirement and for what can't be read
   */
  private record LoggedChange(
      Instant at,
      String by,
      String modelId,
      String change,
      List<String> details,
      Optional<ModelSpec> spec) {}

  /**
   * Begins an empty log.
   *
   * @param model whose changes it has; empty for all models
   */
  ModelLog(Optional<String> model) {
    this.model = model;
  }

  /** Adds the offsets of a partition, of which the brokers may have forgotten records. */
  void addOffsets(long end) {
    offsets += end;
  }

  /** Adds the next record of the topic. */
  void add(ConsumerRecord<byte[], byte[]> record) {
    records++;
    String modelId = record.key() == null ? "" : new String(record.key(), UTF_8);
    modelIds.add(modelId);
    ModelSpec before = running.get(modelId);
    SpecChange change = published.apply(modelId, record.offset(), record.value());
    Optional<ModelSpec> spec = spec(record.value());
    if (change instanceof SpecChange.Retired) {
      running.remove(modelId);
      add(record, modelId, "retired", List.of(), spec);
    } else if (change instanceof SpecChange.Refused refused) {
      add(record, modelId, "refused", List.of(YamlNames.in(refused.reason())), spec);
    } else if (change instanceof SpecChange.Accepted) {
      running.put(modelId, spec.orElseThrow());
      List<String> differences =
          before == null ? List.of() : SpecDifferences.between(before, spec.orElseThrow());
      add(record, modelId, before == null ? "created" : "changed", differences, spec);
    }
  }

  private void add(
      ConsumerRecord<byte[], byte[]> record,
      String modelId,
      String change,
      List<String> details,
      Optional<ModelSpec> spec) {
    if (model.isEmpty() || model.get().equals(modelId)) {
      Header author = record.headers().lastHeader(AUTHOR);
      String by = author == null || author.value() == null ? "" : new String(author.value(), UTF_8);
      Instant at = Instant.ofEpochMilli(record.timestamp());
      entries.add(new LoggedChange(at, by, modelId, change, details, spec));
    }
  }

  private static Optional<ModelSpec> spec(byte[] value) {
    try {
      return value == null ? Optional.empty() : Optional.of(ModelSpec.parseFrom(value));
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  /**
   * Requires that the brokers have a change of the model.
   *
   * @throws InputException if they have none: its name may be a wrong one
   */
  void requireModel() {
    if (model.isPresent() && !modelIds.contains(model.get())) {
      throw new InputException(
          "No such model: %s. Models in the log: %s"
              .formatted(model.get(), String.join(", ", modelIds)));
    }
  }

  /** How many records the brokers have compacted away. */
  long forgotten() {
    return offsets - records;
  }

  /** A table with a row for each change, the oldest first. */
  String text() {
    Table table = new Table("when", "by", "model", "change", "what");
    for (String column : List.of("by", "model", "change", "what")) {
      table.words(column);
    }
    for (LoggedChange entry : entries) {
      table.row(
          entry.at().toString(),
          entry.by().isEmpty() ? "-" : entry.by(),
          entry.modelId(),
          entry.change(),
          String.join("; ", entry.details()));
    }
    return table.text();
  }

  /** The same as a list, with the specs in the form of a models file. */
  JsonArray json() {
    JsonArray list = new JsonArray();
    for (LoggedChange entry : entries) {
      JsonObject object = new JsonObject();
      object.addProperty("at", entry.at().toString());
      if (!entry.by().isEmpty()) {
        object.addProperty("by", entry.by());
      }
      object.addProperty("model", entry.modelId());
      object.addProperty("change", entry.change());
      JsonArray details = new JsonArray();
      entry.details().forEach(details::add);
      object.add("what", details);
      entry
          .spec()
          .ifPresent(
              spec ->
                  object.add(
                      "spec",
                      JsonParser.parseString(ModelsFile.text(List.of(spec)))
                          .getAsJsonArray()
                          .get(0)));
      list.add(object);
    }
    return list;
  }
}
