package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent;
import io.croupier.schemas.AccountingEvent.Outcome;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.Undisclosed;
import org.junit.jupiter.api.Test;

class RefusedReportTest {

  @Test
  void namesLearnerNoiseAndReason() {
    AccountingEvent.Builder event = AccountingEvent.newBuilder().setModelId("banco");
    event.setOutcome(Outcome.REFUSED_DECLARATION).setUndisclosed(Undisclosed.getDefaultInstance());
    assertThat(RefusedReport.of(event.build()).inWords("BANCO", 5_631))
        .isEqualTo("BANCO refused 5,631 undisclosed reports (DECLARATION).");

    event.setOutcome(Outcome.DUPLICATE).setL2Laplace(L2Laplace.getDefaultInstance());
    assertThat(RefusedReport.of(event.build()).inWords("BANCO", 2))
        .isEqualTo("BANCO refused 2 l2_laplace reports (DUPLICATE).");
    assertThat(RefusedReport.of(event.build()).inWords("BANCO", 1))
        .isEqualTo("BANCO refused 1 l2_laplace report (DUPLICATE).");
  }
}
