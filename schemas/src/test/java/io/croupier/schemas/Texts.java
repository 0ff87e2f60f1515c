package io.croupier.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;

/** Specs and reports in the text format of Protobuf, and what is wrong with them. */
final class Texts {
  static final String COMMON = "model_id: 'm' dimension: 2 gradient_bound: 1 ";
  static final String TREE = "clip_norm: 1 noise_multiplier: 2 noise { tree {} } ";

  /** What follows {@link #COMMON} in the spec of a central model. */
  static final String CENTRAL_LIMITS =
      "limits { delta: 1e-6 max_participations: 4 min_separation: 10 } ";

  private Texts() {}

  static <M extends Message> M parse(String text, Class<M> type) {
    try {
      return TextFormat.parse(text, type);
    } catch (TextFormat.ParseException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  static ModelSpec spec(String text) {
    return parse(text, ModelSpec.class);
  }

  /** A report whose ids are well-formed. */
  static GradientReport report(String text) {
    return parse("model_id: 'm' round: 0 user_id: 'u' sequence: 0 " + text, GradientReport.class);
  }

  /** The text with another part in the place of one that it has; null: with nothing. */
  static String changed(String text, String good, String bad) {
    assertThat(text).contains(good);
    return text.replace(good, bad == null ? "" : bad);
  }

  static void assertValid(String spec) {
    assertThat(ModelSpecs.violations(spec(spec))).isEmpty();
  }

  /** Asserts that a spec has one violation, by the beginning of its sentence. */
  static void assertViolation(ModelSpec spec, String start) {
    assertThat(ModelSpecs.violations(spec)).singleElement().asString().startsWith(start);
  }

  /** Asserts that either spec may replace the other. */
  static void assertEqual(ModelSpec one, ModelSpec other) {
    assertThat(ModelSpecs.changeViolations(one, other)).isEmpty();
    assertThat(ModelSpecs.changeViolations(other, one)).isEmpty();
  }
}
