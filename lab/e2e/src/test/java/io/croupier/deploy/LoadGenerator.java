package io.croupier.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.croupier.accounting.privunit.PrivUnitLaws;
import io.croupier.schemas.AdaptiveClips;
import io.croupier.schemas.Candidate;
import io.croupier.schemas.CoordinateLaplace;
import io.croupier.schemas.Dense;
import io.croupier.schemas.GradientReport;
import io.croupier.schemas.Grid;
import io.croupier.schemas.L2Laplace;
import io.croupier.schemas.ModelUpdate;
import io.croupier.schemas.PrivUnit;
import io.croupier.schemas.Sparse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Several users who report to all models, one after the other, at a steady rate, regardless of the
 * servers' state. Every second report to {@code rounds} is a candidate of priv_unit, the others are
 * on the grid, so that rounds contain both; every second of these answers a question instead. The
 * clip of {@code sizes} moves: its reports are answers while it scouts, and every fourth one
 * afterwards.
 *
 * <p>Each report names the newest visible round, and is made with its clip, as clients do.
 *
 * <p>The n-th report to the model {@code once} is (-2)^-(n / d) in coordinate n mod d, and its
 * learner sums the means of its rounds, so no two reports change the weights in the same way.
 */
final class LoadGenerator implements AutoCloseable {
  static final String ONCE = "once";

  /** The model whose clip moves. */
  static final String SIZES = "sizes";

  /** Upper bound on the duration of a run. */
  static final int LONGEST_MINUTES = 60;

  /**
   * Number of powers of two in a coordinate: the job rounds reports with little noise to multiples
   * of 2^-25.
   */
  private static final int POWERS = 25;

  private static final int MOST_PER_SECOND = 1000;
  private static final int ROUNDS_DIMENSION = 16;

  /** Largest grid value of {@code sizes}, in whose clip there are 2^16 to 2^17 steps. */
  private static final int GRID_RANGE = 1 << 16;

  private static final String SPECS =
      """
      - {modelId: once, dimension: %d, gradientBound: 1, ldpSgd: {stepSize: 1, decay: 0}}
      - {modelId: rounds, dimension: %d, gradientBound: 1, reportsPerRound: 8,
         questions: [{name: right, accuracy: {}}], blackBox: {}}
      - {modelId: bets, dimension: 8, gradientBound: 1, blackBox: {}}
      - {modelId: sizes, dimension: 4, adaptiveClip: {size: GRADIENT},
         questions: [{name: right, accuracy: {}}], blackBox: {}}
      """;

  private static final int PEOPLE = 8;
  private static final double EPSILON = 0.01;

  /** That of answers about sizes: with {@link #EPSILON}, scouting takes half a million of them. */
  private static final double EPSILON_OF_SIZES = 2;

  /** That of reports to {@code once}: with much more noise, the job rounds them more coarsely. */
  private static final double EPSILON_OF_ONCE = 1000;

  private static final int CANDIDATES = 256;

  /** The declaration of a candidate for {@code rounds}, with the best top. */
  private static final PrivUnit PRIV_UNIT =
      PrivUnit.newBuilder()
          .setEpsilon(EPSILON)
          .setCandidates(CANDIDATES)
          .setTop(new PrivUnitLaws().best(ROUNDS_DIMENSION, EPSILON, CANDIDATES).top())
          .build();

  private final KafkaProducer<byte[], byte[]> producer;
  private final Function<String, ModelUpdate> newest;
  private final long pauseNanos;
  private final int dimension;
  private final Random random;
  private final ConcurrentLinkedQueue<Future<RecordMetadata>> sends = new ConcurrentLinkedQueue<>();
  private final Map<String, Long> sequences = new HashMap<>();
  private final AtomicLong toOnce = new AtomicLong();
  private final CompletableFuture<Void> reporting;
  private volatile boolean ended;

  /**
   * Starts the users' reports.
   *
   * @param perSecond reports per second, over all models
   * @param newest returns the newest visible update of a model
   */
  LoadGenerator(
      String bootstrapServers, int perSecond, long seed, Function<String, ModelUpdate> newest) {
    dimension = dimension(perSecond);
    producer = producer(bootstrapServers, Map.of());
    this.newest = newest;
    pauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    random = new Random(seed);
    reporting = CompletableFuture.runAsync(this::report, task -> new Thread(task).start());
  }

