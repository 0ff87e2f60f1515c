package io.croupier.gateway.http;

import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/** Serves files of the class path: those directly in META-INF/resources/croupier. */
final class Resources {
  private static final String FOLDER = "/META-INF/resources/croupier/";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\\.[a-z]+)+");
  private static final Map<String, String> TYPES =
      Map.of(
          "js", "text/javascript; charset=utf-8",
          "mjs", "text/javascript; charset=utf-8",
          "ts", "text/plain; charset=utf-8",
          "json", Exchange.JSON,
          "css", "text/css; charset=utf-8",
          "html", "text/html; charset=utf-8",
          "svg", "image/svg+xml",
          "map", Exchange.JSON);

  private Resources() {}

  static void handle(Exchange exchange) {
    String name = exchange.parameter();
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(name).matches()) {
      throw absent();
    }
    exchange.header(HttpHeader.CACHE_CONTROL, "no-cache");
    exchange.answer(HttpStatus.OK_200, type, read(FOLDER + name));
  }

  static byte[] read(String path) {
    try (InputStream in = Resources.class.getResourceAsStream(path)) {
      if (in == null) {
        throw absent();
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException("a resource of the class path can't be read", e);
    }
  }

  private static ProblemException absent() {
    return new ProblemException(ProblemType.NOT_FOUND, "this gateway has no such file");
  }
}
