package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree.Kind;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** A class of the main code can be read in one go. */
class ClassSizesTest {
  private static final Pattern MAIN = Pattern.compile("[\\w/-]+/src/main/java/.*\\.java");
  private static final int MOST_LINES = 400;
  private static final int MOST_PARTS = 9;

  /** No blank line, comment, import or package. */
  private static final Pattern CODE = Pattern.compile("(?!\\s*($|//|/?\\*|import |package )).*");

  private static long linesOfCode(String file) {
    return file.lines().filter(CODE.asMatchPredicate()).count();
  }

  @Test
  void noClassIsLong() throws IOException {
    Map<Path, Long> lines = new TreeMap<>();
    for (Path file : ProjectFiles.matching(MAIN.asMatchPredicate())) {
      lines.put(ROOT.relativize(file), linesOfCode(Files.readString(file)));
    }
    assertThat(lines).hasSizeGreaterThan(500);
    lines.values().removeIf(n -> n <= MOST_LINES);
    assertThat(lines).isEmpty();
  }

  @Test
  void countsCodeAlone() {
    assertThat(
            linesOfCode(
                """
                package p;

                import java.util.List;

                /**
                 * A class.
                 */
                class Counted { // counts
                  // not this
                  int i;
                }
                """))
        .isEqualTo(3);
  }

  /** The names and sizes of a file's records, and of its constructors. */
  private static final class Parts extends TreeScanner<Void, Map<String, Integer>> {
    private String name;

    static Map<String, Integer> of(Iterable<? extends JavaFileObject> files) throws IOException {
      Map<String, Integer> parts = new TreeMap<>();
      JavacTask task =
          (JavacTask)
              ToolProvider.getSystemJavaCompiler().getTask(null, null, null, null, null, files);
      new Parts().scan(task.parse(), parts);
      return parts;
    }

    @Override
    public Void visitClass(ClassTree tree, Map<String, Integer> parts) {
      String outer = name;
      name = tree.getSimpleName().toString();
      if (tree.getKind() == Kind.RECORD) {
        long components =
            tree.getMembers().stream()
                .filter(member -> member instanceof VariableTree field && !isStatic(field))
                .count();
        parts.merge(name, (int) components, Math::max);
      }
      super.visitClass(tree, parts);
      name = outer;
      return null;
    }

    private static boolean isStatic(VariableTree field) {
      return field.getModifiers().getFlags().contains(Modifier.STATIC);
    }

    @Override
    public Void visitMethod(MethodTree tree, Map<String, Integer> parts) {
      if (tree.getName().contentEquals("<init>")) {
        parts.merge(name, tree.getParameters().size(), Math::max);
      }
      return super.visitMethod(tree, parts);
    }
  }

  @Test
  void noRecordOrConstructorHasManyParts() throws IOException {
    List<Path> files = ProjectFiles.matching(MAIN.asMatchPredicate());
    Map<String, Integer> parts =
        Parts.of(
            ToolProvider.getSystemJavaCompiler()
                .getStandardFileManager(null, null, null)
                .getJavaFileObjectsFromPaths(files));
    assertThat(parts).hasSizeGreaterThan(500);
    parts.values().removeIf(n -> n <= MOST_PARTS);
    assertThat(parts).isEmpty();
  }

  @Test
  void countsPartsOfRecordsAndConstructors() throws IOException {
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreErrors) {
            return """
            record A(int a, Map<String, Integer> b) {
              static final int C = 3;

              A {}

              static class Inner {
                Inner() {}

                Inner(int a, int... b) {}
              }
            }
            """;
          }
        };
    assertThat(Parts.of(List.of(file))).isEqualTo(Map.of("A", 2, "Inner", 2));
  }
}
