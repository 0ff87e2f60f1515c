package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** The cluster of {@code deploy/cluster}, on free ports and in a directory of the test. */
final class Cluster implements AutoCloseable {
  static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final long PATIENCE_SECONDS = 300;
  private static final int TASKMANAGERS = 2;
  private static final int PORTS = 7 + TASKMANAGERS;
  private static final int FIRST_PORT = 10_000;

  /** Linux gives ports from 32768 on to connections, other systems from 49152 on. */
  private static final int END_PORT = 32_000;

  /** Each process begins elsewhere. */
  private static int nextPort =
      FIRST_PORT + (int) (ProcessHandle.current().pid() * PORTS % (END_PORT - FIRST_PORT - PORTS));

  private final Path directory;
  private final Map<String, String> environment;

  private Cluster(Path directory, Map<String, String> environment) {
    this.directory = directory;
    this.environment = environment;
  }

  /**
   * A cluster in {@code directory} that is not running yet; skips the test where clusters can't
   * run.
   */
  static Cluster in(Path directory) throws IOException {
    assumeTrue(
        hasShell(), "Skipped: deploy/cluster needs bash 5.1 and curl, which aren't installed");
    int port = freePorts();
    return new Cluster(
        directory,
        Map.of(
            "CROUPIER_CLUSTER", directory.toString(),
            "BROKER_PORT", String.valueOf(port),
            "CONTROLLER_PORT", String.valueOf(port + 1),
            "REST_PORT", String.valueOf(port + 2),
            "METRICS_PORT", String.valueOf(port + 3),
            "ZOOKEEPER_PORT", String.valueOf(port + 4 + TASKMANAGERS),
            // The least that a machine may have.
            "LC_ALL", "C",
            // A test that is interrupted leaves no cluster behind.
            "OWNER_PID", String.valueOf(ProcessHandle.current().pid())));
  }

  private static boolean hasShell() {
    String check = "((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) && command -v curl";
    try {
      return new ProcessBuilder("bash", "-c", check)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .onExit()
              .join()
              .exitValue()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The first of enough consecutive free ports. They are below those that operating systems give to
   * connections: while a server is down, its clients' attempts to connect could take its port.
   */
  static synchronized int freePorts() throws IOException {
    while (true) {
      int first = nextPort;
      nextPort = first + 2 * PORTS < END_PORT ? first + PORTS : FIRST_PORT;
      List<ServerSocket> sockets = new ArrayList<>();
      try {
        for (int port = first; port < first + PORTS; port++) {
          sockets.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
        }
        return first;
      } catch (BindException taken) {
        // One of them is in use: try the next range.
      } finally {
        for (ServerSocket socket : sockets) {
          socket.close();
        }
      }
    }
  }

  Path directory() {
    return directory;
  }

  String bootstrapServers() {
    return "127.0.0.1:" + environment.get("BROKER_PORT");
  }

  String rest() {
    return "http://127.0.0.1:" + environment.get("REST_PORT");
  }

  /** The address of a server's metrics: 0 for the JobManager, k for the k-th TaskManager. */
  String metrics(int server) {
    int port = Integer.parseInt(environment.get("METRICS_PORT")) + server;
    return "http://127.0.0.1:" + port;
  }

  /** The process of a server, such as {@code taskmanager-1}. */
  long pid(String server) throws IOException {
    String remembered = Files.readString(directory.resolve("run").resolve(server + ".pid"));
    return Long.parseLong(remembered.substring(0, remembered.indexOf(' ')));
  }

  /** Sends a signal to a server, such as KILL. */
  void signal(String server, String signal) throws IOException {
    shell("deploy/cluster kill %s %s".formatted(server, signal));
  }

  /** Starts the servers, and publishes models. */
  void startWith(String models) throws IOException {
    shell("deploy/cluster start 2");
    publish(models);
  }

  /** Creates the topics, and publishes the models of a file. */
  void publish(String models) throws IOException {
    String kafka = " --kafka " + bootstrapServers();
    shell("./croupier topics create" + kafka);
    shell("./croupier models apply%s '%s'".formatted(kafka, models));
  }

  /**
   * Runs a script in the project's root, as a user does, and returns what it printed.
   *
   * @throws AssertionError if it fails
   */
  String shell(String script) throws IOException {
    Files.createDirectories(directory);
    Path output = Files.createTempFile(directory, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", script)
            .directory(ROOT.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      process.onExit().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      process.destroyForcibly();
      throw new AssertionError(
          "'%s' runs for more than %d s: %s"
              .formatted(script, PATIENCE_SECONDS, Files.readString(output, UTF_8)),
          e);
    }
    String printed = Files.readString(output, UTF_8);
    Files.delete(output);
    if (process.exitValue() != 0) {
      throw new AssertionError(
          "'%s' ended with %d: %s".formatted(script, process.exitValue(), printed));
    }
    return printed;
  }

  @Override
  public void close() throws IOException {
    if (Files.exists(directory.resolve("run").resolve("cluster"))) {
      shell("deploy/cluster stop");
    }
  }
}
