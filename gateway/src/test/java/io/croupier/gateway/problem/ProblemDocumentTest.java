package io.croupier.gateway.problem;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProblemDocumentTest {
  @Test
  void eachViolationIsAnErrorWhateverItsSentence() {
    ProblemDocument problem =
        ProblemDocument.ofFields(
            ProblemType.MALFORMED,
            List.of(
                new Violation("round", "the tree has 8 leaves; restart_every is not set"),
                new Violation("sequence", "sequence is -1: it must be at least 0")));

    assertThat(new String(problem.json(), UTF_8))
        .contains(
            "\"detail\":\"the tree has 8 leaves; restart_every is not set; sequence is -1: it must"
                + " be at least 0\"",
            "\"errors\":[{\"field\":\"round\",\"detail\":\"the tree has 8 leaves; restart_every is"
                + " not set\"},{\"field\":\"sequence\",\"detail\":\"sequence is -1: it must be at"
                + " least 0\"}]");
  }
}
