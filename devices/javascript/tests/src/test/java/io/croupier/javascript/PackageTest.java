package io.croupier.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is packaged: one module without dependencies, its types, and what npm needs. */
class PackageTest {
  private static String read(String file) throws IOException {
    return Files.readString(Browser.FILES.resolve(file));
  }

  @Test
  void theModuleImportsNothing() throws IOException {
    assertThat(read("croupier.js"))
        .doesNotContainPattern("(?m)^\\s*import\\b")
        .doesNotContain("import(")
        .doesNotContain("eval(")
        .doesNotContain("new Function");
  }

  /** No draw may depend on a generator that can be predicted. */
  @Test
  void allRandomnessIsCryptographic() throws IOException {
    assertThat(read("croupier.js")).doesNotContain("Math.random").contains("getRandomValues");
  }

  @Test
  void everyExportHasItsTypes() throws IOException {
    TreeSet<String> typed = new TreeSet<>();
    Pattern.compile("(?m)^export (?:class|function|const) (\\w+)")
        .matcher(read("croupier.d.ts"))
        .results()
        .forEach(match -> typed.add(match.group(1)));
    try (Browser browser = new Browser()) {
      TreeSet<String> exported = new TreeSet<>(browser.exports().getMemberKeys());
      exported.remove("internals");
      assertThat(typed).isEqualTo(exported);
    }
  }

  @Test
  void thePackageHasTheVersionOfTheBuild() throws IOException {
    JsonNode json = new ObjectMapper().readTree(read("package.json"));
    // On npm, "croupier" is another project: a reader must not install that.
    assertThat(json.get("name").asText()).isEqualTo("croupier-device");
    assertThat(json.get("private").asBoolean()).isTrue();
    assertThat(json.get("license").asText()).isEqualTo("Apache-2.0");
    assertThat(Files.readString(Path.of("../pom.xml")))
        .contains("<version>" + json.get("version").asText() + "</version>");
    assertThat(read("croupier.js"))
        .contains("export const VERSION = '" + json.get("version").asText() + "';");
    assertThat(json.has("dependencies")).isFalse();
    for (JsonNode file : json.get("files")) {
      assertThat(Path.of("../target/npm").resolve(file.asText())).exists();
    }
  }

  /** The hash that the build makes is that of the file which gateways serve. */
  @Test
  void theHashIsThatOfTheModule() throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-384")
            .digest(Files.readAllBytes(Browser.FILES.resolve("croupier.js")));
    String integrity = "sha384-" + Base64.getEncoder().encodeToString(hash);
    for (String folder : new String[] {"npm", "classes/META-INF/resources/croupier"}) {
      assertThat(Path.of("../target", folder, "croupier.js.sha384")).hasContent(integrity);
    }
  }

  /** Pages find the files there on the class path, as in every jar of web resources. */
  @Test
  void theFilesAreOnTheClassPath() {
    for (String file : new String[] {"croupier.js", "croupier.d.ts", "package.json"}) {
      assertThat(PackageTest.class.getResource("/META-INF/resources/croupier/" + file)).isNotNull();
    }
  }
}
