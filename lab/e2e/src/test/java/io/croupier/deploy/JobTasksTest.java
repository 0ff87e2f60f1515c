package io.croupier.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Overviews as a JobManager returns them. */
class JobTasksTest {
  @ParameterizedTest
  @CsvSource({"9, 9, true", "8, 9, false", "0, 9, false", "0, 0, false"})
  void allTasksMustRun(int running, int total, boolean expected) {
    assertThat(
            JobTasks.allRun(
                """
                {"jobs":[{"jid":"5d","name":"croupier","state":"RUNNING","tasks":{"running":%d,\
                "canceling":0,"canceled":0,"total":%d,"created":0,"initializing":1},\
                "pending-operators":0}]}
                """
                    .formatted(running, total)))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"{\"jobs\":[]}", "{\"errors\":[\"not ready\"]}"})
  void noJobRuns(String overview) {
    assertThat(JobTasks.allRun(overview)).isFalse();
  }
}
