package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Simulation;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScoreboardTest {

  private final Problem problem = Simulation.logistic(500, 1).problem();
  private final Scoreboard scoreboard = new Scoreboard(problem, List.of("a", "b"));

  @Test
  void judgesTheAverageThatWasPublished() {
    scoreboard.published(Snapshots.of("a", 6, 0, 0));
    scoreboard.close();

    Standing standing = scoreboard.standing("a");
    assertThat(standing.newest().loss()).isCloseTo(Math.log(2), within(1e-12));
    assertThat(standing.newest().people()).isZero();
    assertThat(scoreboard.standing("b").newest()).isNull();
    assertThat(scoreboard.curve("b")).isEmpty();
  }

  @Test
  void theNewestPublicationIsAlwaysJudged() {
    for (int used = 1; used <= 1000; used++) {
      scoreboard.published(Snapshots.of("a", 6, used / 1000.0, used));
    }
    scoreboard.close();

    List<CurvePoint> curve = scoreboard.curve("a");
    assertThat(curve.get(curve.size() - 1).people()).isEqualTo(1000);
    assertThat(curve).isSortedAccordingTo((x, y) -> Long.compare(x.people(), y.people()));
    assertThat(scoreboard.standing("a").publications()).isEqualTo(1000);
  }

  @Test
  void whatIsSettledIsUsedDroppedOrOpen() {
    scoreboard.published(Snapshots.of("a", 6, 0, 10));

    Standing standing = scoreboard.standing("a");
    assertThat(standing.used()).isEqualTo(10);
    assertThat(standing.dropped()).isEqualTo(5);
    assertThat(standing.open()).isEqualTo(4);
    assertThat(standing.accounted()).isEqualTo(19);
    assertThat(standing.withRefused(6).settled()).isEqualTo(25);
  }

  @Test
  void aModelOfSomebodyElseIsNoConcern() {
    scoreboard.published(Snapshots.of("c", 6, 0, 10));

    assertThat(scoreboard.standing("a").publications()).isZero();
  }
}
