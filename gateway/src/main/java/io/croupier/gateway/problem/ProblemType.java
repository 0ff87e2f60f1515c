package io.croupier.gateway.problem;

/** The kinds of errors; a client may distinguish them by their {@link #uri}. */
public enum ProblemType {
  MALFORMED(400, "malformed", "The request can't be read"),
  UNAUTHENTICATED(401, "unauthenticated", "The request needs a valid token"),
  FORBIDDEN(403, "forbidden", "The sender may not do this"),
  STOPPED(403, "stopped", "The person is stopped"),
  NOT_FOUND(404, "not-found", "There is no such thing"),
  METHOD_NOT_ALLOWED(405, "method-not-allowed", "The path has other methods"),
  NOT_ACCEPTABLE(406, "not-acceptable", "The answer has other formats"),
  TIMEOUT(408, "timeout", "The body did not arrive in time"),
  CONFLICT(409, "conflict", "The report doesn't fit the present state of the model"),
  TOO_LARGE(413, "too-large", "The body is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", "The body has another format"),
  REFUSED(422, "refused", "The model refuses such a report"),
  TOO_MANY_REQUESTS(429, "too-many-requests", "The sender is too fast"),
  INTERNAL(500, "internal", "The gateway failed"),
  UNAVAILABLE(503, "unavailable", "The gateway can't do this now");

  private final int status;
  private final String name;
  private final String title;

  ProblemType(int status, String name, String title) {
    this.status = status;
    this.name = name;
    this.title = title;
  }

  /** The status code of the response. */
  public int status() {
    return status;
  }

  /** Identifies the kind. */
  public String uri() {
    return "urn:croupier:problem:" + name;
  }

  /** The same for each problem of the kind. */
  public String title() {
    return title;
  }
}
