package io.croupier.cli;

import static io.croupier.cli.ProjectFiles.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.croupier.cli.ProtoComments.Comment;
import io.croupier.schemas.AdaptiveClip;
import io.croupier.schemas.Averaging;
import io.croupier.schemas.ModelSpec;
import io.croupier.schemas.ModelSpecs;
import io.croupier.schemas.Questions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * docs/reference/model-spec.md is what {@link ModelSpecPage} generates, and what it states about
 * ranges, defaults and changes is what {@link ModelSpecs} does. {@code -Dwrite.docs=true} writes
 * the page.
 */
class ModelSpecPageTest {
  private static final Path PAGE = ROOT.resolve("docs/reference/model-spec.md");
  private static final String NUMBER = "-?\\d+(?:e-?\\d+)?";
  private static final Pattern BETWEEN = Pattern.compile("(%1$s) to (%1$s)".formatted(NUMBER));
  private static final Pattern BOUND =
      Pattern.compile("(above|at least|below|at most) (%s)".formatted(NUMBER));
  private static final Pattern BOUNDS =
      Pattern.compile("%1$s(, %1$s)?".formatted(BOUND.pattern().replace("(a", "(?:a")));

  private static ProtoComments comments;
  private static ModelSpecPage page;
  private static List<List<FieldDescriptor>> fields;

  @BeforeAll
  static void readComments() throws IOException {
    comments = ProtoComments.read();
    page = new ModelSpecPage(comments);
    fields = new ArrayList<>();
    addFields(List.of(), ModelSpec.getDescriptor());
  }

