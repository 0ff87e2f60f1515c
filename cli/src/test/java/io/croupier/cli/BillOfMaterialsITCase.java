package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The build writes a bill of materials for all modules together. */
@Tag("thorough")
class BillOfMaterialsITCase {

  @Test
  void containsDeliveredDependenciesButNoTests() throws Exception {
    Path file = Path.of("..", "target", "croupier-bom.json");
    assertThat(file).as("-Pthorough writes it").exists();

    JsonObject bom = JsonParser.parseString(Files.readString(file)).getAsJsonObject();

    assertThat(bom.get("bomFormat").getAsString()).isEqualTo("CycloneDX");
    Set<String> components =
        StreamSupport.stream(bom.getAsJsonArray("components").spliterator(), false)
            .map(component -> component.getAsJsonObject().get("purl").getAsString())
            .map(purl -> purl.replaceFirst("[@?].*", ""))
            .collect(Collectors.toSet());
    assertThat(components)
        .contains(
            "pkg:maven/org.apache.flink/flink-streaming-java",
            "pkg:maven/org.apache.flink/flink-connector-kafka",
            "pkg:maven/org.apache.kafka/kafka-clients",
            "pkg:maven/com.google.protobuf/protobuf-java",
            "pkg:maven/io.croupier/croupier-job")
        .noneMatch(purl -> purl.contains("junit") || purl.contains("assertj"));
  }
}
