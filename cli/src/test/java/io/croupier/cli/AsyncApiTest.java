package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.croupier.operators.flink.DeadLetters;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.Topic;
import io.croupier.schemas.Topics;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/asyncapi.yaml is valid AsyncAPI, and consistent with the topics and with
 * croupier.proto.
 */
class AsyncApiTest {
  private static final Topics TOPICS = Topics.withPrefix("croupier");
  private static final List<String> ALL = TOPICS.names(Topic.ofJob(true));
  private static final FileDescriptor RECORDS = ModelSpec.getDescriptor().getFile();
  private static final Pattern TOP_LEVEL =
      Pattern.compile("^message (\\w+) \\{(?:\\}$|.*?^\\}$)", Pattern.DOTALL | Pattern.MULTILINE);

  /** The headings in croupier.proto, each with the first message below it. */
  private static final Pattern RECORD =
      Pattern.compile("// (croupier\\.[a-z-]+)\\b[^\n]*\n.*?\nmessage (\\w+) ", Pattern.DOTALL);

  private final AsyncApiDocument document = AsyncApiDocument.read();
  private final String proto =
      Files.readString(ROOT.resolve("schemas/src/main/protobuf/croupier/v1/croupier.proto"));

  AsyncApiTest() throws IOException {}

  private static JsonSchema schema() throws IOException {
    try (InputStream schema =
        AsyncApiTest.class.getResourceAsStream("/asyncapi/asyncapi-3.0.0.json")) {
      return JsonSchemaFactory.getInstance(VersionFlag.V7).getSchema(schema);
    }
  }

  @Test
  void isValid() throws IOException {
    assertThat(schema().validate(document.root())).isEmpty();
  }

  @Test
  void theSchemaFindsErrors() throws IOException {
    JsonSchema schema = schema();
    for (Consumer<ObjectNode> error :
        List.<Consumer<ObjectNode>>of(
            root -> root.put("asyncapi", "2.6.0"),
            root -> root.withObject("/channels/updates").put("cleanup", "compact"),
            root -> root.withObject("/operations/account").put("action", "publish"),
            root -> root.withObject("/operations/account").remove("channel"),
            root -> root.withObject("/channels/updates/bindings/kafka").put("partitions", 0),
            root -> root.withObject("/components/securitySchemes/scram").put("type", "scram"),
            root -> root.withObject("/components/messages/modelUpdate").put("payload", 1))) {
      ObjectNode changed = document.root().deepCopy();
      error.accept(changed);
      assertThat(changed).isNotEqualTo(document.root());
      assertThat(schema.validate(changed)).isNotEmpty();
    }
  }

  @Test
  void everyReferenceHasATarget() {
    List<JsonNode> references = document.root().findParents("$ref");
    assertThat(references).hasSizeGreaterThan(20);
    assertThat(references)
        .allSatisfy(r -> assertThat(document.resolve(r).isMissingNode()).as("%s", r).isFalse());
  }

  /** Topics whose records are in no contract, besides those of dead letters. */
  private static final Map<String, String> OTHERS =
      Map.of(
          TOPICS.progress(),
          "progressRecord",
          TOPICS.erasures(),
          "erasure",
          TOPICS.stops(),
          "stop");

  /** Keys that are no field of their records. */
  private static final Map<String, String> OTHER_KEYS =
      Map.of(
          "Account", "user_id",
          "AccountRequest", "user_id",
          "AccountingEvent", "model/device/user",
          "AnonymousReport", "nonce",
          "Erasure", "user_id",
          "Grant", "user_id",
          "TokenKey", "model_id/window/level");

  @Test
  void describesEveryTopic() {
    assertThat(document.channels().keySet()).containsExactlyElementsOf(ALL);
  }

  @Test
  void theJobReceivesFromSomeTopicsAndSendsToTheOthers() {
    Map<String, String> actions = new LinkedHashMap<>();
    for (JsonNode operation : document.root().get("operations")) {
      JsonNode channel = document.resolve(operation.get("channel"));
      actions.put(channel.get("address").asText(), operation.get("action").asText());
    }
    Set<String> received =
        Set.of(
            TOPICS.models(),
            TOPICS.gradients(),
            TOPICS.rawGradients(),
            TOPICS.erasures(),
            TOPICS.stops(),
            TOPICS.accountRequests(),
            TOPICS.anonymous(),
            TOPICS.tokenKeys());
    assertThat(actions.keySet()).containsExactlyInAnyOrderElementsOf(ALL);
    assertThat(actions)
        .allSatisfy(
            (topic, action) ->
                assertThat(action).isEqualTo(received.contains(topic) ? "receive" : "send"));
  }

