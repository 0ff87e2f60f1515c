package io.croupier.gateway.http;

import io.croupier.client.token.Digests;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

  /** Those that were asked for; as many as there are on the class path. */
  private static final Map<String, File> FILES = new ConcurrentHashMap<>();

  /** A file, and the beginning of its SHA-256. */
  private static final class File {
    private static final int TAG_BYTES = 16;

    private final byte[] bytes;
    private final String tag;

    private File(byte[] bytes) {
      this.bytes = bytes;
      tag = HexFormat.of().formatHex(Digests.sha256().digest(bytes), 0, TAG_BYTES);
    }

    static File read(String name) {
      return new File(Resources.read(FOLDER + name));
    }
  }

  private Resources() {}

  static void handle(Exchange exchange) {
    String name = exchange.parameter();
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !NAME.matcher(name).matches()) {
      throw absent();
    }
    File file = FILES.computeIfAbsent(name, File::read);
    exchange.header(HttpHeader.CACHE_CONTROL, "no-cache");
    exchange.header(HttpHeader.ETAG, "W/\"%s\"".formatted(file.tag));
    String known = exchange.header(HttpHeader.IF_NONE_MATCH);
    if (known != null && ModelsEndpoint.matches(known, file.tag)) {
      exchange.answer(HttpStatus.NOT_MODIFIED_304);
    } else {
      exchange.answer(HttpStatus.OK_200, type, file.bytes);
    }
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
