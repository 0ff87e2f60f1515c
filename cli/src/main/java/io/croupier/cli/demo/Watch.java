package io.croupier.cli.demo;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Looks on while people report, until the books balance. */
final class Watch {

  /** Without news from the job for so long, people wait: reports at old weights teach little. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Without any report being settled for so long, the books are closed as they are. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final long LOOK_MS = 200;

  private final List<Entrant> entrants;
  private final Stage stage;
  private final Crowd crowd;
  private final Scoreboard scoreboard;
  private final Spending spending;

  Watch(
      List<Entrant> entrants, Stage stage, Crowd crowd, Scoreboard scoreboard, Spending spending) {
    this.entrants = entrants;
    this.stage = stage;
    this.crowd = crowd;
    this.scoreboard = scoreboard;
    this.spending = spending;
  }

  /**
   * Whether reports are under way, and yet nothing has been heard of for long. A judgement is news
   * as good as a publication: where all reports are refused there is no other.
   */
  boolean isStalled() {
    return scoreboard.nanosSincePublication() > STALL_NANOS
        && spending.nanosSinceEvent() > STALL_NANOS
        && !Books.balance(entrants, standings(), spending, crowd.sent());
  }

  /** Looks on until every report is accounted for, or nothing has moved for long. */
  Books untilSettled(Progress progress) throws InterruptedException {
    Rate rate = new Rate();
    long settled = -1;
    long lastMove = System.nanoTime();
    while (true) {
      stage.checkJob();
      long reported = crowd.reported();
      List<Standing> standings = standings();
      long now = System.nanoTime();
      progress.show(standings, rate.at(now, spending.events()));
      if (Books.balance(entrants, standings, spending, crowd.due())) {
        return Books.close(entrants, standings, spending, crowd.due());
      }
      boolean moreCome =
          reported < crowd.size() && Books.balance(entrants, standings, spending, crowd.sent());
      long nowSettled = spending.events() + standings.stream().mapToLong(Standing::accounted).sum();
      if (moreCome || nowSettled != settled) {
        settled = nowSettled;
        lastMove = now;
      } else if (now - lastMove > PATIENCE_NANOS) {
        return Books.close(entrants, standings, spending, crowd.due());
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_MS);
    }
  }

  private List<Standing> standings() {
    return entrants.stream()
        .map(
            entrant ->
                scoreboard
                    .standing(entrant.modelId())
                    .withRefused(spending.refused(entrant.modelId())))
        .toList();
  }
}
