package io.croupier.cli;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/** Settings of topics that a test changes. */
final class TopicSettings {

  private TopicSettings() {}

  static void set(Map<String, ?> kafka, String topic, Map<String, String> settings)
      throws Exception {
    List<AlterConfigOp> changes =
        settings.entrySet().stream()
            .map(entry -> new ConfigEntry(entry.getKey(), entry.getValue()))
            .map(entry -> new AlterConfigOp(entry, OpType.SET))
            .toList();
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(kafka))) {
      admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
    }
  }
}
