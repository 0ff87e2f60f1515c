package io.croupier.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.codehaus.mojo.animal_sniffer.SignatureChecker;
import org.codehaus.mojo.animal_sniffer.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What an app on a phone needs exists in Android 13 (API level 33): the reporter with its ledger
 * and randomisers, and the model as the gateway serves it. The app brings the HTTP client, as a
 * {@link ReportTransport}.
 */
@Tag("ci")
class AndroidTest {
  /**
   * Our own classes and other libraries; records, which Android's tools replace; and the methods of
   * VarHandle, which Android has, but which take any arguments.
   */
  private static final Set<String> IGNORED =
      Set.of(
          "io.croupier.*",
          "com.google.protobuf.*",
          "com.google.gson.*",
          "org.slf4j.*",
          "java.lang.Record",
          "java.lang.invoke.VarHandle");

  /** An app that has its own kind of noise needs {@code java.util.random}, of a later Android. */
  private static final Set<String> OWN_NOISE = Set.of("SymmetricNoise", "OwnRandomiser");

  private static final JavaClasses OURS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(
              "io.croupier.client",
              "io.croupier.schemas",
              "io.croupier.accounting",
              "io.croupier.noise");

  /** Collects what is missing. */
  private static final class Missing implements Logger {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void info(String message) {}

    @Override
    public void info(String message, Throwable cause) {}

    @Override
    public void debug(String message) {}

    @Override
    public void debug(String message, Throwable cause) {}

    @Override
    public void warn(String message) {
      lines.add(message);
    }

    @Override
    public void warn(String message, Throwable cause) {
      lines.add(message);
    }

    @Override
    public void error(String message) {
      lines.add(message);
    }

    @Override
    public void error(String message, Throwable cause) {
      lines.add(message);
    }
  }

  /** Checks single classes, also those in jars. */
  private static final class ClassChecker extends SignatureChecker {
    ClassChecker(InputStream signatures, Logger log) throws IOException {
      super(signatures, IGNORED, log);
    }

    void process(JavaClass type) throws IOException {
      try (InputStream image = type.getSource().orElseThrow().getUri().toURL().openStream()) {
        process(type.getName(), image);
      }
    }
  }

  /** The classes that an app uses, and all of ours that these use. */
  private static Set<JavaClass> needed() {
    Set<JavaClass> needed =
        List.of(GradientReporter.class, Features.class, Softmax.class, Sizes.class).stream()
            .flatMap(type -> OURS.get(type).getTransitiveDependenciesFromSelf().stream())
            .map(dependency -> dependency.getTargetClass().getBaseComponentType())
            .filter(type -> type.getPackageName().startsWith("io.croupier."))
            .filter(type -> type.getSource().isPresent())
            .collect(Collectors.toSet());
    needed.add(OURS.get(GradientReporter.class));
    return needed;
  }

  private static List<String> missing(Set<JavaClass> classes) throws IOException {
    Missing missing = new Missing();
    Path signature = Path.of(System.getProperty("android.signature"));
    try (InputStream signatures = Files.newInputStream(signature)) {
      ClassChecker checker = new ClassChecker(signatures, missing);
      checker.setSourcePath(List.of());
      for (JavaClass type : classes) {
        if (!OWN_NOISE.contains(type.getSimpleName())) {
          checker.process(type);
        }
      }
    }
    return missing.lines;
  }

  @Test
  void whatAPhoneNeedsIsInAndroid() throws IOException {
    Set<JavaClass> needed = needed();
    assertThat(needed)
        .extracting(JavaClass::getSimpleName)
        .contains("LocalLedger", "PrivUnitRandomiser", "ModelSnapshot", "Randomiser", "SecureBits")
        .doesNotContain("HttpReportTransport", "KafkaReportTransport", "HttpModelSubscriber");
    assertThat(missing(needed)).isEmpty();
  }

  @Test
  void whatAndroidLacksIsFound() throws IOException {
    assertThat(missing(Set.of(OURS.get(HttpReportTransport.class), OURS.get(BackOff.class))))
        .anyMatch(line -> line.contains("java.net.http"))
        .anyMatch(line -> line.contains("SecureRandom.nextLong"));
  }
}
