package io.croupier.simulation;

import static io.croupier.simulation.World.TOPICS;

import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.schemas.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Which topics a world has, and what the job reads and writes there. */
final class TopicLayout {
  /** What the job reads, in the order of its sources. */
  private static final List<String> SOURCES =
      List.of(
          TOPICS.gradients(),
          TOPICS.rawGradients(),
          TOPICS.erasures(),
          TOPICS.accountRequests(),
          TOPICS.stops(),
          TOPICS.models());

  /** What a job reads that takes anonymous reports, after these. */
  private static final List<String> ANONYMOUS_SOURCES =
      List.of(TOPICS.anonymous(), TOPICS.tokenKeys());

  /** Of them, those whose records all subtasks follow. */
  static final Set<String> FOLLOWED = Set.of(TOPICS.stops(), TOPICS.models(), TOPICS.tokenKeys());

  static final List<String> COMPACTED =
      List.of(
          TOPICS.updates(),
          TOPICS.progress(),
          TOPICS.models(),
          TOPICS.stops(),
          TOPICS.accounting());

  /** The topics of two partitions. */
  private static final Set<Topic> SPREAD =
      Set.of(Topic.GRADIENTS, Topic.ANONYMOUS, Topic.UPDATES, Topic.ACCOUNTING, Topic.JOURNAL);

  private TopicLayout() {}

  static void create(SimulatedLog log) {
    for (Topic topic : Topic.ofJob(true)) {
      log.create(TOPICS.name(topic), SPREAD.contains(topic) ? 2 : 1);
    }
  }

  /** What the job reads, in the order of its sources. */
  static List<String> sources(boolean hasAnonymous) {
    List<String> sources = new ArrayList<>(SOURCES);
    if (hasAnonymous) {
      sources.addAll(ANONYMOUS_SOURCES);
    }
    return sources;
  }

  /** The topic of an output. */
  static String of(Destination destination) {
    return switch (destination) {
      case UPDATES -> TOPICS.updates();
      case ACCOUNTING -> TOPICS.accounting();
      case GUARANTEES -> TOPICS.guarantees();
      case JOURNAL -> TOPICS.journal();
      case DEAD_LETTERS -> TOPICS.deadLetters();
      case RAW_DEAD_LETTERS -> TOPICS.rawDeadLetters();
      case PROGRESS -> TOPICS.progress();
      case ACCOUNT_ANSWERS -> TOPICS.accountAnswers();
      case GRANTS -> TOPICS.grants();
    };
  }
}
