package io.croupier.cli.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.InvalidProtocolBufferException;
import io.croupier.client.randomiser.PrivUnitRandomiser.Choice;
import io.croupier.gateway.model.ServedModel;
import io.croupier.gateway.model.Specs;
import io.croupier.gateway.model.Updates;
import io.croupier.gateway.problem.ProblemDocument;
import io.croupier.gateway.problem.ProblemException;
import io.croupier.gateway.problem.ProblemType;
import io.croupier.gateway.report.ReportCheck;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Statistic;
import io.croupier.schemas.Topics;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Leads a device through the steps of a test, one task after the other, and keeps what it sends.
 * The device does a task completely before it asks for the next one. A report is checked as a
 * gateway checks it. Safe for use by several threads.
 */
final class DeviceTrial {
  /** So many reports the limit of the step admits, of two more tasks. */
  static final int WITHIN_LIMIT = 3;

  /** So many tasks without their report end the trial. */
  private static final int MOST_MISSING = 10;

  /** The most answers of each row. */
  private static final int MOST_ANSWERS = 1000;

  private static final Duration SOON = Duration.ofSeconds(1);

  /** What is tested, in this order. */
  enum TrialStep {
    /** The limit of the person's account is reached. */
    LIMIT,
    /** The same data are given twice. */
    ONCE,
    /** The first request is answered by 503. */
    RESEND,
    /** The round asks for an answer. */
    ANSWER,
    /** The round asks for a statistic. */
    VOTE,
    /** The round asks for a gradient. */
    GRADIENT
  }

  /**
   * What the device is to do: take part once.
   *
   * @param number of the task, and of its round
   * @param isFirst whether of the first of both rows
   * @param key names the data
   */
  record Task(int number, TrialStep step, boolean isFirst, String key) {
    /** Whose account is charged. */
    String person() {
      return "person-" + step.name().toLowerCase(Locale.ROOT);
    }
  }

  private final TrialModel model;
  private final double epsilon;
  private final List<Task> tasks = new ArrayList<>();
  private final Specs specs = new Specs();
  private final Updates updates = new Updates();
  private final ReportCheck check;

  // Guarded by this.
  private int begun;
  private int ofTask;
  private int missing;
  private String objection = "";
  private byte[] unanswered = {};
  private boolean isOtherResent;
  private final Map<String, byte[]> taken = new HashMap<>();
  private final Map<TrialStep, Integer> counts = new EnumMap<>(TrialStep.class);
  private final List<List<Choice>> choices = List.of(new ArrayList<>(), new ArrayList<>());
  private final List<List<Boolean>> bits = List.of(new ArrayList<>(), new ArrayList<>());
  private final List<List<GradientReport>> votes = List.of(new ArrayList<>(), new ArrayList<>());
  private PrivUnit declared = PrivUnit.getDefaultInstance();

  /**
   * Prepares a trial.
   *
   * @param epsilon that the device spends on each report
   * @param releases gradients of each row, and answers and votes up to 1,000 each
   */
  DeviceTrial(TrialModel model, double epsilon, int releases) {
    this.model = model;
    this.epsilon = epsilon;
    Topics topics = Topics.withPrefix("trial");
    check = new ReportCheck(topics, false, specs, updates);
    add(TrialStep.LIMIT, WITHIN_LIMIT + 2);
    add(TrialStep.ONCE, 2);
    add(TrialStep.RESEND, 1);
    add(TrialStep.ANSWER, model.question().isPresent() ? 2 * Math.min(releases, MOST_ANSWERS) : 0);
    add(TrialStep.VOTE, model.statistic().isPresent() ? 2 * Math.min(releases, MOST_ANSWERS) : 0);
    add(TrialStep.GRADIENT, 2 * releases);
    specs.apply(record(topics.models(), 0, model.spec().toByteArray()));
    publish();
  }

  /** The limit of the step of limits, in decimals: three times 0.3 is 0.9. */
  BigDecimal limit() {
    return BigDecimal.valueOf(epsilon).multiply(BigDecimal.valueOf(WITHIN_LIMIT));
  }

  private void add(TrialStep step, int count) {
    for (int i = 0; i < count; i++) {
      int number = tasks.size();
      tasks.add(new Task(number, step, i % 2 == 0 || step == TrialStep.ONCE, key(step, number)));
    }
  }

  private static String key(TrialStep step, int number) {
    return step == TrialStep.ONCE ? "the same" : "data " + number;
  }

  private ConsumerRecord<byte[], byte[]> record(String topic, long offset, byte[] value) {
    byte[] key = model.spec().getModelId().getBytes(UTF_8);
    return new ConsumerRecord<>(topic, 0, offset, key, value);
  }

  private void publish() {
    Task task = tasks.get(Math.max(0, begun - 1));
    ModelUpdate update =
        task.step() == TrialStep.VOTE
            ? model.counting(task.number())
            : model.update(task.number(), task.step() == TrialStep.ANSWER);
    updates.apply(record("updates", task.number(), update.toByteArray()));
  }

  TrialModel model() {
    return model;
  }

  double epsilon() {
    return epsilon;
  }

  /** The number of tasks. */
  int size() {
    return tasks.size();
  }

