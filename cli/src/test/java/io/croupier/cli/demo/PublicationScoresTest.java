package io.croupier.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.croupier.cli.data.Problem;
import io.croupier.cli.data.Simulation;
import io.croupier.schemas.AdaptiveClip;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublicationScoresTest {

  private final Problem problem = Simulation.logistic(500, 1).problem();
  private final PublicationScores scores =
      new PublicationScores(used -> problem, List.of("a", "b"));

  @Test
  void evaluatesThePublishedAverage() {
    scores.published(Snapshots.of("a", 6, 0, 0));
    scores.close();

    ModelStatus status = scores.standing("a");
    assertThat(status.newest().loss()).isCloseTo(Math.log(2), within(1e-12));
    assertThat(status.newest().people()).isZero();
    assertThat(scores.standing("b").newest()).isNull();
    assertThat(scores.curve("b")).isEmpty();
  }

  @Test
  void theNewestPublicationIsAlwaysEvaluated() {
    for (int used = 1; used <= 1000; used++) {
      scores.published(Snapshots.of("a", 6, used / 1000.0, used));
    }
    scores.close();

    List<CurvePoint> curve = scores.curve("a");
    assertThat(curve.get(curve.size() - 1).people()).isEqualTo(1000);
    assertThat(curve).isSortedAccordingTo((x, y) -> Long.compare(x.people(), y.people()));
    assertThat(scores.standing("a").publications()).isEqualTo(1000);
  }

  @Test
  void whatIsSettledIsUsedDroppedOrOpen() {
    scores.published(Snapshots.of("a", 6, 0, 10));

    ModelStatus status = scores.standing("a");
    assertThat(status.used()).isEqualTo(10);
    assertThat(status.dropped()).isEqualTo(5);
    assertThat(status.open()).isEqualTo(4);
    assertThat(status.accounted()).isEqualTo(19);
    assertThat(status.withRefused(6).settled()).isEqualTo(25);
  }

  @Test
  void reportsWithAnotherClipAreDropped() {
    scores.published(Snapshots.moving("a", 6, AdaptiveClip.Size.GRADIENT));

    assertThat(scores.standing("a").dropped()).isEqualTo(10);
    assertThat(scores.standing("a").accounted()).isEqualTo(21);
  }

  @Test
  void otherModelsAreIgnored() {
    scores.published(Snapshots.of("c", 6, 0, 10));

    assertThat(scores.standing("a").publications()).isZero();
  }
}
