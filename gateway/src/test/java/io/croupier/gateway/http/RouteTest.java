package io.croupier.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteTest {

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/reports, POST_REPORT, ''",
    "GET, /v1/models, GET_MODELS, ''",
    "HEAD, /v1/models, GET_MODELS, ''",
    "GET, /v1/models/m.1, GET_MODEL, m.1",
    "GET, /v1/models/m/events, GET_EVENTS, m",
    "GET, /v1/croupier.js, GET_RESOURCE, croupier.js",
    "GET, /healthz, GET_HEALTH, ''"
  })
  void requestsHaveOneRoute(String method, String path, Route route, String parameter) {
    assertThat(Route.of(method, path)).hasValue(new Route.Match(route, parameter));
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1/reports",
    "DELETE, /v1/models/m",
    "POST, /v1/models",
    "GET, /v1/models/",
    "GET, /v1/",
    "GET, /v1/models/m/",
    "GET, /v1/models/m/events/1",
    "GET, ''",
    "GET, /",
    "GET, /V1/models"
  })
  void othersHaveNone(String method, String path) {
    assertThat(Route.of(method, path)).isEmpty();
  }

  @Test
  void aPathHasItsOwnMethodsOnly() {
    assertThat(Route.methods("/v1/reports")).containsExactly("POST");
    assertThat(Route.methods("/v1/models")).containsExactly("GET", "HEAD");
    assertThat(Route.methods("/nothing")).isEmpty();
  }
}
