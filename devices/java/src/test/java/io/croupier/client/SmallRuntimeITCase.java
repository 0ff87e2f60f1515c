package io.croupier.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.stream.JsonReader;
import com.google.protobuf.Message;
import io.croupier.accounting.mechanism.Mechanism;
import io.croupier.noise.SecureBits;
import io.croupier.schemas.GradientReport;
import java.io.BufferedReader;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/**
 * The client runs on a runtime that contains only the listed modules, without a JDK, and over HTTP
 * without Kafka.
 */
@Tag("ci")
class SmallRuntimeITCase {
  /** Found by jdeps; all are part of any JRE. */
  private static final Set<String> MODULES =
      Set.of(
          "java.base",
          "java.logging",
          "java.management",
          "java.net.http",
          "java.security.jgss",
          "java.security.sasl",
          "jdk.unsupported");

  /** What remains of them without Kafka. */
  private static final Set<String> HTTP_MODULES =
      Set.of("java.base", "java.logging", "java.net.http", "jdk.unsupported");

  /** The client and its dependencies, without those for compression and special functions. */
  private static final List<Class<?>> PARTS =
      List.of(
          GradientReporter.class,
          GradientReport.class,
          SecureBits.class,
          Mechanism.class,
          Producer.class,
          Message.class,
          Logger.class);

  /** What reports over HTTP; Gson reads problem documents, and needs java.base alone for that. */
  private static final List<Class<?>> HTTP_PARTS =
      Stream.concat(
              PARTS.stream().filter(part -> part != Producer.class), Stream.of(JsonReader.class))
          .toList();

  /** What jdeps prints of each part. */
  private static final Map<Class<?>, String> PRINTED = new HashMap<>();

  @TempDir private Path folder;

  @Test
  void theClientUsesNoOtherModules() throws Exception {
    assertThat(used(PARTS)).isEqualTo(MODULES);
  }

  @Tag("thorough")
  @Test
  void withoutKafkaItUsesFewer() throws Exception {
    List<Class<?>> parts = new ArrayList<>(HTTP_PARTS);
    // Its use of java.sql is optional.
    parts.remove(JsonReader.class);
    assertThat(used(parts)).isEqualTo(HTTP_MODULES);
  }

  private static Set<String> used(List<Class<?>> parts) {
    Set<String> used = new TreeSet<>();
    for (Class<?> part : parts) {
      String printed = PRINTED.computeIfAbsent(part, SmallRuntimeITCase::dependencies);
      used.addAll(Arrays.asList(printed.strip().split(",")));
    }
    return used;
  }

  private static String dependencies(Class<?> part) {
    return run(
        "jdeps",
        "--ignore-missing-deps",
        "--multi-release",
        "17",
        "--print-module-deps",
        location(part));
  }

  @Tag("thorough")
  @Test
  void aReportIsMadeOnARuntimeOfThese() throws Exception {
    String output =
        device(MODULES, PARTS, OfflineDevice.class, folder.resolve("ledger").toString());

    assertThat(output)
        .contains("caught up: false", "charged: 1, epsilon 2, pending: 1")
        .contains("without java.desktop, jdk.compiler, jdk.httpserver");
  }

  @Tag("thorough")
  @Test
  void aReportOverHttpNeedsNoKafka() throws Exception {
    StubGateway.Answer update =
        new StubGateway.Answer(200, Map.of(), Updates.update("m", 5, 0, 0).build().toByteString());
    try (StubGateway gateway =
        new StubGateway(
            request -> request.target().equals("/v1/reports") ? StubGateway.ACCEPTED : update)) {
      String output =
          device(
              HTTP_MODULES,
              HTTP_PARTS,
              HttpDevice.class,
              gateway.uri().toString(),
              folder.resolve("ledger").toString());

      assertThat(output)
          .contains("round: 5, charged: 1, pending: 0")
          .contains("modules: " + HTTP_MODULES.size());
    }
  }

  /** The JDK's X25519 is in a module of its own, to which no class refers. */
  @Tag("thorough")
  @Test
  void encapsulatedRequestsNeedEllipticCurves() throws Exception {
    Set<String> modules = new TreeSet<>(HTTP_MODULES);
    modules.add("jdk.crypto.ec");
    assertThat(device(modules, HTTP_PARTS, ObliviousDevice.class)).contains("bytes: 2615");
  }

  private String device(
      Set<String> modules, List<Class<?>> parts, Class<?> main, String... arguments)
      throws Exception {
    Path image = folder.resolve("runtime");
    run(
        "jlink",
        "--add-modules",
        String.join(",", modules),
        "--strip-debug",
        "--output",
        image.toString());
    List<String> command = new ArrayList<>();
    command.add(image.resolve("bin").resolve("java").toString());
    command.add("-Xmx64m");
    command.add("-cp");
    command.add(
        Stream.concat(parts.stream(), Stream.of(main))
            .map(SmallRuntimeITCase::location)
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output;
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      output = String.join("\n", lines.lines().toList());
    }
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static String location(Class<?> part) {
    try {
      return Path.of(part.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String run(String tool, String... arguments) {
    StringWriter output = new StringWriter();
    PrintWriter writer = new PrintWriter(output);
    int status = ToolProvider.findFirst(tool).orElseThrow().run(writer, writer, arguments);
    assertThat(status).as(output.toString()).isZero();
    return output.toString();
  }
}
