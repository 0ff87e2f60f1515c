package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs the steps of the Dockerfiles without a container engine, in a directory tree that replaces
 * the base image, each as the user that it has there. The tree contains only the dependencies of
 * the steps (a shell, a few commands, the user {@code flink}, {@code /opt/flink}). {@link
 * ContainersE2ECase} builds and starts the images.
 */
@Tag("ci")
class ImageITCase {
  private static final String JOB = "deploy/docker/Dockerfile";
  private static final String KUBERNETES = "deploy/kubernetes/flinkdeployment.yaml";
  private static final String COMPOSE = "deploy/docker/compose.yaml";
  private static final String GATEWAY = "deploy/docker/gateway/Dockerfile";

  /** The users of Flink's image, each with a group of the same name and number. */
  private static final Map<String, Integer> USERS = Map.of("root", 0, "flink", 9999);

  private static final Pattern LIBRARY = Pattern.compile("(/\\S+\\.so\\S*)");
  private static final Pattern COPY = Pattern.compile("(?:--chown=(\\w+):(\\w+) )?(\\S+) (\\S+)");

  @TempDir private Path tree;
  private String user = "";
  private String base = "";
  private List<String> entryPoint = List.of();

  @BeforeEach
  void layTree() throws Exception {
    boolean root = (int) Files.getAttribute(tree, "unix:uid") == 0;
    if (!root) {
      System.out.println("The image's steps are skipped: changing users requires root");
    }
    assumeTrue(root, "Skipped: changing users requires root");
    for (String command : List.of("sh", "mkdir", "chown", "chmod", "ln", "touch")) {
      copyCommand(command);
    }
    StringBuilder users = new StringBuilder();
    StringBuilder groups = new StringBuilder();
    USERS.forEach(
        (name, id) -> {
          users.append("%s:x:%d:%d::/:/bin/sh%n".formatted(name, id, id));
          groups.append("%s:x:%d:%n".formatted(name, id));
        });
    Path etc = Files.createDirectory(tree.resolve("etc"));
    Files.writeString(etc.resolve("passwd"), users);
    Files.writeString(etc.resolve("group"), groups);
    Files.createDirectories(tree.resolve("opt"));
    own(Files.createDirectory(tree.resolve("opt/flink")), "flink", "flink");
    succeed(List.of("chmod", "755", tree.toString()));
  }

  /** Copies a command with the libraries that it loads, and those that look up users. */
  private void copyCommand(String command) throws Exception {
    Path found =
        Path.of(succeed(List.of("sh", "-c", "command -v " + command)).strip()).toRealPath();
    copy(found, Path.of("/bin", command));
    Matcher library = LIBRARY.matcher(succeed(List.of("ldd", found.toString())));
    while (library.find()) {
      Path needed = Path.of(library.group(1));
      copy(needed.toRealPath(), needed);
      Path names = needed.resolveSibling("libnss_files.so.2");
      if (Files.exists(names)) {
        copy(names.toRealPath(), names);
      }
    }
  }

  private void copy(Path file, Path to) throws IOException {
    Path target = tree.resolve(to.toString().substring(1));
    Files.createDirectories(target.getParent());
    Files.copy(
        file, target, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
  }

  private static void own(Path file, String user, String group) throws IOException {
    Files.setAttribute(file, "unix:uid", USERS.get(user));
    Files.setAttribute(file, "unix:gid", USERS.get(group));
  }

  /** The output of a command, which must succeed. */
  private static String succeed(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    if (process.onExit().join().exitValue() != 0) {
      throw new IllegalStateException(String.join(" ", command) + ": " + output);
    }
    return output;
  }

  private void run(String step) throws IOException {
    String ids = USERS.containsKey(user) ? "%1$d:%1$d".formatted(USERS.get(user)) : user;
    succeed(List.of("chroot", "--userspec=" + ids, tree.toString(), "/bin/sh", "-c", step));
  }

  private void build(String dockerfile) throws IOException {
    build(Files.readAllLines(Cluster.ROOT.resolve(dockerfile)));
  }

  private void build(List<String> dockerfile) throws IOException {
    List<String> steps = new ArrayList<>();
    String step = "";
    for (String line : dockerfile) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      step += line;
      if (step.endsWith("\\")) {
        step = step.substring(0, step.length() - 1);
      } else {
        steps.add(step);
        step = "";
      }
    }
    for (String complete : steps) {
      String[] instruction = complete.split("\\s+", 2);
      switch (instruction[0]) {
        case "FROM" -> {
          base = instruction[1];
          user = base.startsWith("flink:") ? "flink" : "root";
        }
        case "USER" -> user = instruction[1];
        case "RUN" -> run(instruction[1]);
        case "COPY" -> copyInto(instruction[1]);
        case "ENTRYPOINT" ->
            entryPoint = List.of(instruction[1].replaceAll("[\\[\\]\"]", "").split(", "));
        case "ENV", "CMD" -> {}
        default -> throw new IllegalStateException("This test can't follow: " + complete);
      }
    }
  }

