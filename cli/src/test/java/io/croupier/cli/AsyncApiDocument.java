package io.croupier.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** docs/reference/asyncapi.yaml as JSON. */
final class AsyncApiDocument {
  private final JsonNode root;

  private AsyncApiDocument(JsonNode root) {
    this.root = root;
  }

  static AsyncApiDocument read() throws IOException {
    Object document =
        new Load(LoadSettings.builder().build())
            .loadFromString(
                Files.readString(ProjectFiles.ROOT.resolve("docs/reference/asyncapi.yaml")));
    return new AsyncApiDocument(new ObjectMapper().valueToTree(document));
  }

  JsonNode root() {
    return root;
  }

  /** The channels by topic, in the document's order. */
  Map<String, JsonNode> channels() {
    Map<String, JsonNode> channels = new LinkedHashMap<>();
    root.get("channels").forEach(c -> channels.put(c.get("address").asText(), c));
    return channels;
  }

  /** What a reference within the document points to; a missing node if there is nothing. */
  JsonNode resolve(JsonNode reference) {
    return root.at(reference.get("$ref").asText().substring(1));
  }

  /** The messages of a channel by name. */
  Map<String, JsonNode> messages(JsonNode channel) {
    Map<String, JsonNode> messages = new LinkedHashMap<>();
    for (JsonNode reference : channel.get("messages")) {
      JsonNode message = resolve(reference);
      messages.put(message.get("name").asText(), message);
    }
    return messages;
  }
}
