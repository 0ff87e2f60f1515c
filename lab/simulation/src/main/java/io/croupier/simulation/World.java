package io.croupier.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.operators.flink.OutboundRecord;
import io.croupier.operators.flink.OutboundRecord.Destination;
import io.croupier.operators.flink.SpecRecord;
import io.croupier.schemas.Topics;
import io.croupier.simulation.SimulatedJob.Checkpoint;
import io.croupier.simulation.SimulatedLog.Entry;
import io.croupier.simulation.SimulatedLog.Partition;
import io.croupier.simulation.Step.StepKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The simulated world: brokers, the job, its devices and its operator, in one thread. Each step of
 * a schedule lets one of them do something; the checks follow every step.
 */
final class World {
  static final Topics TOPICS = Topics.withPrefix("sim");

  static final long PRE_AGGREGATION_MS = 1_000;

  static final int USERS = 3;

  /** Half of the time for which a start waits before it looks for transactions that linger. */
  static final long PATIENCE_MS = 60_000;

  /** What happens where a step can't be done. */
  private static final List<StepKind> USUAL =
      List.of(
          StepKind.TASK,
          StepKind.SOURCE,
          StepKind.REPORT,
          StepKind.NETWORK,
          StepKind.START,
          StepKind.ACKNOWLEDGE,
          StepKind.NOTIFY,
          StepKind.CHECKPOINT);

  private static final long BEGINNING_MS = 1_750_000_000_000L;

  private final Parts parts;
  private final SimulatedLog log;
  private final Checks checks;
  private final Models models;
  private final Programs programs;
  private final PeopleRecords people = new PeopleRecords(this);
  private final Tokens tokens = new Tokens(this);
  private final AccountAsks accounts = new AccountAsks(this);
  private final JobSteps steps = new JobSteps(this);
  private final SharedTasks tasks = new SharedTasks();
  private final BrokerSteps brokers = new BrokerSteps(this);
  private final List<SimulatedDevice> devices = new ArrayList<>();
  private final Deque<Runnable> background = new ArrayDeque<>();
  private final List<Checkpoint> completed = new ArrayList<>();
  private final List<SimulatedJob> zombies = new ArrayList<>();
  private SimulatedGateway gateway;
  private SimulatedJob job;
  private boolean mayBeRefused;
  private long nowMs = BEGINNING_MS;
  private long lastCheckpointId;

  /** Creates a world that is the same for each seed. */
  World(long seed, Parts parts) throws Exception {
    this.parts = parts;
    log = parts.log();
    programs = new Programs(this);
    SplittableRandom random = new SplittableRandom(seed);
    TopicLayout.create(log);
    gateway = parts.gateway(this);
    checks = new Checks(this);
    models = new Models(this, random.nextBoolean(), random.nextInt(3) == 0);
    for (int user = 0; user < USERS; user++) {
      for (int device = 0; device <= random.nextInt(2); device++) {
        String name = "phone-" + user + "-" + device;
        devices.add(new SimulatedDevice(this, "user-" + user, name, devices.size()));
      }
    }
    models.begin();
    job = new SimulatedJob(this, Optional.empty(), 1 + random.nextInt(3), 1 + random.nextInt(2), 0);
    if (random.nextInt(4) > 0) {
      settleOnce(random);
    }
  }

  SimulatedLog log() {
    return log;
  }

  Parts parts() {
    return parts;
  }

  Checks checks() {
    return checks;
  }

  SimulatedJob job() {
    return job;
  }

  List<SimulatedDevice> devices() {
    return devices;
  }

  Models models() {
    return models;
  }

  PeopleRecords people() {
    return people;
  }

  Tokens tokens() {
    return tokens;
  }

  SharedTasks tasks() {
    return tasks;
  }

  AccountAsks accounts() {
    return accounts;
  }

  BrokerSteps brokers() {
    return brokers;
  }

  SimulatedGateway gateway() {
    return gateway;
  }

  /** The gateway reads what is visible, and answers. */
  void followGateway() {
    gateway.follow();
    tokens.takeSigned();
    accounts.check();
  }

  /** A gateway has stored a record. */
  String stored(String topic, byte[] key, byte[] value) {
    Partition partition =
        topic.equals(TOPICS.gradients())
            ? gradients(text(key))
            : log.partition(topic, topic.equals(TOPICS.anonymous()) ? key[0] & 1 : 0);
    long offset = log.append(partition, key, value, nowMs);
    if (topic.equals(TOPICS.gradients()) || topic.equals(TOPICS.rawGradients())) {
      checks.arrived(partition, offset, value);
      tokens.arrived(value);
    }
    return partition + "@" + offset;
  }

  List<String> sources() {
    return TopicLayout.sources(models.hasAnonymous());
  }

  /** Where the newest state ends in a partition that the job reads. */
  long inState(Partition partition) {
    return latest().map(state -> job.position(state, partition)).orElse(0L);
  }

  long nowMs() {
    return nowMs;
  }

