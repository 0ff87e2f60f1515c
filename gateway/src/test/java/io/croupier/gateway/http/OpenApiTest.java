package io.croupier.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.croupier.gateway.problem.ProblemType;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
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

  private static SwaggerParseResult parse(String document) {
    ParseOptions options = new ParseOptions();
    options.setResolve(true);
    return new OpenAPIV3Parser().readContents(document, null, options);
  }

  /** A parser of others reads the document as an OpenAPI 3.1 one. */
  @Test
  void aParserAcceptsTheDocument() {
    SwaggerParseResult result = parse(TEXT);
    assertThat(result.getMessages()).isEmpty();
    assertThat(result.isOpenapi31()).isTrue();
    assertThat(result.getOpenAPI().getPaths().keySet())
        .isEqualTo(Arrays.stream(Route.values()).map(Route::template).collect(Collectors.toSet()));
    assertThat(
            result.getOpenAPI().getPaths().values().stream()
                .flatMap(path -> path.readOperations().stream())
                .map(Operation::getOperationId))
        .hasSize(Route.values().length)
        .doesNotContainNull()
        .doesNotHaveDuplicates();
  }

  /** The parser finds what is wrong, so its silence above is a result. */
  @Test
  void theParserRefusesAWrongDocument() {
    for (String[] change :
        new String[][] {
          {"\"in\": \"path\"", "\"in\": \"nowhere\""},
          {"\"responses\": {", "\"answers\": {"},
          {"\"type\": \"http\"", "\"type\": \"telepathy\""},
          {"\"required\": true,", "\"required\": \"perhaps\","},
        }) {
      assertThat(TEXT).contains(change[0]);
      assertThat(parse(TEXT.replace(change[0], change[1])).getMessages())
          .as(change[1])
          .isNotEmpty();
    }
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
