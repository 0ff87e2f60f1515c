package io.croupier.cli;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The files that the project keeps. Directories that builds generate are never opened, because
 * tests of other processes create and delete files there meanwhile.
 */
final class ProjectFiles {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> GENERATED = Set.of("target", "node_modules", ".git");

  private ProjectFiles() {}

  /**
   * Lists files.
   *
   * @param wanted decides by a path relative to the root, with slashes
   * @return absolute paths
   */
  static List<Path> matching(Predicate<String> wanted) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return GENERATED.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (wanted.test(ROOT.relativize(file).toString().replace('\\', '/'))) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }
}
