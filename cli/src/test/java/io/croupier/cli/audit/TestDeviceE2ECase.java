package io.croupier.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.croupier.cli.CommandRun;
import io.croupier.cli.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of docs/run/test-device.md, with the devices in JavaScript and Python, pass. Skipped
 * where Node.js, Python, or what pip has to fetch, is missing.
 */
@Tag("thorough")
class TestDeviceE2ECase {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path JAVASCRIPT = HOME.resolve("devices/javascript");

  @TempDir private Path directory;

  private static String program(String language) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(HOME.resolve("docs/run/test-device.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private static CommandRun run(String... device) {
    List<String> options =
        List.of(
            "--file", "../examples/wellbeing.yaml", "--epsilon", "2", "--releases", "1000", "--");
    return CommandRun.of(
        new TestDeviceCommand(),
        Stream.concat(options.stream(), Arrays.stream(device)).toArray(String[]::new));
  }

  /** The mock of a browser's storage stands in for the one that Node.js doesn't have. */
  private CommandRun javaScript(String program) throws IOException {
    String module = JAVASCRIPT + "/target/classes/META-INF/resources/croupier/croupier.js";
    String browser = JAVASCRIPT + "/tests/src/test/resources/io/croupier/javascript/world.js";
    Path copy = Files.copy(Path.of(module), directory.resolve("croupier.mjs"));
    Path world = Files.copy(Path.of(browser), directory.resolve("world.mjs"));
    Path file = directory.resolve("device.mjs");
    Files.writeString(
        file,
        """
        import { Page, World } from '%s';
        const world = new World();
        world.schedule = (run) => setImmediate(run);
        globalThis.indexedDB = new Page(world).indexedDB;
        """
                .formatted(world.toUri())
            + program.replace("'croupier-device'", "'" + copy.toUri() + "'"));
    return run("node", file.toString());
  }

  @Test
  void aDeviceInJavaScriptPasses() throws Exception {
    assumeTrue(Programs.succeeds("node", "--version"), "Skipped: Node.js isn't installed");
    assertPassed(javaScript(program("js")));
  }

  @Test
  void aDeviceInPythonPasses() throws Exception {
    String environment = directory.resolve("environment").toString();
    assumeTrue(
        Programs.succeeds("python3", "-m", "venv", environment),
        "Skipped: Python's venv isn't installed");
    assumeTrue(
        Programs.succeeds(environment + "/bin/pip", "install", "protobuf>=3.20"),
        "Skipped: pip can't fetch protobuf");
    Path file = directory.resolve("device.py");
    String sources =
        "import sys; sys.path.insert(0, '" + HOME.resolve("devices/python/src") + "')\n";
    Files.writeString(file, sources + program("python"));
    assertPassed(run(environment + "/bin/python", file.toString()));
  }

  private static void assertPassed(CommandRun run) {
    assertThat(run.code()).as(run.out() + run.err()).isZero();
    assertThat(run.out()).contains("noise").doesNotContain("FAILED");
  }
}
