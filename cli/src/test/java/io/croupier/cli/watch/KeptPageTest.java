package io.croupier.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.croupier.schemas.AccountingEvent.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The page of one file, and the wait for its numbers. */
class KeptPageTest {
  private final WatchFeed feed = new WatchFeed("Croupier: a test", "");

  @AfterEach
  void close() {
    feed.close();
  }

  @Test
  void containsItsNumbersAndLoadsNothing() {
    feed.state().spec(Records.spec("banco"));
    feed.conclude(
        new Result("</script><script>alert(1)</script>", List.of(), List.of(), List.of()));

    assertThat(feed.page())
        .contains("Chart.js v", "\"id\":\"banco\"", "\"ended\":true", "alert(1)")
        .doesNotContain("<script>alert", "sourceMappingURL", "<!-- section -->")
        .doesNotContainPattern("<script[^>]+src|<link[^>]+href=\"(?!data:,\")|@import|url\\(");
  }

  @Test
  void waitsForTheVerdictsAndReportsOfEachModel() throws Exception {
    // Used 100, answers 2, open 2, dropped 1, 1 and 3.
    Map<String, Long> received = Map.of("banco", 109L);
    feed.state().spec(Records.spec("banco"));
    feed.state().event(Records.event("person-1", "banco", Outcome.ADMITTED, 1, 7), true);
    assertThat(feed.await(1, received, Duration.ZERO)).isFalse();

    feed.state().update(Records.record(Records.update("banco", 1, 100)), true);

    assertThat(feed.await(1, received, Duration.ZERO)).isTrue();
    assertThat(feed.await(2, received, Duration.ZERO)).isFalse();
  }
}
