package io.croupier.cli.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * A file of the page.
 *
 * @param type its media type
 * @param bytes read-only
 */
record PageFile(String type, ByteBuffer bytes) {
  /** Where the page has room for the section of a program. */
  private static final String ROOM = "<!-- section -->";

  private static final String CHART_JS = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  /** All files of the page, by name; the page itself has the empty name. */
  static Map<String, PageFile> all(PageSection section) {
    Map<String, PageFile> files = new LinkedHashMap<>();
    String page = new String(read("index.html"), UTF_8).replace(ROOM, section.html());
    files.put("", text("text/html", page.getBytes(UTF_8)));
    section
        .files()
        .forEach((name, content) -> files.put(name, text(type(name), content.getBytes(UTF_8))));
    files.put("watch.js", text("text/javascript", read("watch.js")));
    files.put("table.js", text("text/javascript", read("table.js")));
    files.put("chart.js", text("text/javascript", chartLibrary()));
    files.put("watch.css", text("text/css", read("watch.css")));
    return files;
  }

  /** The page, without a program's section, with these numbers and all that it needs. */
  static String snapshot(JsonObject numbers) {
    String page = new String(read("index.html"), UTF_8).replace(ROOM, "");
    for (String name : List.of("chart.js", "table.js", "watch.js")) {
      page = page.replace("<script src=\"%s\" defer></script>\n".formatted(name), "");
    }
    String style = "<style>\n" + new String(read("watch.css"), UTF_8) + "</style>";
    // Gson escapes <, > and &, so no text from a user can end the script element.
    String scripts =
        """
        <script type="application/json" id="numbers">%s</script>
        <script>%s</script>
        <script>%s</script>
        <script>%s</script>
        </body>"""
            .formatted(
                new GsonBuilder().serializeNulls().create().toJson(numbers),
                new String(chartLibrary(), UTF_8),
                new String(read("table.js"), UTF_8),
                new String(read("watch.js"), UTF_8));
    return page.replace("<link rel=\"stylesheet\" href=\"watch.css\">", style)
        .replace("</body>", scripts);
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "js" -> "text/javascript";
      case "css" -> "text/css";
      case "json" -> "application/json";
      default -> throw new IllegalArgumentException("the type of " + name + " is not known");
    };
  }

  private static PageFile text(String type, byte[] bytes) {
    return new PageFile(type + "; charset=utf-8", ByteBuffer.wrap(bytes).asReadOnlyBuffer());
  }

  private static byte[] chartLibrary() {
    Properties properties = new Properties();
    try (InputStream in = PageFile.class.getResourceAsStream(CHART_JS)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String version = properties.getProperty("version");
    String library =
        new String(
            read("/META-INF/resources/webjars/chart.js/%s/dist/chart.umd.js".formatted(version)),
            UTF_8);
    return library.replaceAll("(?m)^//# sourceMappingURL=.*$", "").getBytes(UTF_8);
  }

  private static byte[] read(String name) {
    try (InputStream in = PageFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the class path has no " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
