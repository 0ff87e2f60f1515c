package io.croupier.schemas;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import java.util.List;
import java.util.Set;

/** Compares the spec of a running model with its proposed successor. */
final class SpecChanges {
  private static final Set<Integer> FREE =
      Set.of(
          ModelSpec.LIMITS_FIELD_NUMBER,
          ModelSpec.ANSWER_PROBABILITY_FIELD_NUMBER,
          ModelSpec.ROUND_TIMEOUT_MS_FIELD_NUMBER,
          ModelSpec.MAX_STALENESS_FIELD_NUMBER,
          ModelSpec.QUESTIONS_FIELD_NUMBER,
          ModelSpec.QUESTION_PROBABILITY_FIELD_NUMBER,
          ModelSpec.STATISTICS_FIELD_NUMBER,
          ModelSpec.EXPERIMENT_FIELD_NUMBER,
          ModelSpec.HISTORY_FIELD_NUMBER,
          ModelSpec.SERVED_ROUND_FIELD_NUMBER,
          ModelSpec.REPORTS_PER_ROUND_FIELD_NUMBER);

  private SpecChanges() {}

  static void compare(ModelSpec current, ModelSpec next, List<String> violations) {
    int before = ModelSpecs.reportsPerRound(current);
    int after = ModelSpecs.reportsPerRound(next);
    if (after < before) {
      violations.add(
          "reports_per_round of a running model may only grow: it is "
              + before
              + " and can't become "
              + after);
    }
    if (ModelSpecs.isCentral(current) && after > before) {
      violations.add(
          fixed("reports_per_round", String.valueOf(before), String.valueOf(after))
              + ", since it divides the noised sums of a central model");
    }
    if (current.getLearnerCase() != next.getLearnerCase()) {
      violations.add(fixed("learner", ModelSpecs.learner(current), ModelSpecs.learner(next)));
      return; // all differences inside the learner follow from this one
    }
    Questions.compare(current.getQuestionsList(), next.getQuestionsList(), violations);
    Statistics.compare(current.getStatisticsList(), next.getStatisticsList(), violations);
    compare("", SpecDefaults.resolve(current), SpecDefaults.resolve(next), violations);
  }

  private static void compare(String path, Message current, Message next, List<String> violations) {
    for (FieldDescriptor field : current.getDescriptorForType().getFields()) {
      if (path.isEmpty() && FREE.contains(field.getNumber())) {
        continue;
      }
      String name = path + field.getName();
      if (field.isRepeated()) {
        compareLists(
            name, (List<?>) current.getField(field), (List<?>) next.getField(field), violations);
      } else if (current.hasField(field)
          && next.hasField(field)
          && current.getField(field) instanceof Message before
          && next.getField(field) instanceof Message after) {
        compare(name + ".", before, after, violations);
      } else if (!text(current, field).equals(text(next, field))) {
        violations.add(fixed(name, text(current, field), text(next, field)));
      }
    }
  }

  private static void compareLists(
      String name, List<?> current, List<?> next, List<String> violations) {
    if (current.size() != next.size()) {
      violations.add(fixed(name, current.size() + " values", next.size() + " values"));
      return;
    }
    for (int i = 0; i < current.size(); i++) {
      if (!current.get(i).equals(next.get(i))) {
        String element = name + "[" + i + "]";
        int known = violations.size();
        if (current.get(i) instanceof Message before && next.get(i) instanceof Message after) {
          compare(element + ".", before, after, violations);
        }
        // Fields that this release doesn't know differ, too.
        if (violations.size() == known) {
          violations.add(
              fixed(element, String.valueOf(current.get(i)), String.valueOf(next.get(i))));
        }
        return;
      }
    }
  }

  private static String text(Message message, FieldDescriptor field) {
    if (!message.hasField(field)) {
      return "absent";
    }
    return message.getField(field) instanceof Message part
        ? "{" + TextFormat.printer().emittingSingleLine(true).printToString(part) + "}"
        : String.valueOf(message.getField(field));
  }

  private static String fixed(String field, String current, String next) {
    return field + " of a running model is fixed: it is " + current + " and can't become " + next;
  }
}
