package io.croupier.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.job.kafka.OutputSink;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The names by which savepoints and brokers identify a job. */
class UidsTest {

  @Test
  void uidsAreUnchanged() throws Exception {
    List<String> uids = new ArrayList<>();
    for (Field field : Uids.class.getDeclaredFields()) {
      uids.add((String) field.get(null));
    }
    assertThat(uids)
        .as(
            "A savepoint finds state by uids: they are never renamed or reused, and retired ones"
                + " stay listed (lab/state.md)")
        .containsExactly(
            "gradients-source",
            "models-source",
            "decode",
            "ledger",
            "pre-aggregation",
            "learner",
            "outputs-sink",
            "learner-sink",
            "stops-source",
            "anonymous-source",
            "token-keys-source",
            "spend",
            "spend-pre-aggregation",
            "accounting-source",
            "later-accounting-source");
  }

  @Test
  void transactionalIdsAreUnchanged() {
    assertThat(OutputSink.allTransactions("croupier.updates"))
        .as("Two jobs on one updates topic fence each other, of whatever releases they are")
        .containsExactlyInAnyOrder(
            "croupier-croupier.updates", "croupier+learner-croupier.updates");
  }

  /** A sink aborts what begins with its prefix, also of another job. */
  @Test
  void noPrefixOfASinkBeginsWithThatOfAnother() {
    List<String> topics = List.of("learner", "l", "d", "croupier.updates", "learner-croupier.x");
    for (OutputSink sink : OutputSink.values()) {
      for (OutputSink other : OutputSink.values()) {
        for (String topic : topics) {
          for (String otherTopic : topics) {
            if (sink != other) {
              assertThat(other.transactions(otherTopic)).doesNotStartWith(sink.transactions(topic));
            }
          }
        }
      }
    }
  }
}