  /** The newest update. */
  synchronized ServedModel newest() {
    return updates.newest(model.spec().getModelId()).orElseThrow();
  }

  /** Ends the present task and begins the next one; empty at the end. */
  synchronized Optional<Task> next() {
    if (begun > 0 && isEach(tasks.get(begun - 1).step()) && ofTask != 1) {
      missing++;
      object(
          ofTask == 0
              ? "task %d (%s) brought no report".formatted(begun - 1, present().step())
              : "task %d (%s) brought %d reports".formatted(begun - 1, present().step(), ofTask));
    }
    if (begun == tasks.size() || missing == MOST_MISSING) {
      return Optional.empty();
    }
    begun++;
    ofTask = 0;
    publish();
    return Optional.of(present());
  }

  private static boolean isEach(TrialStep step) {
    return step != TrialStep.LIMIT && step != TrialStep.ONCE;
  }

  private Task present() {
    return tasks.get(begun - 1);
  }

  private void object(String sentence) {
    objection = objection.isEmpty() ? sentence : objection;
  }

  /**
   * Takes a report as a gateway does.
   *
   * @param isJson its form; otherwise Protobuf
   * @throws ProblemException if a gateway would not take it, or this one is to be sent again
   */
  synchronized void take(String person, byte[] body, boolean isJson) {
    if (begun == 0 || !person.equals(present().person())) {
      throw new ProblemException(
          ProblemType.FORBIDDEN, "the token must be that of the task which was begun last");
    }
    byte[] value;
    try {
      value = (isJson ? check.json(body, person) : check.protobuf(body, person)).value();
    } catch (ProblemException e) {
      object("task %d: %s".formatted(begun - 1, e.getMessage()));
      throw e;
    }
    if (present().step() == TrialStep.RESEND) {
      requireResent(value);
    }
    GradientReport report = parsed(value);
    byte[] earlier = taken.putIfAbsent(report.getDeviceId() + " " + report.getSequence(), value);
    if (earlier == null) {
      ofTask++;
      counts.merge(present().step(), 1, Integer::sum);
      keep(report);
    } else if (!Arrays.equals(earlier, value)) {
      object("sequence %d was sent with other bytes before".formatted(report.getSequence()));
    }
  }

  private void requireResent(byte[] value) {
    if (unanswered.length == 0) {
      unanswered = value;
      throw new ProblemException(
          ProblemDocument.of(ProblemType.UNAVAILABLE, "the test answers the first request so")
              .retryAfter(SOON));
    }
    isOtherResent |= !Arrays.equals(unanswered, value);
  }

  private static GradientReport parsed(byte[] value) {
    try {
      return GradientReport.parseFrom(value);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a report that was checked can be read", e);
    }
  }

  private void keep(GradientReport report) {
    int row = present().isFirst() ? 0 : 1;
    if (present().step() == TrialStep.ANSWER) {
      if (report.hasAnswer()) {
        bits.get(row).add(report.getAnswer().getBit());
      } else {
        object("task %d: the round asks for an answer; this is none".formatted(begun - 1));
      }
    } else if (present().step() == TrialStep.VOTE) {
      if (isForStatistic(report)) {
        votes.get(row).add(report);
      } else {
        object("task %d: the round asks for a statistic; this is none".formatted(begun - 1));
      }
    } else if (!report.hasPrivUnit()) {
      object(
          "task %d: the report is no gradient by priv_unit, which this test is of"
              .formatted(begun - 1));
    } else if (present().step() == TrialStep.GRADIENT) {
      choices
          .get(row)
          .add(new Choice(report.getCandidate().getSeed(), report.getCandidate().getIndex()));
      declared = declared.hasEpsilon() ? declared : report.getPrivUnit();
      if (!declared.equals(report.getPrivUnit())) {
        object("task %d: the report declares other noise than those before".formatted(begun - 1));
      }
    }
  }

  private boolean isForStatistic(GradientReport report) {
    Statistic statistic = model.statistic().orElseThrow();
    return statistic.hasChoice()
        ? report.getVote().getStatistic().equals(statistic.getName())
        : report.getAnswer().getQuestion().equals(statistic.getName());
  }

  /**
   * What was sent.
   *
   * @param objection the first thing that is wrong with a report; empty if nothing is
   * @param isComplete whether all tasks were done
   * @param counts of different reports, by step
   * @param isResent whether the report that was not taken was sent again, the same bytes
   * @param choices of gradients, by row
   * @param bits of answers, by row
   * @param votes for the statistic, or answers about its threshold, by row
   */
  record TrialReports(
      String objection,
      boolean isComplete,
      Map<TrialStep, Integer> counts,
      boolean isResent,
      PrivUnit declared,
      List<List<Choice>> choices,
      List<List<Boolean>> bits,
      List<List<GradientReport>> votes) {}

  /** What was sent so far. */
  synchronized TrialReports received() {
    return new TrialReports(
        objection,
        begun == tasks.size() && missing < MOST_MISSING,
        Map.copyOf(counts),
        counts.getOrDefault(TrialStep.RESEND, 0) == 1 && !isOtherResent,
        declared,
        choices,
        bits,
        votes);
  }
}
