package io.croupier.cli.report;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.croupier.cli.InputException;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaOutletTest {

  @Test
  void settingsThatCouldLoseReportsAreRefused() {
    LocalLedger ledger = LocalLedger.inMemory("ada", Limit.NONE);

    assertThatThrownBy(
            () ->
                new KafkaOutlet(
                    Map.of("bootstrap.servers", "localhost:1", "acks", "1"), "gradients", ledger))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("acks is 1; it must be all");
  }
}
