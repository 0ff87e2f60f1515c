package io.croupier.studies;

import java.util.List;

/**
 * One pass over people who take part once each. All ways to choose the clip see the same people,
 * each with its own releases.
 */
final class ClipTrial {
  private final LinearParticipants participants;
  private final List<ClipRun> runs;

  /**
   * What a way to choose the clip ended with.
   *
   * @param excess excess loss of the published average
   * @param clip the last clip
   */
  record Outcome(double excess, double clip) {}

  /** Takes runs at their beginning. */
  ClipTrial(LinearParticipants participants, List<ClipRun> runs) {
    this.participants = participants;
    this.runs = runs;
  }

  /** The outcomes after so many people, in the order of the runs. */
  List<Outcome> play(int people) {
    for (int i = 0; i < people; i++) {
      participants.next();
      for (ClipRun run : runs) {
        run.next(participants);
      }
    }
    return runs.stream()
        .map(run -> new Outcome(participants.excess(run.average()), run.clip()))
        .toList();
  }
}
