package io.croupier.job;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The jar for a Flink cluster contains the classes that the cluster lacks, and none that it
 * provides.
 */
class JobJarITCase {
  /** The connector's own classes, one of which is in a package of Flink. */
  private static final String CONNECTOR =
      "org/apache/flink/.*(/kafka/.*|/JSONKeyValueDeserializationSchema.class)";

  private static Path path;
  private static JarFile jar;
  private static List<String> names;

  @BeforeAll
  static void open() throws IOException {
    path = Path.of(System.getProperty("croupier.cluster.jar"));
    jar = new JarFile(path.toFile());
    names = jar.stream().map(JarEntry::getName).toList();
  }

  @AfterAll
  static void close() throws IOException {
    jar.close();
  }

  @Test
  void startsTheJob() throws IOException {
    Attributes manifest = jar.getManifest().getMainAttributes();

    assertThat(manifest.getValue(Attributes.Name.MAIN_CLASS))
        .isEqualTo("io.croupier.job.CroupierJob");
  }

  @Test
  void containsTheClassesThatTheClusterLacks() {
    assertThat(names)
        .contains(
            "io/croupier/job/CroupierJob.class",
            "io/croupier/operators/flink/learner/LearnerOperator.class",
            "io/croupier/schemas/GradientReport.class",
            "org/apache/flink/connector/kafka/sink/KafkaSink.class",
            "org/apache/kafka/clients/producer/KafkaProducer.class",
            "com/google/protobuf/Message.class",
            "org/snakeyaml/engine/v2/api/Load.class",
            "org/apache/commons/text/similarity/LevenshteinDistance.class",
            "org/apache/commons/numbers/gamma/Erfcx.class",
            "org/apache/commons/math3/special/Gamma.class",
            "com/github/luben/zstd/Zstd.class");
  }

  @Test
  void omitsTheClassesThatTheClusterProvides() {
    Stream<String> flink =
        names.stream()
            .filter(name -> name.startsWith("org/apache/flink/") && name.endsWith(".class"))
            .filter(name -> !name.matches(CONNECTOR));

    assertThat(flink).isEmpty();
    assertThat(names)
        .noneMatch(name -> name.startsWith("org/slf4j/"))
        .noneMatch(name -> name.startsWith("org/apache/logging/"))
        .noneMatch(name -> name.startsWith("org/rocksdb/"))
        .noneMatch(name -> name.startsWith("kafka/server/"))
        .noneMatch(name -> name.startsWith("org/junit/"));
  }

  @Test
  void hasNoDuplicateEntries() throws IOException {
    assertThat(names)
        .doesNotHaveDuplicates()
        .noneMatch(name -> name.endsWith("module-info.class"))
        .noneMatch(name -> name.matches("META-INF/[^/]*\\.(SF|DSA|RSA)"));
    assertThat(text("META-INF/services/org.apache.kafka.common.config.provider.ConfigProvider"))
        .contains("org.apache.kafka.common.config.provider.FileConfigProvider");
    assertThat(text("META-INF/services/org.apache.flink.table.factories.Factory"))
        .contains("org.apache.flink.streaming.connectors.kafka");
  }

  @Test
  void keepsLicencesAndNotices() throws IOException {
    assertThat(text("META-INF/LICENSE")).contains("Apache License");
    assertThat(text("META-INF/NOTICE"))
        .contains("Flink : Connectors : Kafka")
        .contains("Commons Numbers")
        .contains("Jackson JSON processor");
    assertThat(text("NOTICE")).contains("Apache Kafka");
  }

  /** The class path contains only the jar and the classes that a cluster provides. */
  @Test
  void runsBesideFlinkAlone() throws Exception {
    List<URL> urls = new ArrayList<>(List.of(path.toUri().toURL()));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.matches(".*(croupier|target.|kafka|protobuf|snakeyaml|jackson|commons-n).*")) {
        urls.add(url(entry));
      }
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      System.setOut(new PrintStream(out, true, UTF_8));
      Thread.currentThread().setContextClassLoader(loader);
      String[] args = {"--dry-run", "--kafka.bootstrap.servers", "nowhere:1"};
      loader
          .loadClass("io.croupier.job.CroupierJob")
          .getMethod("main", String[].class)
          .invoke(null, (Object) args);
    } finally {
      System.setOut(before);
      Thread.currentThread().setContextClassLoader(context);
    }

    assertThat(out.toString(UTF_8)).contains("nowhere:1").contains(Uids.LEARNER);
  }

  private static URL url(String entry) throws MalformedURLException {
    return Path.of(entry).toUri().toURL();
  }

  private static String text(String name) throws IOException {
    return new String(jar.getInputStream(jar.getEntry(name)).readAllBytes(), UTF_8);
  }
}
