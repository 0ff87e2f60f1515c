package io.croupier.cli.topics;

import io.croupier.cli.CommandRun;
import org.junit.jupiter.api.Test;

class TopicsCommandTest {
  /** As of an unset variable. No broker is asked. */
  @Test
  void anEmptyPrefixIsRefused() {
    CommandRun.croupier("topics create --kafka localhost:1 --prefix ")
        .failed("--prefix is ''; it must have letters or digits, such as croupier");
  }
}
