import io.croupier.client.GradientReporter;
import io.croupier.client.KafkaReportTransport;
import io.croupier.client.ModelSnapshot;
import io.croupier.client.ModelSubscriber;
import io.croupier.client.ReportTransport;
import io.croupier.client.ledger.DataKey;
import io.croupier.client.ledger.Limit;
import io.croupier.client.ledger.LocalLedger;
import io.croupier.client.randomiser.Randomiser;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Made-up people who count their steps: each has a device, and reports once. */
@Command(
    name = "SimulatePeople",
    mixinStandardHelpOptions = true,
    description = "Made-up people report to the tutorial's model, each once, in groups.")
public final class SimulatePeople implements Callable<Integer> {
  /** What everybody's steps follow, but for chance: the weights that the model should find. */
  private static final double[] TRUTH = {0.6, 0.8, -0.2};

  private static final double DEVIATION = 0.1;
  private static final int STRANGERS = 1000;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @Option(names = "--kafka", required = true, description = "HOST:PORT of a Kafka broker")
  private String kafka;

  @Option(
      names = "--prefix",
      defaultValue = "croupier",
      description = "first part of the topics'" + " names")
  private String prefix;

  @Option(names = "--model", required = true, description = "the model's name")
  private String modelId;

  @Option(names = "--people", defaultValue = "2000", description = "how many report")
  private int people;

  @Option(names = "--epsilon", defaultValue = "2", description = "of each report")
  private double epsilon;

  @Option(
      names = "--rounds",
      defaultValue = "20",
      description =
          "in how many groups; each waits for new weights, so it needs as many people as the"
              + " model's reportsPerRound")
  private int rounds;

  /** One day of a person: an intercept and two habits from -1 to 1, and the steps. */
  private record Day(double[] features, double steps) {

    static Day draw(SplittableRandom random) {
      double[] features = {1, random.nextDouble(-1, 1), random.nextDouble(-1, 1)};
      return new Day(features, predict(TRUTH, features) + DEVIATION * random.nextGaussian());
    }

    /** The gradient of the squared loss. */
    double[] gradient(double[] weights) {
      double residual = predict(weights, features) - steps;
      return Arrays.stream(features).map(x -> residual * x).toArray();
    }

    double error(double[] weights) {
      return Math.abs(predict(weights, features) - steps);
    }

    private static double predict(double[] weights, double[] features) {
      return weights[0] * features[0] + weights[1] * features[1] + weights[2] * features[2];
    }
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new SimulatePeople()).execute(args));
  }

  @Override
  public Integer call() throws InterruptedException, TimeoutException {
    SplittableRandom random = new SplittableRandom();
    Map<String, Object> brokers = Map.of("bootstrap.servers", kafka);
    try (ModelSubscriber models = new ModelSubscriber(brokers, prefix + ".updates");
        Producer<byte[], byte[]> producer =
            new KafkaProducer<>(KafkaReportTransport.producerProperties(brokers))) {
      ModelSnapshot first = models.await(modelId, PATIENCE);
      Randomiser randomiser = first.calibration(1).privUnit(epsilon);
      ReportTransport transport = new KafkaReportTransport(producer, prefix + ".gradients");
      ModelSnapshot newest = first;
      int reported = 0;
      for (int round = 1; round <= rounds; round++) {
        for (; reported < (long) people * round / rounds; reported++) {
          // Each device has a ledger of its own; that of a real person is a file.
          LocalLedger ledger = LocalLedger.inMemory("person-" + reported, Limit.ofEpsilon(20));
          new GradientReporter(transport, ledger)
              .report(
                  newest,
                  DataKey.of("day"),
                  Day.draw(random).gradient(newest.weights()),
                  randomiser);
        }
        producer.flush();
        long before = newest.round();
        long received = received(first) + reported;
        newest = await(models, update -> update.round() > before && received(update) >= received);
        System.out.printf("\r%,d of %,d people have reported", reported, people);
      }
      System.out.println();
      print(newest.average(), random);
      return 0;
    }
  }

  /**
   * The number of reports that have reached the model. The last ones of a group may still be in the
   * open round, which the next group completes.
   */
  private static long received(ModelSnapshot update) {
    return update.used()
        + update.open()
        + update.droppedStale()
        + update.droppedUnpublished()
        + update.droppedBound();
  }

  private ModelSnapshot await(ModelSubscriber models, Predicate<ModelSnapshot> condition)
      throws InterruptedException, TimeoutException {
    long start = System.nanoTime();
    ModelSnapshot newest = models.newest(modelId).orElseThrow();
    while (!condition.test(newest)) {
      if (System.nanoTime() - start > PATIENCE.toNanos()) {
        throw new TimeoutException(
            "No new weights within two minutes. Does the job run, and has a group as many people as"
                + " the model's reportsPerRound?");
      }
      Thread.sleep(100);
      newest = models.newest(modelId).orElseThrow();
    }
    return newest;
  }

  /** Prints how well the model predicts the steps of people who haven't reported. */
  private static void print(double[] average, SplittableRandom random) {
    System.out.printf("Weights: %s; the truth: %s%n", text(average), text(TRUTH));
    Day[] days = Stream.generate(() -> Day.draw(random)).limit(STRANGERS).toArray(Day[]::new);
    System.out.printf(
        "Mean error of the steps of %,d other people: %.2f with the model, %.2f without, %.2f at"
            + " best%n",
        STRANGERS, error(days, average), error(days, new double[3]), error(days, TRUTH));
  }

  private static double error(Day[] days, double[] weights) {
    return Arrays.stream(days).mapToDouble(day -> day.error(weights)).average().orElseThrow();
  }

  private static String text(double[] weights) {
    return Arrays.stream(weights).mapToObj("%.2f"::formatted).toList().toString();
  }
}
