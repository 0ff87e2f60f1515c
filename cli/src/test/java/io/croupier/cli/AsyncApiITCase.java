package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.croupier.broker.EmbeddedBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/reference/asyncapi.yaml has the settings of the topics that the command creates. */
@Tag("ci")
class AsyncApiITCase {
  private static final int PARTITIONS = 3;

  @TempDir private Path directory;

  @Test
  void describesTheTopicsThatAreCreated() throws Exception {
    Map<String, JsonNode> channels = AsyncApiDocument.read().channels();
    try (EmbeddedBroker broker = EmbeddedBroker.start(directory.resolve("broker"));
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
      Path config = directory.resolve("croupier.yaml");
      Files.writeString(
          config,
          "kafka.bootstrap.servers: %s\nanonymous.enabled: true\n"
              .formatted(broker.bootstrapServers()));
      CommandRun.croupier("topics create --config %s --partitions %d".formatted(config, PARTITIONS))
          .succeeded();

      Map<String, TopicDescription> created =
          admin.describeTopics(admin.listTopics().names().get()).allTopicNames().get();
      assertThat(created.keySet()).containsExactlyInAnyOrderElementsOf(channels.keySet());
      for (Map.Entry<String, JsonNode> channel : channels.entrySet()) {
        String topic = channel.getKey();
        JsonNode binding = channel.getValue().at("/bindings/kafka");
        assertThat(created.get(topic).partitions())
            .as(topic)
            .hasSize(binding.path("partitions").asInt(PARTITIONS));
        assertThat(documented(binding.get("topicConfiguration")))
            .as(topic)
            .isEqualTo(settings(admin, topic));
      }
    }
  }

  private static Map<String, String> documented(JsonNode configuration) {
    Map<String, String> settings = new HashMap<>();
    configuration
        .properties()
        .forEach(
            setting ->
                settings.put(
                    setting.getKey(),
                    setting.getValue().isArray()
                        ? StreamSupport.stream(setting.getValue().spliterator(), false)
                            .map(JsonNode::asText)
                            .collect(Collectors.joining(","))
                        : setting.getValue().asText()));
    return settings;
  }

  /** What was set for the topic alone, and its cleanup policy in any case. */
  private static Map<String, String> settings(Admin admin, String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Map<String, String> settings = new HashMap<>();
    for (ConfigEntry entry :
        admin.describeConfigs(List.of(resource)).all().get().get(resource).entries()) {
      if (entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG
          || entry.name().equals("cleanup.policy")) {
        settings.put(entry.name(), entry.value());
      }
    }
    return settings;
  }
}