  @Test
  void eachTopicHasTheRecordsOfTheContract() {
    Map<String, String> contract =
        RECORD.matcher(proto).results().collect(Collectors.toMap(r -> r.group(1), r -> r.group(2)));
    assertThat(contract).hasSize(12).containsEntry(TOPICS.gradients(), "GradientReport");
    contract.put(TOPICS.rawGradients(), "GradientReport");

    document
        .channels()
        .forEach(
            (topic, channel) -> {
              List<String> expected = new ArrayList<>();
              if (contract.containsKey(topic)) {
                expected.add("croupier.v1." + contract.get(topic));
              } else {
                expected.add(OTHERS.getOrDefault(topic, "deadLetter"));
              }
              if (topic.equals(TOPICS.models()) || topic.equals(TOPICS.updates())) {
                expected.add("retirement");
              }
              assertThat(document.messages(channel).keySet())
                  .as(topic)
                  .containsExactlyElementsOf(expected);
            });
  }

  @Test
  void payloadsAreThoseOfTheContract() {
    int payloads = 0;
    for (JsonNode message : document.root().at("/components/messages")) {
      JsonNode schema = message.at("/payload/schema");
      if (!schema.isMissingNode()) {
        String name = message.get("name").asText().substring("croupier.v1.".length());
        assertThat(schema.asText())
            .as("%s in docs/reference/asyncapi.yaml, beside that of croupier.proto", name)
            .isEqualTo(source(RECORDS.findMessageTypeByName(name)));
        payloads++;
      }
    }
    assertThat(payloads).isEqualTo(12);
  }

  @Test
  void keysAreFieldsOfTheRecords() {
    for (JsonNode message : document.root().at("/components/messages")) {
      Descriptor record =
          RECORDS.findMessageTypeByName(message.get("name").asText().replace("croupier.v1.", ""));
      if (record != null) {
        String key = message.at("/bindings/kafka/key/title").asText();
        String other = OTHER_KEYS.get(record.getName());
        if (other != null) {
          assertThat(key).isEqualTo(other);
        } else {
          assertThat(key).isIn("user_id", "model_id");
          assertThat(record.findFieldByName(key)).as(record.getName()).isNotNull();
          // Records of a person are about a model, too: the key is the person.
          assertThat(key.equals("user_id")).isEqualTo(record.findFieldByName("user_id") != null);
        }
      }
    }
  }

  @Test
  void deadLettersHaveTheseHeaders() {
    JsonNode headers = document.root().at("/components/messages/deadLetter/headers");
    List<String> always =
        List.of(DeadLetters.REASON, DeadLetters.TOPIC, DeadLetters.PARTITION, DeadLetters.OFFSET);
    List<String> all = new ArrayList<>(always);
    all.addAll(List.of(DeadLetters.LENGTH, DeadLetters.SHA256));
    assertThat(headers.get("properties").fieldNames()).toIterable().containsExactlyElementsOf(all);
    assertThat(headers.get("required")).extracting(JsonNode::asText).isEqualTo(always);
  }

  /**
   * The source of a message, and of all that it contains, without comments. AsyncAPI's parser
   * requires a mark on the message of the payload.
   */
  private String source(Descriptor record) {
    Set<String> contained = new LinkedHashSet<>();
    addContained(record, contained);
    String blocks =
        TOP_LEVEL
            .matcher(proto)
            .results()
            .filter(block -> contained.contains(block.group(1)))
            .map(MatchResult::group)
            .collect(Collectors.joining("\n"));
    return "syntax = \"proto3\";\npackage croupier.v1;\n"
        + blocks
            .replaceAll("(?m)^\\s*//.*\n", "")
            .replaceAll("\n{2,}", "\n")
            .replace(
                "message " + record.getName() + " {",
                "// @RootNode\nmessage " + record.getName() + " {")
        + "\n";
  }

  private static void addContained(Descriptor message, Set<String> contained) {
    contained.add(topLevel(message).getName());
    for (FieldDescriptor field : message.getFields()) {
      switch (field.getJavaType()) {
        case MESSAGE -> {
          Descriptor type = field.getMessageType();
          if (contained.add(topLevel(type).getName()) || type.getContainingType() != null) {
            addContained(type, contained);
          }
        }
        case ENUM -> {
          EnumDescriptor type = field.getEnumType();
          if (contained.add(topLevel(type.getContainingType()).getName())) {
            addContained(topLevel(type.getContainingType()), contained);
          }
        }
        default -> {}
      }
    }
  }

  private static Descriptor topLevel(Descriptor message) {
    return message.getContainingType() == null ? message : topLevel(message.getContainingType());
  }
}
