import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Joins the modules that a module imports, and itself, into the one file that ships, and writes the
 * file's hash beside it, in the form that browsers take as {@code integrity}. What the first module
 * exports, the file does. A module may import names from modules beside it, and export what it
 * declares at the beginning of a line; no two modules declare the same name.
 */
final class Join {
  /** With the line ends after it. */
  private static final Pattern LINK =
      Pattern.compile("(?m)^(import|export) \\{([^}]*)\\} from '\\./([\\w-]+\\.js)';\\n+");

  private static final Pattern DECLARATION =
      Pattern.compile("(?m)^(export )?((?:async )?function\\*?|class|const|let) (\\w+)");

  private final Path folder;

  /** What remains of each module, after those that it imports. */
  private final Map<Path, String> joined = new LinkedHashMap<>();

  /** The module that declares a name. */
  private final Map<String, Path> declared = new LinkedHashMap<>();

  private final List<String> exported = new ArrayList<>();

  private Join(Path folder) {
    this.folder = folder;
  }

  public static void main(String[] paths) throws Exception {
    Path first = Path.of(paths[0]).toAbsolutePath();
    Join join = new Join(first.getParent());
    join.add(first, new ArrayList<>());
    byte[] file = join.file(first).getBytes(UTF_8);
    byte[] hash = MessageDigest.getInstance("SHA-384").digest(file);
    String integrity = "sha384-" + Base64.getEncoder().encodeToString(hash);
    for (String target : List.of(paths).subList(1, paths.length)) {
      Files.createDirectories(Path.of(target));
      Files.write(Path.of(target, first.getFileName().toString()), file);
      Files.writeString(Path.of(target, first.getFileName() + ".sha384"), integrity);
    }
  }

  private void add(Path module, List<Path> importing) throws IOException {
    if (joined.containsKey(module)) {
      return;
    }
    if (importing.contains(module)) {
      throw new IllegalStateException("modules import each other: " + importing);
    }
    List<Path> path = new ArrayList<>(importing);
    path.add(module);
    String text = Files.readString(module);
    Matcher link = LINK.matcher(text);
    while (link.find()) {
      add(folder.resolve(link.group(3)), path);
      if (link.group(1).equals("export")) {
        exported.addAll(names(link.group(2)));
      }
    }
    String rest = link.replaceAll("");
    Matcher declaration = DECLARATION.matcher(rest);
    while (declaration.find()) {
      Path other = declared.put(declaration.group(3), module);
      if (other != null) {
        throw new IllegalStateException(
            declaration.group(3) + " is declared in " + module + " and in " + other);
      }
    }
    joined.put(module, rest);
  }

  private static List<String> names(String list) {
    return List.of(list.strip().split("\\s*,\\s*"));
  }

  /** Of the first module, the comment at its beginning comes first. */
  private String file(Path first) {
    String last = joined.remove(first);
    int code = last.indexOf("*/\n") + 3;
    StringBuilder file = new StringBuilder(last.substring(0, code));
    for (String module : joined.values()) {
      String ofFile =
          DECLARATION
              .matcher(module)
              .replaceAll(
                  found ->
                      (exported.contains(found.group(3)) ? "export " : "")
                          + found.group(2)
                          + " "
                          + found.group(3));
      file.append('\n').append(ofFile);
    }
    return file.append(last.substring(code)).toString();
  }
}