  /** An engine copies as root, independent of the current user. */
  private void copyInto(String arguments) throws IOException {
    Matcher copy = COPY.matcher(arguments);
    assertThat(copy.matches()).as("COPY %s", arguments).isTrue();
    Path source = Cluster.ROOT.resolve(copy.group(3));
    Path target = tree.resolve(copy.group(4).substring(1));
    Files.createDirectories(target.getParent());
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(source.relativize(file).toString()));
      }
    }
    if (copy.group(1) != null) {
      own(target, copy.group(1), copy.group(2));
    }
  }

  @Test
  void theStepsSucceedAndTheJobsUserOwnsWhatItNeeds() throws Exception {
    build(JOB);

    assertThat(user).as("who runs the job").isEqualTo("flink");
    run("[ -r /opt/flink/usrlib/croupier-job.jar ]");
    run("mkdir /state/checkpoints && touch /state/checkpoints/chk-1");
    assertThatThrownBy(() -> run("mkdir /elsewhere")).hasMessageContaining("ermission denied");
  }

  /** The class and the arguments of the FlinkDeployment, with the jar and Flink's own. */
  @Test
  void theJobsJarIsComplete() throws Exception {
    build(JOB);

    Map<String, Object> job = Yaml.map(Yaml.documents(KUBERNETES).get(0), "spec", "job");
    List<String> arguments = new ArrayList<>();
    arguments.add("-cp");
    arguments.add(Cluster.ROOT.resolve("deploy/target/lib") + "/*:" + tree + "/opt/flink/usrlib/*");
    arguments.add((String) job.get("entryClass"));
    ((List<?>) job.get("args")).forEach(argument -> arguments.add((String) argument));
    arguments.add("--dry-run");
    assertThat(java(arguments)).contains("ledger");
  }

  @Test
  void theGatewayStartsAndItsUserAloneReadsItsSecrets() throws Exception {
    build(GATEWAY);

    assertThat(user).as("who runs the gateway").isEqualTo("9998:9998");
    assertThat(entryPoint).first().isEqualTo("java");
    List<String> arguments = new ArrayList<>();
    for (String argument : entryPoint.subList(1, entryPoint.size())) {
      arguments.add(argument.startsWith("/") ? tree + argument : argument);
    }
    arguments.add("--help");
    assertThat(java(arguments)).contains("croupier gateway");
    run("touch /secrets/pepper");
    assertThatThrownBy(() -> run("mkdir /elsewhere")).hasMessageContaining("ermission denied");
    user = "flink";
    assertThatThrownBy(() -> run("[ -r /secrets/pepper ]"))
        .isInstanceOf(IllegalStateException.class);
  }

  private static String java(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    command.addAll(arguments);
    return succeed(command);
  }

  @Test
  void aStepThatTheBaseImagesUserMayNotTakeFails() throws Exception {
    List<String> withoutRoot =
        Files.readAllLines(Cluster.ROOT.resolve(JOB)).stream()
            .filter(line -> !line.startsWith("USER"))
            .toList();

    assertThatThrownBy(() -> build(withoutRoot))
        .hasMessageContainingAll("/state", "ermission denied");
  }

  /** The manifest names files of the image, and of the Flink release on which it is based. */
  @Test
  void theKubernetesManifestFitsTheImage() throws Exception {
    build(JOB);
    String manifest = Files.readString(Cluster.ROOT.resolve(KUBERNETES));
    String flink = System.getProperty("flink.version");

    assertThat(base).isEqualTo("flink:" + flink + "-java17");
    assertThat(manifest)
        .contains("flinkVersion: v" + flink.substring(0, flink.lastIndexOf('.')).replace('.', '_'))
        .contains("value: flink-s3-fs-presto-" + flink + ".jar")
        .contains("runAsUser: 9999, runAsGroup: 9999, fsGroup: 9999");
    Matcher jar = Pattern.compile("jarURI: local://(\\S+)").matcher(manifest);
    assertThat(jar.find()).isTrue();
    assertThat(tree.resolve(jar.group(1).substring(1))).isRegularFile();
  }

  /** The tags of images in the manifests, and the jar's name, contain the build's versions. */
  @ParameterizedTest
  @CsvSource({
    "project.version, 'croupier-(?:job|gateway):(\\S+)'",
    "project.version, 'croupier-job-(\\S+)-cluster.jar'",
    "kafka.version, 'apache/kafka:(\\S+)'"
  })
  void theManifestsNameTheVersionsOfTheBuild(String property, String name) throws Exception {
    StringBuilder texts = new StringBuilder();
    for (String file : List.of(JOB, GATEWAY, COMPOSE, KUBERNETES)) {
      texts.append(Files.readString(Cluster.ROOT.resolve(file)));
    }
    assertThat(Pattern.compile(name).matcher(texts).results().map(found -> found.group(1)))
        .isNotEmpty()
        .containsOnly(System.getProperty(property));
  }
}
