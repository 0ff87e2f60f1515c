package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The archive of classes from which the launcher starts commands. */
class LauncherTest {
  @TempDir private Path home;

  @BeforeEach
  void copyLauncher() throws IOException {
    Files.copy(ProjectFiles.ROOT.resolve("croupier"), home.resolve("croupier"));
    Files.createDirectories(home.resolve("cli/target"));
    Files.createFile(home.resolve("cli/target/croupier.jar"));
  }

  @Test
  void theCommandsWhoseClassesAreArchivedSucceed() {
    String models = ProjectFiles.ROOT.resolve("examples/models.yaml").toString();
    assertThatCode(() -> ArchivedClasses.main(new String[] {models})).doesNotThrowAnyException();
  }

  @Test
  void theArchiveIsMadeOnceAndUsed() throws Exception {
    java(
        "*-Xshare:dump*) for file; do case \"$file\" in"
            + " *.jsa) echo a >\"${file#*=}\" ;; esac; done ;;");
    assertThat(start()).contains("DumpLoadedClassList").contains("-Xshare:dump");
    assertThat(start())
        .doesNotContain("DumpLoadedClassList", "-Xshare:dump")
        .contains("-XX:SharedArchiveFile=" + home.toRealPath());
  }

  @Test
  void anArchiveThatCantBeMadeIsNotTriedAgain() throws Exception {
    java("*-Xshare:dump*) exit 134 ;;");
    assertThat(start()).contains("-Xshare:dump");
    assertThat(start()).doesNotContain("Shared", "-Xshare:dump").contains("--version");
  }

  /** An interrupted build leaves no jar, by which the scripts would take it for complete. */
  @ParameterizedTest
  @ValueSource(strings = {"cli/pom.xml", "deploy/pom.xml"})
  void librariesAreCopiedBeforeTheJarIsMade(String pom) throws IOException {
    assertThat(Files.readString(ProjectFiles.ROOT.resolve(pom)))
        .containsPattern("<phase>prepare-package</phase>\\s*<goals>\\s*<goal>copy-dependencies<");
  }

  /** As of macOS without a JDK, or of options in {@code JAVA_TOOL_OPTIONS} that it doesn't know. */
  @Test
  void whatAJvmThatCantStartPrintsIsTheError() throws Exception {
    executable("java", "echo 'Unable to locate a Java Runtime.' >&2; exit 1");
    Path errors = home.resolve("errors");
    assertThat(launcher(home).redirectError(errors.toFile()).start().waitFor()).isEqualTo(1);
    assertThat(errors)
        .content()
        .startsWith("croupier: ")
        .contains("bin/java can't start: Unable to locate a Java Runtime.");
  }

  /** Also in a directory with a name that the search for newer sources passes over. */
  @Test
  void ofTwoCommandsAfterAChangeOneBuilds() throws Exception {
    Path checkout = Files.createDirectories(home.resolve("test"));
    Files.copy(home.resolve("croupier"), checkout.resolve("croupier"));
    Files.createDirectories(checkout.resolve("cli/target"));
    Path jar = Files.createFile(checkout.resolve("cli/target/croupier.jar"));
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    Files.createFile(checkout.resolve("pom.xml"));
    java("*-Xshare:dump*) ;;");
    executable("mvn", "echo build >>'%s/builds'; sleep 1; touch '%s'".formatted(home, jar));
    Process first = launcher(checkout).start();
    assertThat(launcher(checkout).start().waitFor()).isZero();
    assertThat(first.waitFor()).isZero();
    assertThat(Files.readAllLines(home.resolve("builds"))).hasSize(1);
  }

  /** The path of the checkout looks like that of a source, and a ledger isn't one. */
  @Test
  void aNewFileThatIsNoSourceIsNotBuilt() throws Exception {
    Path checkout = Files.createDirectories(home.resolve("src/main/checkout"));
    Files.copy(home.resolve("croupier"), checkout.resolve("croupier"));
    Files.createDirectories(checkout.resolve("cli/target"));
    Path jar = Files.createFile(checkout.resolve("cli/target/croupier.jar"));
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    Files.setLastModifiedTime(checkout.resolve("croupier"), FileTime.fromMillis(0));
    Files.createFile(checkout.resolve("ada.ledger"));
    java("*-Xshare:dump*) ;;");
    executable("mvn", "exit 1");
    assertThat(launcher(checkout).start().waitFor()).isZero();
  }

  /** A JVM that writes its arguments to a file, and does what {@code dump} says for an archive. */
  private void java(String dump) throws IOException {
    executable(
        "java",
        """
        echo "$*" >>'%s/calls'
        case "$*" in
          -XshowSettings*) echo ' java.specification.version = 17' ;;
          *DumpLoadedClassList=*) all="$*"; list="${all##*DumpLoadedClassList=}"; echo Class >"${list%%%% *}" ;;
          %s
        esac
        """
            .formatted(home, dump));
  }

  private void executable(String name, String text) throws IOException {
    Path file = Files.createDirectories(home.resolve("jdk/bin")).resolve(name);
    Files.writeString(file, "#!/bin/bash\n" + text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private ProcessBuilder launcher(Path checkout) {
    ProcessBuilder launcher =
        new ProcessBuilder(checkout.resolve("croupier").toString(), "--version").inheritIO();
    launcher.environment().put("JAVA_HOME", home.resolve("jdk").toString());
    launcher.environment().merge("PATH", home.resolve("jdk/bin") + ":", (path, bin) -> bin + path);
    return launcher;
  }

  /** What the JVMs of one start were called with. */
  private String start() throws Exception {
    Files.deleteIfExists(home.resolve("calls"));
    assertThat(launcher(home).start().waitFor()).isZero();
    return Files.readString(home.resolve("calls"));
  }
}
