package io.croupier.gateway.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Every path that the gateway serves, with its method. A template's {@code {name}} stands for one
 * part of a path without a slash.
 */
public enum Route {
  POST_REPORT("POST", "/v1/reports"),
  GET_ACCOUNT("GET", "/v1/account"),
  POST_TOKEN("POST", "/v1/tokens"),
  POST_ANONYMOUS_REPORT("POST", "/v1/anonymous-reports"),
  POST_ENCAPSULATED("POST", "/v1/ohttp"),
  GET_OBLIVIOUS_KEYS("GET", "/v1/ohttp-keys"),
  GET_MODELS("GET", "/v1/models"),
  GET_MODEL("GET", "/v1/models/{id}"),
  GET_EVENTS("GET", "/v1/models/{id}/events"),
  GET_WINDOWS("GET", "/v1/models/{id}/windows"),
  GET_RESOURCE("GET", "/v1/{file}"),
  GET_OPENAPI("GET", "/openapi.json"),
  GET_METRICS("GET", "/metrics"),
  GET_HEALTH("GET", "/healthz"),
  GET_READINESS("GET", "/readyz");

  private final String method;
  private final String template;

  Route(String method, String template) {
    this.method = method;
    this.template = template;
  }

  /** GET includes HEAD. */
  public String method() {
    return method;
  }

  /** The path with names in braces. */
  public String template() {
    return template;
  }

  /**
   * A route and what stands for the name in its template.
   *
   * @param parameter empty if the template has none
   */
  record Match(Route route, String parameter) {}

  /** The route of a request; the first that matches, with literal parts before names. */
  static Optional<Match> of(String method, String path) {
    return matches(path).stream()
        .filter(match -> match.route.method.equals(method.equals("HEAD") ? "GET" : method))
        .findFirst();
  }

  /** The methods of a path; empty if it has no route. */
  static List<String> methods(String path) {
    List<String> methods = new ArrayList<>();
    for (Match match : matches(path)) {
      methods.add(match.route.method);
      if (match.route.method.equals("GET")) {
        methods.add("HEAD");
      }
    }
    return methods.stream().distinct().toList();
  }

  private static List<Match> matches(String path) {
    String[] given = path.split("/", -1);
    List<Match> literal = new ArrayList<>();
    List<Match> named = new ArrayList<>();
    for (Route route : values()) {
      String parameter = route.parameter(given);
      if (parameter != null) {
        (parameter.isEmpty() ? literal : named).add(new Match(route, parameter));
      }
    }
    // A literal path hides those with a name: /v1/reports is no file.
    return literal.isEmpty() ? named : literal;
  }

  /** What stands for the name, or empty if there is none; null if the path is another one. */
  private String parameter(String[] given) {
    String[] parts = template.split("/", -1);
    if (given.length != parts.length) {
      return null;
    }
    String parameter = "";
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].startsWith("{") && !given[i].isEmpty()) {
        parameter = given[i];
      } else if (!parts[i].equals(given[i])) {
        return null;
      }
    }
    return parameter;
  }
}
