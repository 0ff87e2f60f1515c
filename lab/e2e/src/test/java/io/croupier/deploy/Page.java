package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The commands of a documentation page, run in a separate directory with links to the project's
 * files that they use. Not thread-safe.
 */
final class Page implements AutoCloseable {
  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w*)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final List<String> LINKS = List.of("cli", "croupier", "deploy", "examples");

  private final Path directory;
  private final List<String> blocks;

  /**
   * Reads a page.
   *
   * @param name the page's path from the root of the project
   * @param directory where the commands run
   */
  Page(String name, Path directory) throws IOException {
    this.directory = directory;
    blocks =
        BLOCK
            .matcher(Files.readString(Cluster.ROOT.resolve(name), UTF_8))
            .results()
            .filter((MatchResult block) -> block.group(1).isEmpty())
            .map((MatchResult block) -> block.group(2))
            .toList();
    for (String link : LINKS) {
      Files.createSymbolicLink(directory.resolve(link), Cluster.ROOT.resolve(link));
    }
  }

  /** The blocks of commands that name no language, in their order. */
  List<String> blocks() {
    return blocks;
  }

  /**
   * Runs a block, with the cluster's addresses instead of those of the page, and returns its
   * output.
   */
  String run(Cluster cluster, int block) throws Exception {
    return run(cluster, blocks.get(block));
  }

  /** Runs commands in the same way. */
  String run(Cluster cluster, String commands) throws Exception {
    return cluster.shell(
        "cd '%s'%n%s"
            .formatted(
                directory,
                commands
                    .replace("localhost:9092", cluster.bootstrapServers())
                    .replace("http://localhost:9251", cluster.metrics(1))));
  }

  @Override
  public void close() throws IOException {
    for (String link : LINKS) {
      Files.delete(directory.resolve(link));
    }
  }
}