  long elapsedMs() {
    return nowMs - BEGINNING_MS;
  }

  long lastCheckpointId() {
    return lastCheckpointId;
  }

  int completedCheckpoints() {
    return completed.size();
  }

  void tookCheckpoint(long id) {
    lastCheckpointId = id;
  }

  void completed(Checkpoint checkpoint) {
    completed.add(checkpoint);
    mayBeRefused = false;
  }

  void later(Runnable work) {
    background.add(work);
  }

  static boolean isOwnId(String name) {
    return name.startsWith("croupier-" + TOPICS.updates() + "-")
        || name.startsWith("croupier+learner-" + TOPICS.updates() + "-");
  }

  static String text(byte[] key) {
    return new String(key, UTF_8);
  }

  static <T> T pick(SplittableRandom random, List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  static SpecRecord spec(String topic, Entry entry) {
    SpecRecord spec = new SpecRecord();
    spec.topic = topic;
    spec.modelId = text(entry.key());
    spec.offset = entry.offset();
    spec.value = entry.value();
    return spec;
  }

  /** All records of a topic that all subtasks follow. */
  List<SpecRecord> followed(String topic) {
    return log.committed(topic).stream().map(entry -> spec(topic, entry)).toList();
  }

  /** The partition of a user's reports. */
  Partition gradients(String userId) {
    return log.partition(TOPICS.gradients(), Math.floorMod(userId.hashCode(), 2));
  }

  /** The partition to which the sink writes a record. */
  Partition partition(OutboundRecord record) {
    String topic = TopicLayout.of(record.destination);
    byte[] key =
        record.destination == Destination.ACCOUNTING ? parts.orderedBy(record.key) : record.key;
    int count = log.partitions(topic).size();
    return log.partition(topic, Math.floorMod(Arrays.hashCode(key), count));
  }

  /** Does a step, if it can be done now; returns what happened. */
  Optional<String> apply(Step step) throws Exception {
    SplittableRandom random = new SplittableRandom(step.entropy());
    Optional<String> happened = act(step.kind(), random);
    for (int i = 0; happened.isEmpty() && i < USUAL.size(); i++) {
      happened = act(USUAL.get((i + (int) (step.entropy() & 7)) % USUAL.size()), random);
    }
    checks.afterEvent();
    accounts.check();
    return happened;
  }

  private Optional<String> act(StepKind kind, SplittableRandom random) throws Exception {
    SimulatedDevice device = pick(random, devices);
    return switch (kind) {
      case FOLLOW -> device.follow(random).map(what -> device.name() + " " + what);
      case REPORT -> device.report(random).map(what -> device.name() + " " + what);
      case NETWORK ->
          device.hasSent()
              ? Optional.of(device.name() + " " + device.deliver(random))
              : Optional.empty();
      case RESTART_DEVICE -> {
        device.restart(random);
        yield Optional.of(device.name() + " dies and starts again");
      }
      case SOURCE -> steps.source(random);
      case TASK -> steps.task(random);
      case START -> steps.start(random);
      case CHECKPOINT -> job.trigger().map(id -> "checkpoint " + id + " begins");
      case ACKNOWLEDGE -> steps.acknowledge(random);
      case NOTIFY ->
          job.notifications() == 0
              ? Optional.empty()
              : Optional.of(job.deliver(random.nextInt(job.notifications())));
      case FAIL_CHECKPOINT -> failCheckpoint(random);
      case CRASH -> Optional.of(crash(random, ""));
      case ZOMBIE -> zombie(random);
      case OLD_START -> oldStart(random);
      case TIME -> {
        long ms = random.nextInt(4) == 0 ? random.nextInt(120_000) : random.nextInt(3_000);
        nowMs += ms;
        yield Optional.of(ms + " ms pass");
      }
      case BACKGROUND -> {
        if (background.isEmpty()) {
          yield Optional.empty();
        }
        background.remove().run();
        yield Optional.of("the ledger ends what was left open");
      }
      case SPEC -> models.change(random);
      case ERASE -> Optional.of(people.erase(device.userId(), random));
      case STOP -> Optional.of(people.stop(device.userId()));
      case PROGRAM -> programs.report(random);
      case COMPACT -> brokers.compact(random);
      case RETENTION -> brokers.retain(random);
      case NEW_PROGRESS -> brokers.recreateProgress(random);
      case TIMEOUT -> brokers.timeOut(random);
      case ACCOUNT ->
          random.nextInt(3) == 0 ? readAnswers(random) : accounts.ask(device.userId(), random);
      case TOKEN -> models.hasAnonymous() ? tokens.act(random) : Optional.empty();
    };
  }

  private Optional<Checkpoint> latest() {
    return completed.isEmpty()
        ? Optional.empty()
        : Optional.of(completed.get(completed.size() - 1));
  }

  private Optional<String> failCheckpoint(SplittableRandom random) throws Exception {
    if (job.taking() == 0) {
      return Optional.empty();
    }
    String failed = "checkpoint " + job.taking() + " fails; ";
    if (models.hasCentral() || random.nextBoolean()) {
      return Optional.of(crash(random, failed));
    }
    job.failCheckpoint();
    return Optional.of(failed + "the job continues");
  }

  /** The job fails or is killed, and starts again from the newest state. */
  String crash(SplittableRandom random, String why) throws Exception {
    return crash(random, latest(), why);
  }

  private String crash(SplittableRandom random, Optional<Checkpoint> from, String why)
      throws Exception {
    boolean isKilled = random.nextBoolean();
    job.end(isKilled);
    zombies.clear();
    if (isKilled && random.nextBoolean()) {
      zombies.add(job);
    }
    background.clear();
    boolean rescales = random.nextInt(3) == 0;
    int ledgers = rescales ? 1 + random.nextInt(3) : job.ledgers();
    int learners = rescales ? 1 + random.nextInt(2) : job.learners();
    long clockOffsetMs = random.nextInt(8) == 0 ? -random.nextInt(30_000) : 0;
    mayBeRefused = !from.equals(latest());
    job = new SimulatedJob(this, from, ledgers, learners, clockOffsetMs);
    return why
        + (isKilled ? "the job is killed" : "the job fails")
        + ", and restores checkpoint "
        + job.restoredId()
        + " with "
        + ledgers
        + " ledgers and "
        + learners
        + " learners";
  }

  /**
   * A subtask of an attempt that was paused, not ended, hears late that a checkpoint is complete.
   */
  private Optional<String> zombie(SplittableRandom random) throws Exception {
    if (zombies.isEmpty() || zombies.get(0).notifications() == 0) {
      return Optional.empty();
    }
    SimulatedJob old = zombies.get(0);
    return Optional.of(
        "of an earlier attempt, " + old.deliverToSink(random.nextInt(old.notifications())));
  }

  /** Lets all complete checkpoints be committed. */
  void commitAll() throws Exception {
    while (job.notifications() > 0) {
      String unused = job.deliver(0);
    }
    checks.afterEvent();
  }

  /** Starts from an older state, once all outputs of the newest one are visible. */
  private Optional<String> oldStart(SplittableRandom random) throws Exception {
    if (completed.size() < 2 || !job.isRunning()) {
      return Optional.empty();
    }
    commitAll();
    Checkpoint old = completed.get(random.nextInt(completed.size() - 1));
    if (!checks.isBeyond(old)) {
      return Optional.empty();
    }
    return Optional.of(crash(random, Optional.of(old), "someone starts from an old state; "));
  }

  /** The gateway reads on, or is restarted. */
  private Optional<String> readAnswers(SplittableRandom random) {
    if (random.nextInt(8) > 0) {
      followGateway();
      return Optional.of("the gateway reads on");
    }
    gateway.end();
    gateway = parts.gateway(this);
    followGateway();
    return Optional.of("the gateway is restarted");
  }

  /** Whether the running attempt restored another state than the newest one. */
  boolean isOfOldState() {
    return mayBeRefused;
  }

  /** Ends the faults, and lets everything happen that can happen. */
  void settle() throws Exception {
    SplittableRandom random = new SplittableRandom(0);
    if (checks.hasLost(TOPICS.accountAnswers())) {
      gateway.end();
    }
    devices.forEach(device -> device.resend(random));
    zombies.clear();
    if (mayBeRefused || job.taking() != 0) {
      String unused = crash(random, "");
    }
    for (int round = 0; round < 60; round++) {
      nowMs += 20_000;
      brokers.endWhatStartsWaitFor();
      settleOnce(random);
      checks.afterEvent();
      if (round > 5 && checks.isQuiet(job) && !people.forgetTheRest()) {
        checks.settled();
        if (!checks.hasLost(TOPICS.accounting())) {
          new Rebuild(this).check(random);
        }
        return;
      }
    }
    throw new WorldFinding(13, "Something waits for ever: " + checks.unsettled(job));
  }

  /** Lets everything happen once that can happen, with a checkpoint. */
  void settleOnce(SplittableRandom random) throws Exception {
    for (SimulatedDevice device : devices) {
      while (device.hasSent()) {
        String unused = device.arrive();
      }
    }
    for (Subtask subtask : job.subtasks()) {
      for (int i = 0; i < 2 && !subtask.isRunning(); i++) {
        String unused = steps.start(subtask, random);
      }
    }
    while (steps.source(random).isPresent() || steps.task(random).isPresent()) {
      checks.count();
    }
    if (job.trigger().isPresent()) {
      while (steps.source(random).isPresent() || steps.task(random).isPresent()) {
        checks.count();
      }
      while (steps.acknowledge(random).isPresent()) {
        checks.count();
      }
    }
    while (job.notifications() > 0) {
      String unused = job.deliver(0);
    }
    while (!background.isEmpty()) {
      background.remove().run();
    }
    followGateway();
  }
}
