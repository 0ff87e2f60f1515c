package io.croupier.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  /** A JVM that writes its arguments to a file, and does what {@code dump} says for an archive. */
  private void java(String dump) throws IOException {
    Path java = Files.createDirectories(home.resolve("jdk/bin")).resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/bash
        echo "$*" >>'%s/calls'
        case "$*" in
          -XshowSettings*) echo ' java.specification.version = 17' ;;
          *DumpLoadedClassList=*) all="$*"; list="${all##*DumpLoadedClassList=}"; echo Class >"${list%%%% *}" ;;
          %s
        esac
        """
            .formatted(home, dump));
    assertThat(java.toFile().setExecutable(true)).isTrue();
  }

  /** What the JVMs of one start were called with. */
  private String start() throws Exception {
    Files.deleteIfExists(home.resolve("calls"));
    ProcessBuilder launcher =
        new ProcessBuilder(home.resolve("croupier").toString(), "--version").inheritIO();
    launcher.environment().put("JAVA_HOME", home.resolve("jdk").toString());
    assertThat(launcher.start().waitFor()).isZero();
    return Files.readString(home.resolve("calls"));
  }
}