  /** Every field of a spec, as the path to it. */
  private static void addFields(List<FieldDescriptor> path, Descriptor message) {
    for (FieldDescriptor field : message.getFields()) {
      List<FieldDescriptor> extended = new ArrayList<>(path);
      extended.add(field);
      fields.add(extended);
      if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        addFields(extended, field.getMessageType());
      }
    }
  }

  private static FieldDescriptor last(List<FieldDescriptor> path) {
    return path.get(path.size() - 1);
  }

  private static Comment comment(List<FieldDescriptor> path) {
    return comments.of(last(path));
  }

  private static boolean isNumber(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case INT, LONG, DOUBLE -> !field.isRepeated();
      default -> false;
    };
  }

  private static Object value(FieldDescriptor field, double number) {
    return switch (field.getJavaType()) {
      case INT -> (int) number;
      case LONG -> (long) number;
      case DOUBLE -> number;
      default -> throw new IllegalArgumentException(field.getFullName());
    };
  }

  /**
   * A spec with the last field of the path, or with the message that would contain it. The learner
   * is a black box where the path has none.
   */
  private static ModelSpec spec(List<FieldDescriptor> path, Object value) {
    ModelSpec.Builder spec = ModelSpec.newBuilder().setGradientBound(1);
    spec.getBlackBoxBuilder();
    set(spec, path, value);
    return spec.build();
  }

  private static void set(Message.Builder message, List<FieldDescriptor> path, Object value) {
    FieldDescriptor field = path.get(0);
    if (path.size() == 1) {
      if (value != null) {
        message.setField(field, value);
      }
      return;
    }
    Message.Builder inner = message.newBuilderForField(field);
    for (FieldDescriptor choice : inner.getDescriptorForType().getFields()) {
      if (choice.getJavaType() == FieldDescriptor.JavaType.ENUM) {
        inner.setField(choice, choice.getEnumType().findValueByNumber(1));
      }
    }
    set(inner, path.subList(1, path.size()), value);
    if (field.isRepeated()) {
      message.addRepeatedField(field, inner.build());
    } else {
      message.setField(field, inner.build());
    }
  }

  private static String name(List<FieldDescriptor> path) {
    return path.stream()
        .map(
            field ->
                field.isRepeated() && field != last(path)
                    ? field.getName() + "[0]"
                    : field.getName())
        .collect(Collectors.joining("."));
  }

  @Test
  void thePageIsWhatTheCommentsSay() throws IOException {
    if (Boolean.getBoolean("write.docs")) {
      Files.writeString(PAGE, page.text());
    }
    assertThat(Files.readString(PAGE))
        .as("lab/recipes.md has the command that writes docs/reference/model-spec.md")
        .isEqualTo(page.text());
  }

  @Test
  void everyFieldHasItsLabels() {
    assertThat(fields).hasSizeGreaterThan(100);
    assertThat(fields)
        .allSatisfy(
            path -> {
              FieldDescriptor field = last(path);
              Set<String> labels = comment(path).labels().keySet();
              if (field.getRealContainingOneof() == null) {
                assertThat(labels).as(name(path)).contains("Default");
                assertThat(comment(path).text()).as(name(path)).isNotEmpty();
              }
              if (isNumber(field) || field.getJavaType() == FieldDescriptor.JavaType.STRING) {
                assertThat(labels).as(name(path)).contains("Range");
              }
            });
  }

  @Test
  void everySinceIsARelease() throws IOException {
    Set<String> releases =
        Pattern.compile("(?m)^## (\\S+)")
            .matcher(Files.readString(ROOT.resolve("CHANGELOG.md")))
            .results()
            .map(heading -> heading.group(1))
            .collect(Collectors.toSet());
    assertThat(releases).contains("0.1.0");
    assertThat(fields)
        .allSatisfy(
            path ->
                assertThat(releases)
                    .contains(comment(path).labels().getOrDefault("Since", "0.1.0")));
  }

  /** A change from absent to some value other than the default; numbers grow. */
  @Test
  void whatMayChangeIsWhatTheJobTakes() {
    int changeable = 0;
    for (FieldDescriptor field : ModelSpec.getDescriptor().getFields()) {
      List<FieldDescriptor> path = List.of(field);
      ModelSpec next = spec(path, sample(field));
      boolean isTaken = ModelSpecs.changeViolations(spec(path, null), next).isEmpty();
      // adaptive_radius is another name of the black box that is there already.
      if (field.getNumber() != ModelSpec.ADAPTIVE_RADIUS_FIELD_NUMBER) {
        assertThat(comment(path).labels().containsKey("Changes"))
            .as("%s may change", field.getName())
            .isEqualTo(isTaken);
        changeable += isTaken ? 1 : 0;
      }
    }
    assertThat(changeable).isEqualTo(11);
  }

  private static Object sample(FieldDescriptor field) {
    if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
      Message.Builder message = ModelSpec.newBuilder().newBuilderForField(field);
      for (FieldDescriptor inner : field.getMessageType().getFields()) {
        if (isNumber(inner)) {
          message.setField(inner, value(inner, 2));
          break;
        }
      }
      Message built = message.build();
      if (field.getNumber() == ModelSpec.AVERAGING_FIELD_NUMBER) {
        built = Averaging.newBuilder().setUniform(Averaging.Uniform.getDefaultInstance()).build();
      }
      return field.isRepeated() ? List.of(built) : built;
    }
    Object one = field.getJavaType() == FieldDescriptor.JavaType.STRING ? "other" : value(field, 2);
    return field.isRepeated() ? List.of(one) : one;
  }

  /** Setting a field to its default is no change, and another value is one. */
  @Test
  void aNumericDefaultIsTheValueOfAnAbsentField() {
    int checked = 0;
    for (List<FieldDescriptor> path : fields) {
      String stated = comment(path).label("Default");
      FieldDescriptor field = last(path);
      boolean isBoolean = field.getJavaType() == FieldDescriptor.JavaType.BOOLEAN;
      boolean isFree = comment(path.subList(0, 1)).labels().containsKey("Changes");
      if (isFree || !(isBoolean || (isNumber(field) && stated.matches(NUMBER)))) {
        continue;
      }
      Object same = isBoolean ? Boolean.valueOf(stated) : value(field, Double.parseDouble(stated));
      Object other = isBoolean ? !Boolean.parseBoolean(stated) : value(field, 7);
      ModelSpec absent = spec(path, null);
      assertThat(ModelSpecs.changeViolations(absent, spec(path, same))).as(name(path)).isEmpty();
      assertThat(ModelSpecs.changeViolations(absent, spec(path, other)))
          .as(name(path))
          .isNotEmpty();
      checked++;
    }
    assertThat(checked).isEqualTo(16);

    ModelSpec empty = spec(List.of(ModelSpec.getDescriptor().findFieldByName("limits")), null);
    ModelSpec asking = empty.toBuilder().setAdaptiveClip(AdaptiveClip.getDefaultInstance()).build();
    assertThat(stated("reports_per_round")).isEqualTo(ModelSpecs.reportsPerRound(empty));
    assertThat(stated("max_staleness")).isEqualTo(ModelSpecs.maxStaleness(empty));
    assertThat(stated("answer_probability")).isEqualTo(ModelSpecs.answerProbability(empty));
    assertThat(stated("question_probability")).isEqualTo(Questions.probability(asking));
  }

  private static double stated(String field) {
    FieldDescriptor descriptor = ModelSpec.getDescriptor().findFieldByName(field);
    return Double.parseDouble(comments.of(descriptor).label("Default"));
  }

  /** The ends of every range are valid where they belong to it, and the values beyond are not. */
  @Test
  void rangesAreThoseThatSpecsMustHave() {
    int checked = 0;
    for (List<FieldDescriptor> path : fields) {
      if (!isNumber(last(path))) {
        continue;
      }
      String range = comment(path).label("Range");
      MatchResult between = BETWEEN.matcher(range).matches() ? match(BETWEEN, range) : null;
      if (between != null) {
        checkEnd(path, "at least", between.group(1));
        checkEnd(path, "at most", between.group(2));
        checked++;
      } else if (BOUNDS.matcher(range).matches()) {
        BOUND
            .matcher(range)
            .results()
            .forEach(bound -> checkEnd(path, bound.group(1), bound.group(2)));
        checked++;
      } else {
        assertThat(range)
            .as(name(path))
            .isIn("finite", "64, 256, 1024 or 4096", "from 1 to candidates / 2");
      }
    }
    assertThat(checked).isGreaterThan(50);
  }

  private static MatchResult match(Pattern pattern, String text) {
    return pattern.matcher(text).results().findFirst().orElseThrow();
  }

  private static void checkEnd(List<FieldDescriptor> path, String kind, String end) {
    double number = Double.parseDouble(end);
    boolean isReal = last(path).getJavaType() == FieldDescriptor.JavaType.DOUBLE;
    double up = isReal ? Math.nextUp(number) : number + 1;
    double down = isReal ? Math.nextDown(number) : number - 1;
    boolean isLow = kind.equals("above") || kind.equals("at least");
    boolean isIn = kind.startsWith("at");
    assertThat(violations(path, isIn ? number : isLow ? up : down))
        .as("%s, %s %s", name(path), kind, end)
        .isEmpty();
    assertThat(violations(path, !isIn ? number : isLow ? down : up))
        .as("%s, not %s %s", name(path), kind, end)
        .isNotEmpty();
  }

  /** The violations of the field's own range. */
  private static List<String> violations(List<FieldDescriptor> path, double number) {
    return ModelSpecs.violations(spec(path, value(last(path), number))).stream()
        .filter(sentence -> sentence.startsWith(name(path) + " is "))
        .filter(sentence -> !sentence.contains("it must be left out"))
        .toList();
  }
}
