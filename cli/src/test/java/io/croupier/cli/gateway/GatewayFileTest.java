package io.croupier.cli.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.util.JsonFormat;
import io.croupier.cli.InputException;
import io.croupier.cli.models.ModelsFile;
import io.croupier.gateway.config.GatewayConfig;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.GradientReports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayFileTest {
  @TempDir private Path directory;

  private GatewayConfig read(String yaml) throws Exception {
    return GatewayFile.read(Files.writeString(directory.resolve("gateway.yaml"), yaml));
  }

  /** Those of the page, without the indentation of lists. */
  private static List<String> examples() throws Exception {
    return Pattern.compile("(?ms)^( *)```yaml\n(.*?)^ *```$")
        .matcher(Files.readString(Path.of("..", "docs/run/gateway.md")))
        .results()
        .map((MatchResult match) -> match.group(2).replaceAll("(?m)^" + match.group(1), ""))
        .toList();
  }

  @Test
  void theConfigurationsOfThePageAreValid() throws Exception {
    assertThat(examples()).hasSize(2);
    GatewayConfig first = read(examples().get(0));
    assertThat(first.listen().tls()).isPresent();
    assertThat(first.identity().pepper()).isEqualTo(directory.resolve("gateway.pepper"));
    assertThat(first.identity().issuers())
        .singleElement()
        .satisfies(issuer -> assertThat(issuer.audience()).isEqualTo("croupier"));
    assertThat(read(examples().get(1)).identity().testTokens()).isTrue();
  }

  /** Of the example model that the curl command of the page names. */
  @Test
  void theReportOfThePageIsValid() throws Exception {
    Matcher json =
        Pattern.compile("-d '\\s*(\\{.*?\\})'", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", "docs/run/gateway.md")));
    assertThat(json.find()).isTrue();
    GradientReport.Builder report = GradientReport.newBuilder();
    JsonFormat.parser().merge(json.group(1), report);

    // The gateway computes the user from the token.
    assertThat(GradientReports.violations(report.setUserId("ada").build())).isEmpty();
    assertThat(ModelsFile.read(Path.of("..", "examples", "models.yaml")))
        .filteredOn(spec -> spec.getModelId().equals(report.getModelId()))
        .singleElement()
        .satisfies(
            spec -> assertThat(report.getGrid().getValuesCount()).isEqualTo(spec.getDimension()));
  }

  /** Its files are in the volume that the Dockerfile prepares. */
  @Test
  void theConfigurationForDockerIsValid() throws Exception {
    Path docker = Path.of("..", "deploy", "docker", "gateway");
    GatewayConfig config = GatewayFile.read(docker.resolve("gateway.yaml"));
    assertThat(config.listen().address().isLoopbackAddress()).isTrue();
    assertThat(config.identity().pepper().getParent()).hasToString("/secrets");
    assertThat(config.identity().testKey()).hasValue(Path.of("/secrets/test.jwk"));
    assertThat(Files.readString(docker.resolve("Dockerfile"))).contains("RUN mkdir /secrets &&");
  }

  @Test
  void listsMayBeYamlLists() throws Exception {
    String yaml =
        examples().get(0)
            + "cors: {origins: [https://a.example, https://b.example]}\nreports: {raw: true}\n";
    assertThat(read(yaml).origins())
        .containsExactlyInAnyOrder("https://a.example", "https://b.example");
    assertThat(read(yaml).reports().raw()).isTrue();
  }

  @Test
  void unknownKeysAreErrors() throws Exception {
    String yaml = examples().get(0).replace("address:", "adress:");
    assertThatThrownBy(() -> read(yaml))
        .isInstanceOf(InputException.class)
        .hasMessage("Unknown setting 'listen.adress'; the nearest known one is 'listen.address'");
  }
}
