package io.croupier.job.restart;

import io.croupier.operators.flink.restart.TopicEnd;
import io.croupier.schemas.Topics;
import java.io.Serializable;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/**
 * Where two of the job's outputs ended when the job was submitted. A subtask that starts can't look
 * the ends up: others may have started already, and have opened transactions that end only after
 * all subtasks have started.
 */
public record OutputEnds(TopicEnd accounting, TopicEnd updates) implements Serializable {
  private static final long serialVersionUID = 1;

  /** The ends of empty topics. */
  public static final OutputEnds NONE = new OutputEnds(TopicEnd.UNKNOWN, TopicEnd.UNKNOWN);

  /** Looks the ends up. */
  public static OutputEnds now(Admin admin, Topics topics)
      throws ExecutionException, InterruptedException {
    return new OutputEnds(
        new TopicOffsets(admin, topics.accounting()).end(),
        new TopicOffsets(admin, topics.updates()).end());
  }
}
