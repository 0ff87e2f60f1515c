package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Containers of the compose file, on free ports, in a copy of the files that it needs, and apart
 * from the machine's own containers. Images that would come from a registry are replaced by those
 * of {@code src/test/containers}.
 */
final class Containers implements AutoCloseable {
  private static final Path SCRIPTS = Cluster.ROOT.resolve("lab/e2e/src/test/containers");
  private static final long PATIENCE_MINUTES = 9;

  /** The documentation's commands name Docker's; podman and Compose 1 run them here. */
  private static final String DOCKER =
      """
      podman() { "$SCRIPTS/podman" "$@"; }
      docker() {
        local words=() word
        shift
        for word; do
          words+=("$word")
          [[ "$word" != exec ]] || words+=(-T)
        done
        docker-compose "${words[@]}"
      }
      """;

  private final Path directory;
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final Map<String, String> addresses = new LinkedHashMap<>();
  private final int firstPort;
  private Process service;

  private Containers(Path directory) throws IOException {
    this.directory = directory;
    environment.put("SCRIPTS", SCRIPTS.toString());
    environment.put("ROOT", Cluster.ROOT.toString());
    environment.put("CONTAINERS", directory.toString());
    environment.put("DOCKER_HOST", "unix://" + directory.resolve("podman.sock"));
    environment.put("COMPOSE_PROJECT_NAME", "croupier");
    environment.put("COMPOSE_DOCKER_CLI_BUILD", "0");
    environment.put("BUILDAH_ISOLATION", "chroot");
    firstPort = Cluster.freePorts();
    for (int port : new int[] {9092, 8081, 9090, 3000, 8080}) {
      addresses.put("127.0.0.1:" + port, "127.0.0.1:" + port(port));
      addresses.put("localhost:" + port, "localhost:" + port(port));
    }
    addresses.put("port: 8080", "port: " + port(8080));
  }

  /** Builds the images in place of a registry's; skips the test where containers can't run. */
  static Containers in(Path directory) throws Exception {
    Containers containers = new Containers(directory);
    Files.createDirectories(directory.resolve("project"));
    String missing =
        containers.shell(
            """
            ((UID == 0)) || echo "root "
            for tool in podman runc debootstrap docker-compose; do
              type -P "$tool" >/dev/null || echo "$tool "
            done
            """);
    if (!missing.isEmpty()) {
      System.out.println("The containers are not tested: " + missing.strip() + " is missing");
    }
    assumeTrue(missing.isEmpty(), "Skipped: it requires " + missing);
    containers.shell(
        """
        rm -rf deploy cli job && mkdir -p deploy cli/target job/target
        cp -r "$ROOT"/deploy/{docker,conf,alerts.yaml} deploy
        cp -r "$ROOT"/cli/target/{lib,croupier.jar} cli/target
        cp "$ROOT"/job/target/croupier-job-*-cluster.jar job/target
        ln -sfn "$ROOT/croupier" croupier && ln -sfn "$ROOT/examples" examples
        """);
    // Compose 1 takes the project's name from the environment only.
    containers.rewrite("deploy/docker/compose.yaml", "(?m)^name: croupier\n", "");
    containers.rewrite("deploy/docker/gateway/gateway.yaml", "", "");
    containers.shell("\"$SCRIPTS/stand-ins\"");
    containers.serve();
    return containers;
  }

  private void rewrite(String file, String pattern, String replacement) throws IOException {
    Path path = directory.resolve("project").resolve(file);
    String text = Files.readString(path).replaceAll(pattern, replacement);
    Files.writeString(path, elsewhere(text));
  }

  /** The engine's interface, which compose uses. */
  private void serve() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                SCRIPTS.resolve("podman").toString(),
                "system",
                "service",
                "--time=0",
                environment.get("DOCKER_HOST"))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("service.log").toFile());
    builder.environment().putAll(environment);
    service = builder.start();
    shell("until [[ -S \"${DOCKER_HOST#unix://}\" ]]; do sleep 0.1; done");
  }

  /** A text with the ports of this test in place of the documentation's. */
  private String elsewhere(String text) {
    String here = text;
    for (Map.Entry<String, String> address : addresses.entrySet()) {
      here = here.replace(address.getKey(), address.getValue());
    }
    return here;
  }

  /** The port in place of one of the documentation's, or of 8443. */
  int port(int documented) {
    return switch (documented) {
      case 9092 -> firstPort;
      case 8081 -> firstPort + 1;
      case 9090 -> firstPort + 2;
      case 3000 -> firstPort + 3;
      case 8080 -> firstPort + 4;
      case 8443 -> firstPort + 5;
      default -> throw new IllegalArgumentException("No container has the port " + documented);
    };
  }

  /** Where the commands run. */
  Path project() {
    return directory.resolve("project");
  }

  /**
   * Runs commands in the project, and returns their output without errors.
   *
   * @throws AssertionError if they fail
   */
  String shell(String script) throws IOException {
    Path output = directory.resolve("output.log");
    Path errors = directory.resolve("errors.log");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", DOCKER + elsewhere(script))
            .directory(project().toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      process.onExit().orTimeout(PATIENCE_MINUTES, TimeUnit.MINUTES).join();
    } catch (CompletionException e) {
      process.destroyForcibly();
      throw new AssertionError(
          "'%s' doesn't end: %s".formatted(script, Files.readString(errors, UTF_8)), e);
    }
    String printed = Files.readString(output, UTF_8);
    if (process.exitValue() != 0) {
      throw new AssertionError(
          "'%s' ended with %d: %s%s"
              .formatted(script, process.exitValue(), printed, Files.readString(errors, UTF_8)));
    }
    return printed;
  }

  /** Keeps only the Debian from which the next test makes its images. */
  @Override
  public void close() throws IOException {
    shell(
        """
        docker compose -f deploy/docker/compose.yaml down -v || true
        podman rm --all --force && podman volume rm --all --force && podman network prune --force
        """);
    service.destroy();
    service.onExit().join();
    // The engine mounts the directory of its layers on itself.
    shell("cd .. && { ! mountpoint -q storage/overlay || umount storage/overlay; }");
    shell("cd .. && rm -rf storage run networks podman.sock project/*");
  }
}
