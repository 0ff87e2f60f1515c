package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.gateway.problem.ProblemType;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The OpenAPI document describes what the gateway serves, and nothing else. */
class OpenApiTest {
  private static final String TEXT =
      new String(Resources.read("/io/croupier/gateway/openapi.json"), UTF_8);
  private static final JsonObject DOCUMENT = JsonParser.parseString(TEXT).getAsJsonObject();

  @Test
  void itsOperationsAreTheRoutes() {
    Set<String> documented = new TreeSet<>();
    JsonObject paths = DOCUMENT.getAsJsonObject("paths");
    for (String path : paths.keySet()) {
      for (String method : paths.getAsJsonObject(path).keySet()) {
        documented.add(method.toUpperCase(Locale.ROOT) + " " + path);
      }
    }
    assertThat(DOCUMENT.get("openapi").getAsString()).startsWith("3.1.");
    assertThat(documented)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Route.values())
                .map(route -> route.method() + " " + route.template())
                .toList());
  }

  @Test
  void everyPathParameterIsDescribed() {
    JsonObject paths = DOCUMENT.getAsJsonObject("paths");
    for (Route route : Route.values()) {
      Set<String> named =
          Pattern.compile("\\{(\\w+)}")
              .matcher(route.template())
              .results()
              .map(match -> match.group(1))
              .collect(Collectors.toSet());
      JsonObject operation =
          paths
              .getAsJsonObject(route.template())
              .getAsJsonObject(route.method().toLowerCase(Locale.ROOT));
      Set<String> described = new TreeSet<>();
      if (operation.has("parameters")) {
        operation
            .getAsJsonArray("parameters")
            .forEach(
                parameter -> {
                  JsonObject object = parameter.getAsJsonObject();
                  if (object.get("in").getAsString().equals("path")) {
                    described.add(object.get("name").getAsString());
                  }
                });
      }
      assertThat(described).as(route.template()).isEqualTo(named);
    }
  }

  /** Every problem that a report can cause is documented there. */
  @Test
  void problemsOfReportsAreDocumented() {
    Set<String> documented =
        DOCUMENT
            .getAsJsonObject("paths")
            .getAsJsonObject("/v1/reports")
            .getAsJsonObject("post")
            .getAsJsonObject("responses")
            .keySet();
    Set<ProblemType> ofOthers =
        Set.of(ProblemType.METHOD_NOT_ALLOWED, ProblemType.NOT_ACCEPTABLE, ProblemType.INTERNAL);
    assertThat(documented)
        .containsAll(
            Arrays.stream(ProblemType.values())
                .filter(type -> !ofOthers.contains(type))
                .map(type -> String.valueOf(type.status()))
                .toList());
  }

  @Test
  void referencesHaveTargets() {
    Set<String> schemas =
        DOCUMENT.getAsJsonObject("components").getAsJsonObject("schemas").keySet();
    assertThat(
            Pattern.compile("\"#/components/schemas/(\\w+)\"")
                .matcher(TEXT)
                .results()
                .map(MatchResult::group)
                .map(reference -> reference.replaceAll(".*/|\"", ""))
                .collect(Collectors.toSet()))
        .isEqualTo(schemas);
  }
}