  /** A producer that waits ten minutes for brokers that are away. */
  static KafkaProducer<byte[], byte[]> producer(String bootstrapServers, Map<String, Object> more) {
    Map<String, Object> properties = new HashMap<>(more);
    properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 600_000);
    properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 600_000);
    properties.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 5_000);
    return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private void report() {
    long next = System.nanoTime();
    for (int n = 0; !ended; n++) {
      String user = "person-" + random.nextInt(PEOPLE);
      GradientReport.Builder report =
          GradientReport.newBuilder()
              .setUserId(user)
              .setDeviceId("device")
              .setSequence(sequences.merge(user, 1L, Long::sum));
      List<String> models = models();
      String model = models.get(n % models.size());
      ModelUpdate update = newest.apply(model);
      report.setModelId(model).setRound(update.getRound());
      fill(report, n / models.size(), update);
      sends.add(
          producer.send(
              new ProducerRecord<>(
                  "croupier.gradients", user.getBytes(UTF_8), report.build().toByteArray())));
      next += pauseNanos;
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  /**
   * Sets the gradient or answer and the declaration.
   *
   * @param n number of earlier reports to the model
   * @param update the one whose round the report names
   */
  private void fill(GradientReport.Builder report, int n, ModelUpdate update) {
    L2Laplace noise = L2Laplace.newBuilder().setEpsilon(EPSILON).build();
    switch (report.getModelId()) {
      case ONCE -> {
        int index = Math.toIntExact(toOnce.getAndIncrement());
        report.setSparse(
            Sparse.newBuilder()
                .setDimension(dimension)
                .addIndices(index % dimension)
                .addValues(power(index / dimension)));
        // A sparse report reveals the coordinates that it names, so it must not declare noise for
        // all coordinates.
        report.setCoordinateLaplace(
            CoordinateLaplace.newBuilder()
                .addTaus(EPSILON_OF_ONCE)
                .setClip(CoordinateLaplace.Clip.COORDINATES));
      }
      case "rounds" -> {
        if (n % 2 == 0) {
          fillWithCandidate(report, random);
        } else if (n % 4 == 1) {
          report.getAnswerBuilder().setQuestion("right").setBit(random.nextBoolean());
          report.getRandomisedResponseBuilder().setEpsilon(EPSILON);
        } else {
          Grid.Builder grid = Grid.newBuilder();
          for (int i = 0; i < ROUNDS_DIMENSION; i++) {
            grid.addValues(random.nextInt(1 << 16) - (1 << 15));
          }
          report.setGrid(grid).setL2Laplace(noise);
        }
      }
      case SIZES -> fillOfMovingClip(report, n, update, random);
      default -> {
        Dense.Builder dense = Dense.newBuilder();
        for (int i = 0; i < 8; i++) {
          dense.addValues(random.nextGaussian());
        }
        report.setDense(dense).setL2Laplace(noise);
      }
    }
  }

  /** Sets a report of {@code sizes} on the terms of an update. */
  static void fillOfMovingClip(
      GradientReport.Builder report, int n, ModelUpdate update, Random random) {
    boolean isScouting = update.getQuestionProbability() >= 1;
    if (isScouting || n % 4 == 0) {
      report
          .getAnswerBuilder()
          .setQuestion(isScouting || n % 8 == 0 ? AdaptiveClips.QUESTION : "right")
          .setBit(random.nextBoolean());
      report.getRandomisedResponseBuilder().setEpsilon(EPSILON_OF_SIZES);
      return;
    }
    Grid.Builder grid = Grid.newBuilder();
    for (int i = 0; i < update.getWeightsCount(); i++) {
      grid.addValues(random.nextInt(2 * GRID_RANGE) - GRID_RANGE);
    }
    report
        .setGrid(grid)
        .setGradientBound(update.getGradientBound())
        .setL2Laplace(L2Laplace.newBuilder().setEpsilon(EPSILON));
  }

  /** Sets a random candidate for {@code rounds}, and its declaration. */
  static void fillWithCandidate(GradientReport.Builder report, Random random) {
    report
        .setCandidate(
            Candidate.newBuilder()
                .setDimension(ROUNDS_DIMENSION)
                .setSeed(random.nextLong())
                .setIndex(random.nextInt(CANDIDATES)))
        .setPrivUnit(PRIV_UNIT);
  }

  /** The value of the n-th report to one coordinate of {@code once}. */
  private static double power(int n) {
    if (n >= POWERS) {
      throw new IllegalStateException("No powers are left for " + ONCE + ": the run is too long");
    }
    return Math.scalb(n % 2 == 0 ? 1.0 : -1.0, -n);
  }

  /** The specs of the models for the given number of reports per second. */
  static String specs(int perSecond) {
    return SPECS.formatted(dimension(perSecond), ROUNDS_DIMENSION);
  }

  /**
   * The dimension of {@code once}, enough for a separate power for each report of the longest run.
   */
  static int dimension(int perSecond) {
    if (perSecond < 1 || perSecond > MOST_PER_SECOND) {
      throw new IllegalArgumentException(
          "rate is %d reports a second; give 1 to %d".formatted(perSecond, MOST_PER_SECOND));
    }
    int reports = (perSecond + 2) / 3 * 60 * LONGEST_MINUTES;
    return (reports + POWERS - 1) / POWERS;
  }

  /** A future that fails if the reporting fails. */
  CompletableFuture<Void> reporting() {
    return reporting;
  }

  /** Number of reports to {@code once} passed to the producer so far. */
  long toOnce() {
    return toOnce.get();
  }

  /**
   * Stops reporting, waits until the broker has acknowledged all reports, and returns their number.
   */
  long end() throws Exception {
    ended = true;
    reporting.join();
    producer.flush();
    for (Future<RecordMetadata> send : new ArrayList<>(sends)) {
      send.get();
    }
    return sends.size();
  }

  /** The last sequence number of each user. */
  Map<String, Long> sequences() {
    return Map.copyOf(sequences);
  }

  @Override
  public void close() {
    ended = true;
    producer.close(Duration.ZERO);
    reporting.exceptionally(closed -> null).join();
  }

  /** The ids of the models. */
  static List<String> models() {
    return List.of(ONCE, "rounds", "bets", SIZES);
  }
}
